//! A shelf that is a tar archive of a shelf in a folder, such as a downloaded deposit. It is read-only.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Read,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{LIST, Shelf};
use crate::error::{Error, Exit, Result};

/// The files of an archive.
pub(super) struct Archive {
    path: PathBuf,
    file: File,
    /// Name → its offset and its size in bytes.
    files: BTreeMap<String, (u64, u64)>,
}

/// The folders of a shelf: what precedes them in the archive is the name of the packed folder.
const FOLDERS: [&str; 2] = ["objects/", "results/"];

impl Archive {
    /// The archive at `path`, whose list of files is read now.
    ///
    /// # Errors
    /// When it cannot be read or is not a tar archive.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let io = |e: std::io::Error| Error::io("read", path, &e);
        let file = File::open(path).map_err(io)?;
        let mut files = BTreeMap::new();
        let mut archive = tar::Archive::new(&file);
        for entry in archive.entries_with_seek().map_err(io)? {
            let entry = entry.map_err(io)?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            // The folder's own name may precede it.
            let begin = |folder: &&str| {
                let inner = name.find(&format!("/{folder}")).map(|at| at + 1);
                if name.starts_with(*folder) { Some(0) } else { inner }
            };
            let list = name.ends_with(&format!("/{LIST}")).then(|| name.len() - LIST.len());
            let list = if name == LIST { Some(0) } else { list };
            if let Some(at) = FOLDERS.iter().find_map(begin).or(list) {
                files.insert(name[at..].to_owned(), (entry.raw_file_position(), entry.size()));
            }
        }
        if files.is_empty() {
            return Err(Error::new(Exit::Store, format!("{} has no results", path.display()))
                .help(
                    "a remote's folder, packed with `tar`, has the folders objects and results",
                ));
        }
        Ok(Self { path: path.to_owned(), file, files })
    }
}

impl Shelf for Archive {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(&(at, size)) = self.files.get(name) else { return Ok(None) };
        let io = |e: std::io::Error| Error::io("read", &self.path, &e);
        let mut bytes = Vec::new();
        Section { file: &self.file, at, left: size }.read_to_end(&mut bytes).map_err(io)?;
        Ok(Some(bytes))
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.files.get(name).map(|(_, size)| *size))
    }

    fn put(&self, name: &str, _: Vec<u8>) -> Result<()> {
        let archive = self.path.display();
        Err(Error::new(Exit::Store, format!("{archive} is only read: {name} cannot be put there")))
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

/// A part of a file that several threads read at the same time.
struct Section<'a> {
    file: &'a File,
    at: u64,
    left: u64,
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.file.read_at(&mut buffer[..most], self.at)?;
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}
