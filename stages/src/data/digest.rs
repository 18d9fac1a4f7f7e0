//! SHA-256 as lower-case hexadecimal text: the form in which files are pinned.
//! Does not know what is hashed.

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 over a sequence of named byte strings: name, a zero byte, the length as eight
/// little-endian bytes, then the bytes; so that no two different sequences share an input.
#[must_use]
pub fn sha256_of_sequence<'a>(parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hasher = Sha256::new();
    for (name, bytes) in parts {
        hasher.update(name.as_bytes());
        hasher.update([0]);
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_published_test_vector() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_sequence_is_not_its_concatenation() {
        let one = sha256_of_sequence([("a", &b"xy"[..]), ("b", b"z")]);
        let other = sha256_of_sequence([("a", &b"x"[..]), ("b", b"yz")]);
        assert_ne!(one, other);
    }
}
