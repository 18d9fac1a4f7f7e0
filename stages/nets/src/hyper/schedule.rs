//! Hyper-parameters that follow a schedule.

use std::f64::consts::TAU;

use models::neural::self_tuning::{Hyper, Schedule};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::drawn::Drawn;

/// The schedules of all hyper-parameters.
#[derive(Debug)]
pub struct Schedules<'a> {
    hypers: &'a [Hyper],
    schedules: &'a [Schedule],
    last: Vec<f64>,
}

impl<'a> Schedules<'a> {
    /// One schedule for each.
    pub fn new(hypers: &'a [Hyper], schedules: &'a [Schedule]) -> Self {
        let start = |(hyper, schedule): (&Hyper, &Schedule)| match schedule {
            Schedule::Listed(values) => values[0],
            _ => hyper.range.value(hyper.origin()),
        };
        Self { hypers, schedules, last: hypers.iter().zip(schedules).map(start).collect() }
    }

    /// Whether any of them changes.
    pub fn vary(&self) -> bool {
        let still = |schedule: &Schedule| match schedule {
            Schedule::Fixed => true,
            Schedule::Listed(values) => values.len() == 1,
            Schedule::Noise { .. } | Schedule::Sine { .. } => false,
        };
        !self.schedules.iter().all(still)
    }

    /// The values of the last batch.
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    /// The values for a training batch, by its number from 0, the same for all its examples.
    pub fn drawn(&mut self, number: u64, batch: usize, rng: &mut ChaCha12Rng) -> Drawn {
        for (i, (hyper, schedule)) in self.hypers.iter().zip(self.schedules).enumerate() {
            let moved = match schedule {
                Schedule::Fixed => continue,
                Schedule::Noise { deviation } => {
                    let z: f64 = StandardNormal.sample(rng);
                    hyper.start + deviation * z
                }
                Schedule::Sine { amplitude, period } => {
                    hyper.start + amplitude * (TAU * number as f64 / period).sin()
                }
                Schedule::Listed(values) => values[(number as usize).min(values.len() - 1)],
            };
            let (low, high) = hyper.range.ends();
            self.last[i] = moved.clamp(low, high);
        }
        let n = self.last.len();
        Drawn::new(None, self.last.repeat(batch), n)
    }

    /// The last values, for everything.
    pub fn still(&self) -> Drawn {
        Drawn::new(None, self.last.clone(), self.last.len())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use models::neural::self_tuning::Range;

    #[test]
    fn courses_are_followed_batch_by_batch() {
        let range = Range::Interval { low: 0.0, high: 0.8 };
        let hyper = |start| Hyper { name: "p".to_owned(), range, start, shared: false };
        let hypers = [0.3, 0.4, 0.7, 0.1].map(hyper);
        let schedules = [
            Schedule::Fixed,
            Schedule::Sine { amplitude: 0.2, period: 4.0 },
            Schedule::Noise { deviation: 0.1 },
            Schedule::Listed(vec![0.5, 0.6]),
        ];
        let mut followed = Schedules::new(&hypers, &schedules);
        assert!(followed.vary());
        assert_eq!(followed.last()[3], 0.5);
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let rows: Vec<Vec<f64>> =
            (0..400).map(|k| followed.drawn(k, 2, &mut rng).row(1).to_vec()).collect();
        for (k, row) in rows.iter().enumerate() {
            assert!((row[0] - 0.3).abs() < 1e-15);
            let sine = [0.4, 0.6, 0.4, 0.2][k % 4];
            assert!((row[1] - sine).abs() < 1e-12, "{k}: {}", row[1]);
            assert!((0.0..=0.8).contains(&row[2]));
            assert_eq!(row[3], if k == 0 { 0.5 } else { 0.6 });
        }
        // Clipped at one standard deviation: 0.16 of the values are at the bound.
        let ends = rows.iter().filter(|row| row[2] == 0.8).count();
        assert!((40..90).contains(&ends), "{ends}");
    }
}
