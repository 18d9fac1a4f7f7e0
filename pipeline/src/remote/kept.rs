//! A shelf that is somebody's store, such as a recorded run: presents its results as a remote would. It is read-only.

use std::path::{Path, PathBuf};

use super::{LIST, Shared, Shelf};
use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
    store::{Store, record::Records},
};

/// The results of a store as of when it was opened.
pub(super) struct Kept {
    dir: PathBuf,
    store: Store,
    records: Records,
}

/// The folder that contains the store which `path` names: `path` itself, or its parent if `path` is a folder `store`.
pub(super) fn holder(path: &Path) -> Option<&Path> {
    if Store::exists(path) {
        return Some(path);
    }
    let above = path.parent().filter(|_| path.file_name().is_some_and(|name| name == "store"));
    above
        .map(|dir| if dir.as_os_str().is_empty() { Path::new(".") } else { dir })
        .filter(|dir| Store::exists(dir))
}

impl Kept {
    /// The store in `dir`.
    ///
    /// # Errors
    /// When it or its records cannot be read.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let store = Store::open_existing(dir)?;
        let records = store.records()?;
        Ok(Self { dir: dir.to_owned(), store, records })
    }

    /// The result with this key, in the form in which a remote keeps it.
    fn result(&self, key: Digest) -> Result<Option<Vec<u8>>> {
        let known = self.store.facts().known().done(key).is_some();
        let Some(record) = self.records.get(key).filter(|_| known) else { return Ok(None) };
        let environment = record.environment.and_then(|digest| self.store.environment(digest));
        serde_json::to_vec(&Shared { record: record.clone(), environment })
            .map(Some)
            .map_err(|e| Error::usage(format!("a result cannot be written: {e}")).because(e))
    }

    /// The file in the store for a name, if there is one.
    fn file(&self, name: &str) -> Option<PathBuf> {
        if name == LIST {
            return Some(self.dir.join(LIST));
        }
        let (_, file) = name.strip_prefix("objects/")?.split_once('/')?;
        file.strip_suffix(".parquet")?.parse().ok().map(|digest| self.store.object(digest))
    }
}

impl Shelf for Kept {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        if let Some((_, file)) = name.strip_prefix("results/").and_then(|rest| rest.split_once('/'))
        {
            let key = file.strip_suffix(".json").and_then(|key| key.parse().ok());
            return key.map_or(Ok(None), |key| self.result(key));
        }
        let Some(path) = self.file(name) else { return Ok(None) };
        match self.store.disk().read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", &path, &e)),
        }
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.get(name)?.map(|bytes| bytes.len() as u64))
    }

    fn put(&self, name: &str, _: Vec<u8>) -> Result<()> {
        let dir = self.dir.display();
        Err(Error::new(Exit::Store, format!("{dir} is a store: {name} is not put there"))
            .help("name a folder of its own for what is shared"))
    }

    fn is_read_only(&self) -> bool {
        true
    }
}
