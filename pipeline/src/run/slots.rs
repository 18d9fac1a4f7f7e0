//! What the machine has to give: CPU, memory and GPU slots, taken by running stages.

use crate::stage::Needs;

/// Free and total slots.
#[derive(Clone, Debug)]
pub struct Slots {
    threads: usize,
    memory_mib: u64,
    gpus: Vec<usize>,
    total: (usize, u64, usize),
}

/// Slots a running stage holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) threads: usize,
    memory_mib: u64,
    pub(super) gpus: Vec<usize>,
}

impl Slots {
    /// A machine with this much.
    #[must_use]
    pub fn new(threads: usize, memory_mib: u64, gpus: usize) -> Self {
        let threads = threads.max(1);
        let total = (threads, memory_mib, gpus);
        Self { threads, memory_mib, gpus: (0..gpus).rev().collect(), total }
    }

    /// How many CPU slots there are in all.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.total.0
    }

    /// Takes what `needs` asks for. A stage that wants more threads or memory than the machine
    /// has gets all of it and runs alone; one that wants more GPUs is not [`Slots::possible`].
    pub(super) fn take(&mut self, needs: &Needs) -> Option<Taken> {
        let threads = needs.threads.clamp(1, self.total.0);
        let memory_mib = needs.memory_mib.min(self.total.1);
        let gpus = needs.gpus.min(self.total.2);
        if threads > self.threads || memory_mib > self.memory_mib || gpus > self.gpus.len() {
            return None;
        }
        self.threads -= threads;
        self.memory_mib -= memory_mib;
        let gpus = self.gpus.split_off(self.gpus.len() - gpus);
        Some(Taken { threads, memory_mib, gpus })
    }

    /// Whether `needs` can ever be met here.
    pub(super) fn possible(&self, needs: &Needs) -> bool {
        needs.gpus <= self.total.2
    }

    pub(super) fn give_back(&mut self, taken: Taken) {
        self.threads += taken.threads;
        self.memory_mib += taken.memory_mib;
        self.gpus.extend(taken.gpus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_never_overdrawn_and_come_back() {
        let mut slots = Slots::new(2, 1000, 1);
        let big = Needs { threads: 8, memory_mib: 5000, gpus: 1, ..Needs::default() };
        let taken = slots.take(&big).expect("clamped to the machine");
        assert_eq!((taken.threads, taken.gpus.as_slice()), (2, &[0][..]));
        assert_eq!(slots.take(&Needs::default()), None);
        slots.give_back(taken);
        assert!(slots.take(&Needs::default()).is_some());
        assert!(!slots.possible(&Needs { gpus: 2, ..Needs::default() }));
    }
}
