//! Texts and bytes that are nearly valid: pieces that a reader knows, in any order, and valid ones spoilt.

use proptest::{collection::vec, prelude::*, sample::select};

/// Pieces in any order, with any characters between them, and one of them possibly thousands of times.
pub fn pieces(known: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(known).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => (select(known), 1..3000usize).prop_map(|(piece, times)| piece.repeat(times)),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// One change: where it begins, as a share of the whole; how much it removes; what it inserts.
type Change = (f64, usize, Vec<u8>);

fn changes(known: &'static [&'static str]) -> impl Strategy<Value = Vec<Change>> {
    let put = prop_oneof![
        3 => select(known).prop_map(|piece| piece.as_bytes().to_vec()),
        2 => vec(any::<u8>(), 0..9),
    ];
    vec((0.0..1.0, prop_oneof![0..3usize, 0..300usize], put), 1..6)
}

fn changed(mut sound: Vec<u8>, changes: Vec<Change>) -> Vec<u8> {
    for (share, take, put) in changes {
        let at = (share * sound.len() as f64) as usize;
        let end = (at + take).min(sound.len());
        sound.splice(at..end, put);
    }
    sound
}

/// `sound` with a few changes.
pub fn spoilt(
    sound: Vec<u8>,
    known: &'static [&'static str],
) -> impl Strategy<Value = Vec<u8>> + use<> {
    changes(known).prop_map(move |changes| changed(sound.clone(), changes))
}

/// The same for a text, which stays valid UTF-8.
pub fn spoilt_text(
    sound: &str,
    known: &'static [&'static str],
) -> impl Strategy<Value = String> + use<> {
    spoilt(sound.as_bytes().to_vec(), known)
        .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Numbers as they occur in texts: usual ones, the last that fit and the first that do not.
pub const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "7",
    "0.5",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "null",
    "true",
];
