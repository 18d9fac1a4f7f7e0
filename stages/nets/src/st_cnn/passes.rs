//! Batches of a part of the data, pass by pass, each in its own order.

use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha12Rng;

use crate::error::TorchError;
use crate::hyper::Checkpoint;

/// The position of the batches of one part.
#[derive(Debug)]
pub struct Passes {
    batch: usize,
    /// The order of this pass.
    order: Vec<usize>,
    /// Number of its examples that were taken.
    taken: usize,
    /// Number of completed passes.
    over: usize,
    /// The generator before and after it drew this pass's order.
    rng: [ChaCha12Rng; 2],
}

impl Passes {
    /// For this many examples in batches of this size; the last batch of a pass may be smaller.
    ///
    /// # Panics
    /// If one of them is 0.
    pub fn new(examples: usize, batch: usize, rng: ChaCha12Rng) -> Self {
        assert!(examples > 0 && batch > 0, "a batch has an example");
        let rng = [rng.clone(), rng];
        let mut passes = Self { batch, order: vec![0; examples], taken: 0, over: 0, rng };
        passes.shuffle();
        passes
    }

    /// Number of completed passes.
    pub fn over(&self) -> usize {
        self.over
    }

    /// Number of examples in the next batch.
    pub fn size(&self) -> usize {
        self.batch.min(self.order.len() - self.taken)
    }

    /// The examples of the next batch.
    pub fn take(&mut self) -> Vec<usize> {
        let size = self.size();
        let rows = self.order[self.taken..self.taken + size].to_vec();
        self.taken += size;
        if self.taken == self.order.len() {
            (self.taken, self.over) = (0, self.over + 1);
            self.shuffle();
        }
        rows
    }

    fn shuffle(&mut self) {
        self.rng[0] = self.rng[1].clone();
        self.order.iter_mut().enumerate().for_each(|(i, row)| *row = i);
        self.order.shuffle(&mut self.rng[1]);
    }

    /// Adds the position to a checkpoint.
    pub fn save(&self, name: &str, all: &mut Checkpoint) {
        all.add_generator(&format!("{name}.order"), &self.rng[0]);
        all.add_numbers(&format!("{name}.position"), &[self.taken as f64, self.over as f64]);
    }

    /// Restores the position from a checkpoint.
    ///
    /// # Errors
    /// If it belongs to another part.
    pub fn resume(&mut self, name: &str, from: &Checkpoint) -> Result<(), TorchError> {
        let key = format!("{name}.position");
        let position = from.numbers(&key)?;
        let fits = |taken: &f64| (*taken as usize) < self.order.len();
        let [taken, over] = position[..] else { return Err(TorchError::Checkpoint(key)) };
        if !fits(&taken) {
            return Err(TorchError::Checkpoint(key));
        }
        self.rng[1] = from.generator(&format!("{name}.order"))?;
        self.shuffle();
        (self.taken, self.over) = (taken as usize, over as usize);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn passes() -> Passes {
        Passes::new(10, 4, ChaCha12Rng::seed_from_u64(1))
    }

    #[test]
    fn every_pass_takes_each_example_once_in_another_order() {
        let mut passes = passes();
        let mut orders = Vec::new();
        for pass in 0..3 {
            let mut order = Vec::new();
            for size in [4, 4, 2] {
                assert_eq!((passes.over(), passes.size()), (pass, size));
                order.extend(passes.take());
            }
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..10));
            orders.push(order);
        }
        assert!(orders[0] != orders[1] && orders[1] != orders[2]);
    }

    #[test]
    fn a_checkpoint_goes_on_where_it_was() {
        for taken in 0..7 {
            let mut first = passes();
            (0..taken).for_each(|_| _ = first.take());
            let mut checkpoint = Checkpoint::default();
            first.save("part", &mut checkpoint);
            let mut second = Passes::new(10, 4, ChaCha12Rng::seed_from_u64(2));
            second.resume("part", &checkpoint).unwrap();
            for _ in 0..8 {
                assert_eq!((first.over(), first.take()), (second.over(), second.take()));
            }
            assert!(second.resume("another", &checkpoint).is_err());
            let mut small = Passes::new(4, 4, ChaCha12Rng::seed_from_u64(2));
            assert_eq!(small.resume("part", &checkpoint).is_ok(), taken % 3 == 0, "{taken}");
        }
    }
}
