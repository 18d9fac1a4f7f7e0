//! The content of a file: what is on the disk, and what was written since, of which a power cut may keep any part.

use rand::Rng;
use rand_chacha::ChaCha12Rng;

/// A file's content.
#[derive(Default)]
pub struct Content {
    pub bytes: Vec<u8>,
    /// The bytes on the disk, and what was written since.
    flushed: Vec<u8>,
    since: Vec<Change>,
    pub changed: i64,
    pub protected: bool,
}

#[derive(Clone)]
pub enum Change {
    Added(Vec<u8>),
    Cut(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Added(more) => bytes.extend(more),
            Self::Cut(size) => bytes.truncate(*size),
        }
    }
}

impl Content {
    pub fn change(&mut self, change: Change, now: i64) {
        change.apply(&mut self.bytes);
        self.since.push(change);
        self.changed = now;
    }

    /// Applies a power cut to it.
    pub fn lose(&mut self, rng: &mut ChaCha12Rng) {
        let whole = self.bytes.len();
        match below(rng, 4) {
            0 => {}
            1 => self.bytes.clone_from(&self.flushed),
            // Its size and times were written to the disk, but its content was not.
            2 => {
                self.bytes.clone_from(&self.flushed);
                self.bytes.resize(whole, 0);
            }
            _ => {
                self.bytes.clone_from(&self.flushed);
                let kept = below(rng, self.since.len() + 1);
                self.since[..kept].iter().for_each(|change| change.apply(&mut self.bytes));
                if let Some(Change::Added(torn)) = self.since.get(kept) {
                    self.bytes.extend(&torn[..below(rng, torn.len())]);
                }
            }
        }
        self.flush();
    }

    pub fn flush(&mut self) {
        self.flushed.clone_from(&self.bytes);
        self.since.clear();
    }
}

/// A number below `n`, or 0.
pub fn below(rng: &mut ChaCha12Rng, n: usize) -> usize {
    usize::try_from(rng.next_u64() % n.max(1) as u64).expect("is below a usize")
}
