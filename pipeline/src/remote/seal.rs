//! A result as it is stored on a remote: a line of JSON with the stage's outputs and, if it is signed, another line
//! with the signer. The signature covers the stage's key, the outputs with their digests, and the bytes of the first
//! line, so it is not valid for a result of another key or with another output.

use serde::{Deserialize, Serialize};

use super::key::{PublicKey, SecretKey};
use crate::digest::{Digest, Fields};

/// The second line.
#[derive(Serialize, Deserialize)]
struct Seal {
    signer: PublicKey,
    signature: String,
}

/// The bytes of the result, and the line below them.
pub(super) fn parts(blob: &[u8]) -> (&[u8], Option<&[u8]>) {
    match blob.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&blob[..end], Some(&blob[end + 1..])),
        None => (blob, None),
    }
}

/// The result with the signer's line.
pub(super) fn sealed(
    mut text: Vec<u8>,
    key: Digest,
    outputs: &[(String, Digest)],
    signer: &SecretKey,
) -> Vec<u8> {
    let signature = signer.sign(message(key, outputs, &text));
    let seal = Seal { signer: signer.public(), signature };
    text.push(b'\n');
    text.extend(serde_json::to_vec(&seal).unwrap_or_default()); // two texts are always JSON
    text
}

/// Checks that one of `trusted` signed that the stage with this key gave these outputs; otherwise says who did, in
/// words.
pub(super) fn check(
    trusted: &[PublicKey],
    key: Digest,
    outputs: &[(String, Digest)],
    text: &[u8],
    seal: Option<&[u8]>,
) -> Result<(), String> {
    let Some(seal) = seal else { return Err("without a signature".to_owned()) };
    let Ok(Seal { signer, signature }) = serde_json::from_slice(seal) else {
        return Err("with a garbled signature".to_owned());
    };
    if !trusted.contains(&signer) {
        Err(format!("signed by {signer}, which is not trusted"))
    } else if !signer.verifies(message(key, outputs, text), &signature) {
        Err(format!("with a signature that is not {signer}'s"))
    } else {
        Ok(())
    }
}

fn message(key: Digest, outputs: &[(String, Digest)], text: &[u8]) -> Digest {
    let mut fields = Fields::default();
    fields.field(b"retune result v1").field(key.bytes());
    for (name, digest) in outputs {
        fields.field(name.as_bytes()).field(digest.bytes());
    }
    fields.field(text);
    fields.finish()
}
