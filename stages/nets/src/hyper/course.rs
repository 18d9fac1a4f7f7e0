//! Hyper-parameters that follow a course of their own.

use std::f64::consts::TAU;

use models::self_tuning::{Course, Hyper};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::drawn::Drawn;

/// The courses of all hyper-parameters.
#[derive(Debug)]
pub struct Courses<'a> {
    hypers: &'a [Hyper],
    courses: &'a [Course],
    last: Vec<f64>,
}

impl<'a> Courses<'a> {
    /// One course for each.
    pub fn new(hypers: &'a [Hyper], courses: &'a [Course]) -> Self {
        let start = |(hyper, course): (&Hyper, &Course)| match course {
            Course::Listed(values) => values[0],
            _ => hyper.range.value(hyper.origin()),
        };
        Self { hypers, courses, last: hypers.iter().zip(courses).map(start).collect() }
    }

    /// Whether any of them moves.
    pub fn vary(&self) -> bool {
        let still = |course: &Course| match course {
            Course::Fixed => true,
            Course::Listed(values) => values.len() == 1,
            Course::Noise { .. } | Course::Sine { .. } => false,
        };
        !self.courses.iter().all(still)
    }

    /// The values of the last batch.
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    /// The values for a training batch, by its number from 0, alike for its examples.
    pub fn drawn(&mut self, number: u64, batch: usize, rng: &mut ChaCha12Rng) -> Drawn {
        for (i, (hyper, course)) in self.hypers.iter().zip(self.courses).enumerate() {
            let moved = match course {
                Course::Fixed => continue,
                Course::Noise { deviation } => {
                    let z: f64 = StandardNormal.sample(rng);
                    hyper.start + deviation * z
                }
                Course::Sine { amplitude, period } => {
                    hyper.start + amplitude * (TAU * number as f64 / period).sin()
                }
                Course::Listed(values) => values[(number as usize).min(values.len() - 1)],
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
    use models::self_tuning::Range;

    #[test]
    fn courses_are_followed_batch_by_batch() {
        let range = Range::Interval { low: 0.0, high: 0.8 };
        let hyper = |start| Hyper { name: "p".to_owned(), range, start, shared: false };
        let hypers = [0.3, 0.4, 0.7, 0.1].map(hyper);
        let courses = [
            Course::Fixed,
            Course::Sine { amplitude: 0.2, period: 4.0 },
            Course::Noise { deviation: 0.1 },
            Course::Listed(vec![0.5, 0.6]),
        ];
        let mut followed = Courses::new(&hypers, &courses);
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
        // Clipped at one standard deviation: 0.16 of the values lie at the end.
        let ends = rows.iter().filter(|row| row[2] == 0.8).count();
        assert!((40..90).contains(&ends), "{ends}");
    }
}
