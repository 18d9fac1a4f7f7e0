//! The kinds of places that can give the bytes of a file. None of them knows a pinned hash: what
//! they return is checked by [`fetch`](super::fetch()) before anyone uses it.

pub mod mirror;
pub mod package;
#[cfg(test)]
pub(super) mod test_client;
mod tool;
pub mod url;

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::registry::Packing;

/// Undoes `packing`.
///
/// # Errors
/// What the decoder says of bytes that are not packed that way.
pub fn unpack(bytes: Vec<u8>, packing: Packing) -> Result<Vec<u8>, String> {
    match packing {
        Packing::Plain => Ok(bytes),
        Packing::Gzip => {
            let mut content = Vec::new();
            MultiGzDecoder::new(bytes.as_slice())
                .read_to_end(&mut content)
                .map_err(|error| format!("cannot undo gzip: {error}"))?;
            Ok(content)
        }
    }
}
