//! Content digests. BLAKE3 over canonical bytes: every field is length-prefixed, so two different sequences of fields
//! are never the same bytes. Independent of stages and stores.

use std::{fmt, io, path::Path, str::FromStr};

/// A 256-bit BLAKE3 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl std::hash::Hash for Digest {
    /// Eight bytes of a digest are as evenly distributed as all of it.
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        state.write_u64(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }
}

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of a file's content. The file is read and not mapped: truncating a mapped file while it is read
    /// would kill the process.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        Self::of_reader(crate::regular::open(path)?)
    }

    /// The digest of what is read from `file` to its end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn of_reader(file: impl io::Read) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file)?;
        Ok(Self(*hasher.finalize().as_bytes()))
    }

    /// The digest with these raw bytes.
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Calls `use_it` with the 64 hexadecimal digits.
    pub(crate) fn with_hex<T>(&self, use_it: impl FnOnce(&str) -> T) -> T {
        let mut text = [0u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        // It contains only the sixteen digits above.
        use_it(std::str::from_utf8(&text).unwrap_or_default())
    }

    /// The first twelve hexadecimal digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_hex(|hex| f.pad(hex))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}

/// A text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a digest of 64 hexadecimal digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        fn nibble(digit: u8) -> Result<u8, NotADigest> {
            match digit {
                b'0'..=b'9' => Ok(digit - b'0'),
                b'a'..=b'f' => Ok(digit - b'a' + 10),
                _ => Err(NotADigest),
            }
        }
        let text: &[u8; 64] = text.as_bytes().try_into().map_err(|_| NotADigest)?;
        let mut bytes = [0u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Hashes a sequence of fields; each is preceded by its length.
pub struct Fields(Vec<u8>);

impl Default for Fields {
    fn default() -> Self {
        Self(Vec::with_capacity(512)) // a stage's identity usually fits
    }
}

impl Fields {
    /// Appends one field.
    pub fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
        self
    }

    /// The digest of all fields so far.
    #[must_use]
    pub fn finish(&self) -> Digest {
        Digest::of(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips_and_matches_the_published_empty_hash() {
        let digest = Digest::of(b"");
        let text = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse::<Digest>(), Ok(digest));
        assert_eq!("af13".parse::<Digest>(), Err(NotADigest));
    }

    #[test]
    fn a_file_that_shrinks_meanwhile_ends_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for _ in 0..20 {
            std::fs::write(&path, vec![1; 1 << 23]).unwrap();
            std::thread::scope(|scope| {
                // Whatever it reads; with a mapped file, this process would be killed.
                scope.spawn(|| Digest::of_file(&path).unwrap());
                scope.spawn(|| std::fs::write(&path, b"").unwrap());
            });
        }
    }

    #[test]
    fn field_boundaries_count() {
        let a = Fields::default().field(b"ab").field(b"c").finish();
        let b = Fields::default().field(b"a").field(b"bc").finish();
        assert_ne!(a, b);
    }
}
