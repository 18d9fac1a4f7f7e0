//! A shelf in memory: for tests, and for programs that pass results around themselves.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Shelf;
use crate::error::Result;

/// Blobs in memory. Clones share the same shelf.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Memory {
    /// The blobs on the shelf.
    pub fn blobs(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf for Memory {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.blobs().get(name).cloned())
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.blobs().get(name).map(|bytes| bytes.len() as u64))
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.blobs().insert(name.to_owned(), bytes);
        Ok(())
    }
}
