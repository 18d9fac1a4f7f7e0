//! Computes hashes as lower-case hexadecimal text, the form in which files are pinned.

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The id that git gives to a file with these bytes: SHA-1 of `blob LENGTH`, a zero byte and the bytes, as 40
/// lower-case hexadecimal digits. Weaker than SHA-256 against forgery; used for files of which no other hash
/// is published.
#[must_use]
pub fn git_blob_hex(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hex(&hasher.finalize())
}

/// SHA-256 over a sequence of named byte strings: name, a zero byte, the length as eight little-endian bytes,
/// then the bytes, so that no two different sequences hash the same input.
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
    fn git_gives_the_same_ids() {
        // The output of `git hash-object` for an empty file and for `hello` with a line end.
        assert_eq!(git_blob_hex(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_blob_hex(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn a_sequence_is_not_its_concatenation() {
        let one = sha256_of_sequence([("a", &b"xy"[..]), ("b", b"z")]);
        let other = sha256_of_sequence([("a", &b"x"[..]), ("b", b"yz")]);
        assert_ne!(one, other);
    }
}
