//! Limits around any shelf: a place that hangs counts as one that cannot be reached, and a blob that is larger than
//! any result is not read. Each operation has a thread of its own; after the limit, nobody waits for it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::Shelf;
use crate::error::{Error, Exit, Result};

/// Limits on time and size.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// An operation takes at most this long, plus the time for transferring its bytes.
    pub patience: Duration,
    /// The slowest accepted connection, in bytes per second.
    pub slowest: u64,
    /// The size of the largest blob, in bytes.
    pub largest: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { patience: Duration::from_mins(1), slowest: 256 << 10, largest: 4 << 30 }
    }
}

/// How often a waiting operation checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// A shelf with limits.
pub(super) struct Limited {
    shelf: Arc<dyn Shelf>,
    limits: Limits,
    cancelled: AtomicBool,
}

impl Limited {
    pub(super) fn new(shelf: Box<dyn Shelf>, limits: Limits) -> Self {
        Self { shelf: shelf.into(), limits, cancelled: AtomicBool::new(false) }
    }

    /// Ends every operation at once, including later ones; or allows them again.
    pub(super) fn cancel(&self, cancelled: bool) {
        self.cancelled.store(cancelled, Ordering::Relaxed);
    }

    fn within<T: Send + 'static>(
        &self,
        name: &str,
        bytes: u64,
        operation: impl FnOnce(&dyn Shelf, &str) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = channel();
        let (shelf, own) = (Arc::clone(&self.shelf), name.to_owned());
        thread::spawn(move || sender.send(operation(&*shelf, &own)));
        let limit = self.limits.patience + Duration::from_secs(bytes / self.limits.slowest.max(1));
        let start = Instant::now();
        loop {
            match receiver.recv_timeout(LOOK.min(limit)) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(Exit::Store, format!("the remote failed at {name}")));
                }
                Err(RecvTimeoutError::Timeout) if self.cancelled.load(Ordering::Relaxed) => {
                    return Err(Error::new(Exit::Interrupted, "the remote is no longer asked"));
                }
                Err(RecvTimeoutError::Timeout) if start.elapsed() >= limit => {
                    let seconds = limit.as_secs_f64();
                    let why = format!("the remote did not answer within {seconds:.0} s ({name})");
                    return Err(Error::new(Exit::Store, why));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Shelf for Limited {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(size) = self.size(name)? else { return Ok(None) };
        let most = self.limits.largest;
        if size > most {
            let why = format!("{name} has {size} bytes on the remote, more than {most}");
            return Err(Error::new(Exit::Store, why));
        }
        self.within(name, size, |shelf, name| shelf.get(name))
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        self.within(name, 0, |shelf, name| shelf.size(name))
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.within(name, bytes.len() as u64, |shelf, name| shelf.put(name, bytes))
    }

    fn is_read_only(&self) -> bool {
        self.shelf.is_read_only()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Memory, *};

    /// Never answers, or claims any size for a blob.
    struct Odd {
        size: Option<u64>,
    }

    impl Shelf for Odd {
        fn get(&self, _: &str) -> Result<Option<Vec<u8>>> {
            unreachable!("nothing is read that is too large")
        }

        fn size(&self, _: &str) -> Result<Option<u64>> {
            if self.size.is_none() {
                thread::sleep(Duration::from_hours(1));
            }
            Ok(self.size)
        }

        fn put(&self, _: &str, _: Vec<u8>) -> Result<()> {
            thread::sleep(Duration::from_hours(1));
            Ok(())
        }
    }

    fn limited(shelf: impl Shelf + 'static, patience: u64) -> Limited {
        let limits = Limits { patience: Duration::from_millis(patience), ..Limits::default() };
        Limited::new(Box::new(shelf), limits)
    }

    #[test]
    fn a_shelf_that_hangs_cannot_be_reached() {
        let shelf = limited(Odd { size: None }, 50);
        for error in [
            shelf.get("x").map(drop).unwrap_err(),
            shelf.size("x").map(drop).unwrap_err(),
            shelf.put("x", Vec::new()).unwrap_err(),
        ] {
            assert!(error.to_string().contains("did not answer within 0 s (x)"), "{error}");
        }
    }

    #[test]
    fn waiting_ends_when_it_is_cancelled() {
        let shelf = limited(Odd { size: None }, 1_000_000);
        shelf.cancel(true);
        assert_eq!(shelf.size("x").unwrap_err().exit(), Exit::Interrupted);
    }

    #[test]
    fn what_is_too_large_is_not_read() {
        let shelf = limited(Odd { size: Some(u64::MAX) }, 10_000);
        assert!(shelf.get("x").unwrap_err().to_string().contains("more than 4294967296"));
        let shelf = limited(Memory::default(), 10_000);
        assert_eq!(shelf.get("x").unwrap(), None);
        shelf.put("x", vec![1, 2]).unwrap();
        assert_eq!(shelf.get("x").unwrap(), Some(vec![1, 2]));
    }
}
