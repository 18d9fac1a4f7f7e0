//! Keeps told trials in the orders that TPE reads them in: by number, by loss, and by the value of each parameter. A
//! telling is put in its places, so that a suggestion sorts nothing, however many trials there are.

use numerics::space::{Domain, Space};

/// A trial by its place among all told trials.
type Slot = usize;

/// Told trials.
#[derive(Debug, Clone)]
pub(super) struct TpeTrials {
    space: Space,
    /// Number, configuration and loss, in the order of telling.
    told: Vec<(u64, Vec<f64>, f64)>,
    by_number: Vec<Slot>,
    by_loss: Vec<Slot>,
    /// For each parameter the places of its values in [0, 1] (of a category its index), ascending, equal ones by
    /// number.
    columns: Vec<Vec<(f64, Slot)>>,
}

/// Good trials and the others.
#[derive(Debug)]
pub(super) struct Division<'a> {
    trials: &'a TpeTrials,
    /// By number.
    good: Vec<Slot>,
    /// How many of the others have a lower number, by slot; [`GOOD`] for good ones.
    ages: Vec<usize>,
}

const GOOD: usize = usize::MAX;

impl TpeTrials {
    pub(super) fn new(space: Space) -> Self {
        let columns = space.domains().map(|_| Vec::new()).collect();
        Self { space, told: Vec::new(), by_number: Vec::new(), by_loss: Vec::new(), columns }
    }

    pub(super) fn len(&self) -> usize {
        self.told.len()
    }

    /// Records a trial; one that was told before is replaced.
    pub(super) fn tell(&mut self, number: u64, config: Vec<f64>, loss: f64) {
        let slot = match self.by_number.binary_search_by_key(&number, |&slot| self.told[slot].0) {
            Ok(at) => {
                let slot = self.by_number[at];
                self.by_loss.retain(|&other| other != slot);
                for column in &mut self.columns {
                    column.retain(|&(_, other)| other != slot);
                }
                self.told[slot] = (number, config, loss);
                slot
            }
            Err(at) => {
                let slot = self.told.len();
                self.by_number.insert(at, slot);
                self.told.push((number, config, loss));
                slot
            }
        };
        let told = &self.told;
        let before = |other: f64, slot: Slot, own: f64| match other.total_cmp(&own) {
            std::cmp::Ordering::Equal => told[slot].0 < number,
            order => order.is_lt(),
        };
        let at = self.by_loss.partition_point(|&other| before(told[other].2, other, loss));
        self.by_loss.insert(at, slot);
        for (j, (column, domain)) in self.columns.iter_mut().zip(self.space.domains()).enumerate() {
            let value = place(domain, told[slot].1[j]);
            let at = column.partition_point(|&(other, of)| before(other, of, value));
            column.insert(at, (value, slot));
        }
    }

    /// The trials with the `good` lowest losses, equal ones by number, and the others.
    pub(super) fn divide(&self, good: usize) -> Division<'_> {
        let mut ages = vec![0; self.told.len()];
        for &slot in self.by_loss.iter().take(good) {
            ages[slot] = GOOD;
        }
        let mut chosen = Vec::with_capacity(good);
        let mut others = 0;
        for &slot in &self.by_number {
            if ages[slot] == GOOD {
                chosen.push(slot);
            } else {
                ages[slot] = others;
                others += 1;
            }
        }
        Division { trials: self, good: chosen, ages }
    }
}

/// Where a value is in [0, 1]; the index of a category.
fn place(domain: Domain, value: f64) -> f64 {
    match domain {
        Domain::Categorical { .. } => value,
        Domain::Float { .. } | Domain::Int { .. } => domain.to_unit(value),
    }
}

impl Division<'_> {
    /// How many trials are good, and how many are not.
    #[cfg(test)]
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.good.len(), self.trials.len() - self.good.len())
    }

    /// The places of the good trials' values of a parameter, by number.
    pub(super) fn good(&self, parameter: usize) -> Vec<f64> {
        let domain = self.trials.space.domains().nth(parameter);
        let value = |&slot: &Slot| self.trials.told[slot].1[parameter];
        let places = domain.map(|domain| self.good.iter().map(move |s| place(domain, value(s))));
        places.into_iter().flatten().collect()
    }

    /// The places of the others' values of a parameter, ascending, each with how many of the others are older.
    pub(super) fn others(&self, parameter: usize) -> Vec<(f64, usize)> {
        let column = self.trials.columns[parameter].iter();
        let aged = column.map(|&(place, slot)| (place, self.ages[slot]));
        aged.filter(|&(_, age)| age != GOOD).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::space::Bounds;
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// Whatever is told, in whatever order and how often: as if all were sorted anew.
        #[test]
        fn the_orders_are_those_of_sorting(
            tellings in proptest::collection::vec((0..12_u64, 0..4_u8, 0..4_u8), 1..30),
            good in 0..6_usize,
        ) {
            let mut trials = TpeTrials::new(Bounds::cube(1, 1.0).unwrap().into());
            let mut last = std::collections::BTreeMap::new();
            for (number, x, loss) in tellings {
                let (x, loss) = (f64::from(x) / 4.0, f64::from(loss));
                trials.tell(number, vec![x], loss);
                last.insert(number, (x, loss));
            }
            let mut ranked: Vec<_> = last.iter().collect();
            ranked.sort_by(|a, b| a.1.1.total_cmp(&b.1.1).then(a.0.cmp(b.0)));
            let chosen: Vec<u64> = ranked.iter().take(good).map(|(number, _)| **number).collect();
            let unit = |x: f64| Bounds::cube(1, 1.0).map(numerics::space::Space::from).unwrap()
                .domains().next().unwrap().to_unit(x);
            let expected: Vec<f64> = last.iter().filter(|(n, _)| chosen.contains(n))
                .map(|(_, (x, _))| unit(*x)).collect();
            let division = trials.divide(good);
            prop_assert_eq!(division.good(0), expected);
            let mut others: Vec<(f64, usize)> = last.iter().filter(|(n, _)| !chosen.contains(n))
                .enumerate().map(|(age, (_, (x, _)))| (unit(*x), age)).collect();
            prop_assert_eq!(division.sizes(), (last.len() - others.len(), others.len()));
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            prop_assert_eq!(division.others(0), others);
        }
    }
}
