//! Keys that sign results on a remote (ed25519). A private key is a file that nobody else may read; a public key is a
//! word, `ed25519:` and 64 hexadecimal digits.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
    str::FromStr,
};

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    error::{Error, Result},
};

const PUBLIC: &str = "ed25519:";
const SECRET: &str = "ed25519-secret:";

/// A private key.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// Generates a key from the operating system's random numbers and keeps it in a new file. A key is not a result:
    /// it is the one thing that must not come out the same twice.
    ///
    /// # Errors
    /// When the file exists already, or it cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let random = Path::new("/dev/urandom");
        let mut bytes = [0; 32];
        File::open(random)
            .and_then(|mut file| file.read_exact(&mut bytes))
            .map_err(|e| Error::io("read", random, &e))?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .map_err(|e| Error::io("create", path, &e))?;
        writeln!(file, "{SECRET}{}", Digest::from_bytes(bytes))
            .and_then(|()| file.sync_all())
            .map_err(|e| Error::io("write", path, &e))?;
        Ok(Self(SigningKey::from_bytes(&bytes)))
    }

    /// The key in this file.
    ///
    /// # Errors
    /// When it cannot be read, others may read it too, or it does not contain a key.
    pub fn read(path: &Path) -> Result<Self> {
        let mode = fs::metadata(path).map_err(|e| Error::io("read", path, &e))?.mode();
        if mode & 0o077 != 0 {
            let why = format!(
                "the key {} may be used by others (mode {:o})",
                path.display(),
                mode & 0o777
            );
            let help = format!("`chmod 600 {}`, or make another: it may be known", path.display());
            return Err(Error::usage(why).help(help));
        }
        let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, &e))?;
        let bytes = text.trim().strip_prefix(SECRET).and_then(|hex| hex.parse::<Digest>().ok());
        let bytes = bytes.ok_or_else(|| {
            Error::usage(format!("{} holds no private key", path.display()))
                .help("`retune key new FILE` makes one")
        })?;
        Ok(Self(SigningKey::from_bytes(bytes.bytes())))
    }

    /// Its public part.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// A signature of `message`, in hexadecimal digits.
    pub(super) fn sign(&self, message: Digest) -> String {
        let bytes = self.0.sign(message.bytes()).to_bytes();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The keys that a text names: one key, or a file of keys, one at the beginning of each line that is neither
    /// empty nor a comment (`#`).
    ///
    /// # Errors
    /// When it is neither.
    pub fn named(text: &str) -> Result<Vec<Self>> {
        if text.starts_with(PUBLIC) {
            return text.parse().map(|key| vec![key]).map_err(Error::usage);
        }
        let path = Path::new(text);
        let lines = fs::read_to_string(path).map_err(|e| {
            Error::io("read", path, &e)
                .help("name a public key, `ed25519:` and 64 digits, or a file with one per line")
        })?;
        let mut keys = Vec::new();
        for (i, line) in lines.lines().enumerate() {
            let line = line.trim();
            let Some(word) = line.split_whitespace().next().filter(|word| !word.starts_with('#'))
            else {
                continue;
            };
            let wrong = |why| Error::usage(format!("{}:{}: {why}", path.display(), i + 1));
            keys.push(word.parse().map_err(wrong)?);
        }
        Ok(keys)
    }

    /// Whether this key's owner has signed `message`.
    pub(super) fn verifies(&self, message: Digest, signature: &str) -> bool {
        let Some(signature) = hex(signature) else { return false };
        // Strictly: no key and no signature for which equivalent ones exist is accepted.
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| {
            key.verify_strict(message.bytes(), &Signature::from_bytes(&signature)).is_ok()
        })
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", Digest::from_bytes(self.0))
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = text.strip_prefix(PUBLIC).and_then(|hex| hex.parse::<Digest>().ok());
        let key = bytes.map(|bytes| Self(*bytes.bytes()));
        key.filter(|key| VerifyingKey::from_bytes(&key.0).is_ok())
            .ok_or_else(|| format!("`{text}` is not a public key"))
    }
}

impl TryFrom<String> for PublicKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

/// 64 bytes in hexadecimal digits: as long as two digests.
fn hex(text: &str) -> Option<[u8; 64]> {
    let (a, b) = text.split_at_checked(64)?;
    let (a, b): (Digest, Digest) = (a.parse().ok()?, b.parse().ok()?);
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(a.bytes());
    bytes[32..].copy_from_slice(b.bytes());
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn the_first_key_of_rfc_8032_signs_and_no_other_signature_will_do() {
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs::write(&path, format!("{SECRET}{secret}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let key = SecretKey::read(&path).unwrap();
        assert_eq!(key.public().to_string(), format!("{PUBLIC}{public}"));
        let message = Digest::of(b"message");
        let signature = key.sign(message);
        assert!(key.public().verifies(message, &signature));
        assert!(!key.public().verifies(Digest::of(b"another"), &signature));
        let other = SecretKey::create(&dir.path().join("other")).unwrap();
        assert!(!other.public().verifies(message, &signature));
        for at in [0, 63, 64, 127] {
            let mut bent = signature.clone().into_bytes();
            bent[at] = if bent[at] == b'0' { b'1' } else { b'0' };
            assert!(!key.public().verifies(message, std::str::from_utf8(&bent).unwrap()));
        }
        for garbled in
            ["", "00", &signature[..126], &format!("{signature}00"), &signature.to_uppercase()]
        {
            assert!(!key.public().verifies(message, garbled), "{garbled}");
        }
    }

    #[test]
    fn a_key_is_made_once_and_read_by_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let key = SecretKey::create(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(SecretKey::read(&path).unwrap().public() == key.public());
        assert!(SecretKey::create(&path).is_err(), "no key is overwritten");
        assert!(SecretKey::create(&dir.path().join("2")).unwrap().public() != key.public());
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let refused = SecretKey::read(&path).err().unwrap();
        assert!(refused.to_string().ends_with("may be used by others (mode 640)"), "{refused}");
    }

    #[test]
    fn keys_are_named_by_themselves_or_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let key = |n: &str| SecretKey::create(&dir.path().join(n)).unwrap().public();
        let (a, b) = (key("a"), key("b"));
        assert!(PublicKey::named(&a.to_string()).unwrap() == [a]);
        let path = dir.path().join("trusted");
        fs::write(&path, format!("# who computes\n{a} of one\n\n{b}\n")).unwrap();
        assert!(PublicKey::named(path.to_str().unwrap()).unwrap() == [a, b]);
        fs::write(&path, format!("{a}\n{b}0\n")).unwrap();
        let refused = PublicKey::named(path.to_str().unwrap()).err().unwrap().to_string();
        assert!(
            refused.contains("trusted:2: ") && refused.ends_with("is not a public key"),
            "{refused}"
        );
        assert!(PublicKey::named("ed25519:00").is_err());
    }
}
