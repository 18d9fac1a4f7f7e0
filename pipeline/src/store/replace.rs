//! Small files that are replaced as a whole: whoever reads one sees the old content or the new, also after
//! the power fails.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Writes `bytes` to `path` by way of a file beside it.
///
/// # Errors
/// When the disk refuses; then `path` is as before.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("tmp");
    write_new(&beside, bytes)
        .and_then(|()| fs::rename(&beside, path))
        .and_then(|()| sync_folder(path))
        .inspect_err(|_| drop(fs::remove_file(&beside))) // a full disk needs the room
}

/// Writes a file that was not there before. What has its name is removed and not written through: in a store
/// from elsewhere it may be a link to another file.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A renamed file is there after a crash once its folder is flushed.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_the_way_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("9.json"), dir.path().join("precious"));
        fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, dir.path().join("9.tmp")).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"kept");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!path.is_symlink() && !dir.path().join("9.tmp").exists());
    }

    #[test]
    fn where_it_fails_the_old_content_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("1.json");
        replace(&path, b"old").unwrap();
        fs::create_dir(dir.path().join("1.tmp")).unwrap();
        assert!(replace(&path, b"new").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}
