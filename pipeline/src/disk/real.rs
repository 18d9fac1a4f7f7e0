//! The machine's own file system.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use super::{File, FileSystem, Kind, Open, Stamp};
use crate::regular;

pub(super) struct Real;

impl From<fs::FileType> for Kind {
    fn from(kind: fs::FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }
}

impl FileSystem for Real {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let mut options = OpenOptions::new();
        let file = match how {
            Open::Read => regular::open_or_folder(path)?,
            Open::Append => options.read(true).append(true).create(true).open(path)?,
            Open::New => options.write(true).create_new(true).open(path)?,
        };
        Ok(Box::new(file))
    }

    fn look(&self, path: &Path) -> io::Result<(Kind, Stamp)> {
        let meta = fs::metadata(path)?;
        Ok((meta.file_type().into(), Stamp::of(&meta)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Kind)>> {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.path(), entry.file_type()?.into()))
        };
        fs::read_dir(folder)?.map(entry).collect()
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn protect(&self, path: &Path) -> io::Result<()> {
        let mut rights = fs::metadata(path)?.permissions();
        rights.set_readonly(true);
        fs::set_permissions(path, rights)
    }
}

impl File for fs::File {
    fn stamp(&self) -> io::Result<Stamp> {
        self.metadata().map(|meta| Stamp::of(&meta))
    }

    fn cut(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }

    fn stamp_below(&self, name: &[u8]) -> io::Result<Stamp> {
        Stamp::below(self, name)
    }
}
