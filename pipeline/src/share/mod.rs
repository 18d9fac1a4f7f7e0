//! Results that are moved between a store and a remote while nothing is computed.

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

/// Calls that wait for a remote side by side.
const THREADS: usize = 8;

/// What `ask` gives for each item, in their order; several are asked at a time, and none after the first error.
///
/// # Errors
/// The first in the order of the items.
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
