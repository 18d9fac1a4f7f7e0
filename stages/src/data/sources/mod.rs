//! The kinds of places that can give the bytes of a file. None of them knows a pinned hash: what
//! they return is checked by [`fetch`](super::fetch()) before anyone uses it.

pub mod mirror;
pub mod package;
#[cfg(test)]
pub(super) mod test_client;
mod tool;
pub mod url;

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use xz2::read::XzDecoder;

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
        Packing::TarXz(member) => from_tar_xz(&bytes, member),
    }
}

/// The member of this path of a compressed archive.
fn from_tar_xz(bytes: &[u8], member: &str) -> Result<Vec<u8>, String> {
    let bad = |error: io::Error| format!("cannot read the archive: {error}");
    let mut archive = tar::Archive::new(XzDecoder::new(bytes));
    for entry in archive.entries().map_err(bad)? {
        let mut entry = entry.map_err(bad)?;
        if entry.path().map_err(bad)?.as_os_str() == member {
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(bad)?;
            return Ok(content);
        }
    }
    Err(format!("the archive has no member {member}"))
}

#[cfg(test)]
mod tests {
    use xz2::write::XzEncoder;

    use super::*;

    #[test]
    fn a_member_of_a_compressed_archive_is_found_by_its_path() {
        let mut archive = tar::Builder::new(XzEncoder::new(Vec::new(), 0));
        for (path, content) in [("a/1 day/x.csv", "no"), ("a/7 days/x.csv", "yes")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, content.as_bytes()).unwrap();
        }
        let packed = archive.into_inner().and_then(XzEncoder::finish).unwrap();
        let member = |path| unpack(packed.clone(), Packing::TarXz(path));
        assert_eq!(member("a/7 days/x.csv").unwrap(), b"yes");
        assert_eq!(member("x.csv").unwrap_err(), "the archive has no member x.csv");
        let error = unpack(b"no archive".to_vec(), Packing::TarXz("x")).unwrap_err();
        assert!(error.starts_with("cannot read the archive: "), "{error}");
    }
}
