//! Reads files that somebody else may have put there: reading a pipe in the place of a file would never end, and a
//! stage may leave any number of bytes. Pipes and devices are refused; the number of bytes that are read is limited
//! if the caller gives a limit.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use nix::fcntl::OFlag;

/// Opens a regular file for reading.
///
/// # Errors
/// When it cannot be opened, or is not a regular file.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = open_or_folder(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// Opens a regular file for reading, or a folder to look up files below it.
///
/// # Errors
/// When it cannot be opened, or is neither of the two.
pub(crate) fn open_or_folder(path: &Path) -> io::Result<File> {
    // Opening a pipe without a writer would block; the flag has no effect on anything else.
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() || kind.is_dir() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// All bytes of a regular file.
///
/// # Errors
/// As [`open`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, u64::MAX - 1)
}

/// The bytes of a regular file, which may be at most `most`.
///
/// # Errors
/// As [`open`], and when it has more.
pub(crate) fn read_up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {most} bytes")));
    }
    Ok(bytes)
}

/// The last bytes of a regular file, at most `most`.
///
/// # Errors
/// As [`open`].
pub(crate) fn last(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_pipe_and_a_folder_are_refused_and_a_file_has_a_limit() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, file) = (dir.path().join("pipe"), dir.path().join("file"));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        fs::write(&file, "0123456789").unwrap();
        assert_eq!(read(&pipe).unwrap_err().to_string(), "it is not a regular file");
        assert_eq!(read(dir.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read(&dir.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read(&file).unwrap(), b"0123456789");
        assert_eq!(read_up_to(&file, 10).unwrap(), b"0123456789");
        assert_eq!(read_up_to(&file, 9).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(last(&file, 3).unwrap(), b"789");
        assert_eq!(last(&file, 30).unwrap(), b"0123456789");
    }
}
