//! Philox4x32-10, the counter-based generator of \[Salmon2011\]: four words as a function of a counter and a
//! key. Any number can be had without those before it, on any device.

/// Four words.
pub type Words = [u32; 4];

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The words of one counter.
#[must_use]
pub fn philox(counter: Words, key: [u32; 2]) -> Words {
    philox_lanes(counter.map(|word| [word]), key).map(|[word]| word)
}

/// The words of several counters side by side: word w of counter l is at `[w][l]`.
#[expect(
    clippy::needless_range_loop,
    reason = "four rows are indexed alike, and the loop is over lanes"
)]
#[inline(always)]
#[must_use]
pub fn philox_lanes<const L: usize>(mut words: [[u32; L]; 4], key: [u32; 2]) -> [[u32; L]; 4] {
    for round in 0..ROUNDS as u32 {
        let key = [0, 1].map(|k| key[k].wrapping_add(round.wrapping_mul(WEYL[k])));
        for l in 0..L {
            let product = |m: u32, word: u32| {
                let product = u64::from(m) * u64::from(word);
                ((product >> 32) as u32, product as u32)
            };
            let (high_0, low_0) = product(MULTIPLIERS[0], words[0][l]);
            let (high_1, low_1) = product(MULTIPLIERS[1], words[2][l]);
            words[0][l] = high_1 ^ words[1][l] ^ key[0];
            words[1][l] = low_1;
            words[2][l] = high_0 ^ words[3][l] ^ key[1];
            words[3][l] = low_0;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_authors_known_answers() {
        // Random123, kat_vectors: counter, key, result.
        let ones = u32::MAX;
        let cases: [(Words, [u32; 2], Words); 3] = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([ones; 4], [ones; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            assert_eq!(philox(counter, key), expected);
            let beside = philox_lanes(counter.map(|word| [word ^ 1, word, 7]), key);
            assert_eq!(beside.map(|words| words[1]), expected);
        }
    }
}
