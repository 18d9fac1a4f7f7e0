//! The kinds of sources that can provide the bytes of a file. What they return is checked against the pinned
//! hash by [`fetch`](super::fetch()) before it is used.

mod debian;
pub mod mirror;
pub mod package;
mod png_rows;
#[cfg(test)]
pub(super) mod test_client;
mod tool;
pub mod url;

use std::collections::BTreeMap;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use xz2::read::XzDecoder;

use super::registry::Packing;

/// Members of a package by path.
pub type Members = BTreeMap<String, Vec<u8>>;

/// Undoes `packing`; `others` are the other members, if it comes from a package.
///
/// # Errors
/// The decoder's message if the bytes are not packed that way.
pub fn unpack(bytes: &[u8], packing: Packing, others: &Members) -> Result<Vec<u8>, String> {
    match packing {
        Packing::Plain => Ok(bytes.to_vec()),
        Packing::Gzip => {
            let mut content = Vec::new();
            MultiGzDecoder::new(bytes)
                .read_to_end(&mut content)
                .map_err(|error| format!("cannot undo gzip: {error}"))?;
            Ok(content)
        }
        Packing::TarXz(member) => from_tar(XzDecoder::new(bytes), member),
        Packing::TarGz(member) => from_tar(MultiGzDecoder::new(bytes), member),
        Packing::Lines(lines) => lines.of(bytes),
        Packing::PngRows { labels, first } => {
            let found = others.get(labels);
            let labels = found.ok_or_else(|| format!("the package has no member {labels}"))?;
            png_rows::records(bytes, labels, first)
        }
    }
}

/// The member of an archive at this path.
fn from_tar(content: impl Read, member: &str) -> Result<Vec<u8>, String> {
    let bad = |error: io::Error| format!("cannot read the archive: {error}");
    let mut archive = tar::Archive::new(content);
    for entry in archive.entries().map_err(bad)? {
        let mut entry = entry.map_err(bad)?;
        let path = entry.path().map_err(bad)?;
        if path.strip_prefix(".").unwrap_or(&path).as_os_str() == member {
            drop(path);
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(bad)?;
            return Ok(content);
        }
    }
    Err(format!("the archive has no member {member}"))
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};
    use xz2::write::XzEncoder;

    use super::*;

    /// A tar archive of two files of one name.
    fn archive<W: io::Write>(into: W) -> W {
        let mut archive = tar::Builder::new(into);
        for (path, content) in [("a/1 day/x.csv", "no"), ("a/7 days/x.csv", "yes")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, content.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap()
    }

    #[test]
    fn a_member_of_a_compressed_archive_is_found_by_its_path() {
        let xz = archive(XzEncoder::new(Vec::new(), 0)).finish().unwrap();
        let gz = archive(GzEncoder::new(Vec::new(), Compression::fast())).finish().unwrap();
        for (packed, packing) in [(xz, Packing::TarXz as fn(_) -> _), (gz, Packing::TarGz)] {
            let member = |path| unpack(&packed, packing(path), &Members::new());
            assert_eq!(member("a/7 days/x.csv").unwrap(), b"yes");
            assert_eq!(member("x.csv").unwrap_err(), "the archive has no member x.csv");
            let error = unpack(b"no archive", packing("x"), &Members::new()).unwrap_err();
            assert!(error.starts_with("cannot read the archive: "), "{error}");
        }
    }
}
