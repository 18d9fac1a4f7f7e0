//! Results that are moved between a store and a remote without computing anything.

pub mod pull;
pub mod push;

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::error::Result;

/// Threads that wait for a remote in parallel.
const THREADS: usize = 8;

/// What `ask` returns for each item, in the order of the items; several are asked at the same time, and none after
/// the first error.
///
/// # Errors
/// The first error in the order of the items.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    ask: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..THREADS.min(items.len()) {
            scope.spawn(|| {
                while failed.load(Ordering::Relaxed) == 0 {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let answer = ask(item);
                    failed.fetch_add(usize::from(answer.is_err()), Ordering::Relaxed);
                    answers.lock().unwrap_or_else(PoisonError::into_inner).push((at, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_unstable_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
