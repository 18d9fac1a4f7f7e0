//! Workers of one process: threads that ask, evaluate and tell.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use super::{Answer, Assignment, Error, Outcome, Study};

/// How long a worker waits before it looks whether another process has told what it waits for.
const LOOK: Duration = Duration::from_millis(20);
/// After how many looks in vain a worker finds out whether the other processes have ended.
const PATIENCE: u32 = 25;

/// What the workers share.
struct Floor<'a> {
    study: &'a mut Study,
    /// Trials that are being evaluated here.
    busy: usize,
    /// Why all should stop.
    stop: Option<Result<(), Error>>,
}

/// Ends the others when a loss panics, since they would wait for it.
struct Alarm<'a, 'b>(&'b Mutex<Floor<'a>>, &'b Condvar);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(self.0).stop.get_or_insert(Ok(()));
        }
        self.1.notify_all();
    }
}

/// What is behind the mutex is whole whenever it is free, also after a panic.
fn lock<'b, 'a>(floor: &'b Mutex<Floor<'a>>) -> MutexGuard<'b, Floor<'a>> {
    floor.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Study {
    /// Evaluates trials on threads until the trials 0, …, `total` − 1 have been handed out and those handed out here are
    /// told, or the tuner has no more to ask. Several processes may do so with one file. The trials of a study that is
    /// resumed count.
    ///
    /// `loss` is called on as many threads as there are `workers` (at least one). What it returns is told: a loss, NaN
    /// for a failure, or an [`Outcome`] with the cost.
    ///
    /// # Errors
    /// If the study's file cannot be read or written, or is damaged.
    ///
    /// # Panics
    /// If `loss` does; the other workers finish their trials first, and the trial is still out.
    pub fn run<T: Into<Outcome>>(
        &mut self,
        total: u64,
        workers: usize,
        loss: impl Fn(&Assignment) -> T + Sync,
    ) -> Result<(), Error> {
        let shared = self.journal.is_some();
        let floor = Mutex::new(Floor { study: self, busy: 0, stop: None });
        let told = Condvar::new();
        thread::scope(|scope| {
            for _ in 0..workers.max(1) {
                scope.spawn(|| {
                    let alarm = Alarm(&floor, &told);
                    work(&floor, &told, shared, total, &loss);
                    drop(alarm);
                });
            }
        });
        let floor = floor.into_inner().unwrap_or_else(PoisonError::into_inner);
        floor.stop.unwrap_or(Ok(()))
    }
}

fn work<T: Into<Outcome>>(
    floor: &Mutex<Floor<'_>>,
    told: &Condvar,
    shared: bool,
    total: u64,
    loss: &impl Fn(&Assignment) -> T,
) {
    let mut here = lock(floor);
    let mut looks = 0;
    while here.stop.is_none() {
        match here.study.ask_below(total) {
            Ok(Answer::Trial(trial)) => {
                here.busy += 1;
                drop(here);
                let outcome = loss(&trial).into();
                here = lock(floor);
                here.busy -= 1;
                if let Err(error) = here.study.tell(trial.id(), outcome) {
                    // Another process may have told it, after it was given back.
                    if !matches!(error, Error::AlreadyTold { .. }) {
                        here.stop = Some(Err(error));
                    }
                }
                told.notify_all();
            }
            Ok(Answer::Wait) if shared => {
                looks += 1;
                if looks % PATIENCE == 0
                    && let Err(error) = here.study.reclaim()
                {
                    here.stop = Some(Err(error));
                }
                here = told
                    .wait_timeout(here, LOOK)
                    .map_or_else(|poisoned| poisoned.into_inner().0, |(here, _)| here);
            }
            // What is out was taken by `ask`, and cannot be told while this has the study.
            Ok(Answer::Wait) if here.busy == 0 => here.stop = Some(Ok(())),
            Ok(Answer::Wait) => here = told.wait(here).unwrap_or_else(PoisonError::into_inner),
            Ok(Answer::Done) => break,
            Err(error) => here.stop = Some(Err(error)),
        }
    }
}
