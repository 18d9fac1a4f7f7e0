//! The resources of the machine: CPU, memory and GPU slots, taken by running stages.

use crate::stage::Needs;

/// Free and total slots.
#[derive(Clone, Debug)]
pub struct Slots {
    threads: usize,
    memory_mib: u64,
    /// Free shares of each GPU.
    gpus: Vec<usize>,
    total: (usize, u64),
}

/// Slots that a running stage holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) threads: usize,
    memory_mib: u64,
    pub(super) gpus: Vec<usize>,
}

impl Taken {
    /// What a stage gets on a machine whose slots are not counted here.
    pub(super) fn elsewhere(needs: &Needs) -> Self {
        Self { threads: needs.threads.max(1), memory_mib: needs.memory_mib, gpus: Vec::new() }
    }
}

impl Slots {
    /// A machine with these resources, each of whose GPUs serves up to `shares` stages at the same time.
    #[must_use]
    pub fn new(threads: usize, memory_mib: u64, gpus: usize, shares: usize) -> Self {
        let threads = threads.max(1);
        let total = (threads, memory_mib);
        Self { threads, memory_mib, gpus: vec![shares.max(1); gpus], total }
    }

    /// The total number of CPU slots.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.total.0
    }

    /// Takes what `needs` asks for. A stage that wants more threads or memory than the machine
    /// has gets all of it and runs alone; one that wants more GPUs is not [`Slots::possible`].
    pub(super) fn take(&mut self, needs: &Needs) -> Option<Taken> {
        let threads = needs.threads.clamp(1, self.total.0);
        let memory_mib = needs.memory_mib.min(self.total.1);
        // The least used first; among equal ones, the first.
        let mut gpus: Vec<usize> = (0..self.gpus.len()).filter(|&id| self.gpus[id] > 0).collect();
        gpus.sort_by_key(|&id| std::cmp::Reverse(self.gpus[id]));
        let wanted = needs.gpus.min(self.gpus.len());
        if threads > self.threads || memory_mib > self.memory_mib || wanted > gpus.len() {
            return None;
        }
        gpus.truncate(wanted);
        self.threads -= threads;
        self.memory_mib -= memory_mib;
        for &id in &gpus {
            self.gpus[id] -= 1;
        }
        Some(Taken { threads, memory_mib, gpus })
    }

    /// Whether `needs` can ever be met here.
    pub(super) fn possible(&self, needs: &Needs) -> bool {
        needs.gpus <= self.gpus.len()
    }

    pub(super) fn give_back(&mut self, taken: Taken) {
        self.threads += taken.threads;
        self.memory_mib += taken.memory_mib;
        taken.gpus.iter().for_each(|&id| self.gpus[id] += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_never_overdrawn_and_come_back() {
        let mut slots = Slots::new(2, 1000, 1, 1);
        let big = Needs { threads: 8, memory_mib: 5000, gpus: 1, ..Needs::default() };
        let taken = slots.take(&big).expect("clamped to the machine");
        assert_eq!((taken.threads, taken.gpus.as_slice()), (2, &[0][..]));
        assert_eq!(slots.take(&Needs::default()), None);
        slots.give_back(taken);
        assert!(slots.take(&Needs::default()).is_some());
        assert!(!slots.possible(&Needs { gpus: 2, ..Needs::default() }));
    }

    #[test]
    fn stages_share_gpus_evenly() {
        let mut slots = Slots::new(8, 1000, 2, 2);
        let one = Needs { gpus: 1, ..Needs::default() };
        let taken: Vec<_> = std::iter::from_fn(|| slots.take(&one)).collect();
        let ids: Vec<_> = taken.iter().map(|taken| taken.gpus[0]).collect();
        assert_eq!(ids, [0, 1, 0, 1]);
        // Two GPUs must be two different ones.
        taken.into_iter().skip(1).for_each(|taken| slots.give_back(taken));
        let both = slots.take(&Needs { gpus: 2, ..Needs::default() }).expect("both have a share");
        assert_eq!(both.gpus, [1, 0]);
        assert_eq!(slots.take(&Needs { gpus: 2, ..Needs::default() }), None);
    }
}
