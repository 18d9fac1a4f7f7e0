//! Stores checkpoints in a folder: one file, replaced atomically, so that a kill at any time leaves the last
//! checkpoint or the one before.

use std::fs::{self, File};
use std::path::PathBuf;

use tch::Tensor;

use super::checkpoint::{Checkpoint, Keep};
use crate::error::TorchError;

/// A folder with the last checkpoint of one training, in the safetensors format.
#[derive(Debug)]
pub struct Folder {
    file: PathBuf,
    new: PathBuf,
}

impl Folder {
    /// Uses this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { file: folder.join("training.safetensors"), new: folder.join("training.new") }
    }

    fn cannot(&self, what: &str, why: &dyn std::fmt::Display) -> TorchError {
        TorchError::Keep(format!("cannot {what} {}: {why}", self.file.display()))
    }
}

impl Keep for Folder {
    fn load(&mut self) -> Result<Option<Checkpoint>, TorchError> {
        if !self.file.exists() {
            return Ok(None);
        }
        let broken = |why| {
            let file = self.file.display();
            TorchError::Keep(format!("{file}: {why}; delete it to train from the start"))
        };
        Tensor::read_safetensors(&self.file).map(|all| Some(Checkpoint::new(all))).map_err(broken)
    }

    fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), TorchError> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder).map_err(|e| self.cannot("make the folder of", &e))?;
        }
        Tensor::write_safetensors(checkpoint.tensors(), &self.new)
            .map_err(|e| self.cannot("write", &e))?;
        let written = File::open(&self.new).and_then(|file| file.sync_all());
        written
            .and_then(|()| fs::rename(&self.new, &self.file))
            .map_err(|e| self.cannot("write", &e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_checkpoint_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = Folder::new(folder.path().join("within"));
        assert!(kept.load().unwrap().is_none());
        for value in [1.0, 2.5] {
            let mut checkpoint = Checkpoint::default();
            checkpoint.add_numbers("value", &[value]);
            checkpoint.add_numbers("none", &[]);
            kept.save(&checkpoint).unwrap();
        }
        let back = kept.load().unwrap().unwrap();
        assert_eq!(back.numbers("value").unwrap(), [2.5]);
        assert_eq!(back.numbers("none").unwrap(), [0.0; 0]);
    }

    #[test]
    fn a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = Folder::new(folder.path());
        fs::write(folder.path().join("training.safetensors"), "torn").unwrap();
        let error = kept.load().unwrap_err().to_string();
        assert!(error.contains("training.safetensors") && error.contains("delete it"), "{error}");
    }
}
