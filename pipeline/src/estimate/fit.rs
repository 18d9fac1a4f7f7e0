//! Seconds per operation, estimated from measurements, and the uncertainty of the estimate.

use serde::{Deserialize, Serialize};

/// The work of one execution, and the time that it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Elementary operations, positive.
    pub work: f64,
    /// Seconds.
    pub seconds: f64,
}

/// A number with bounds that contain it with probability [`LEVEL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// The expected value.
    pub middle: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// The sum of two intervals with independent errors.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let middle = self.middle + other.middle;
        let below = (self.middle - self.low).hypot(other.middle - other.low);
        let above = (self.high - self.middle).hypot(other.high - other.middle);
        Self { low: (middle - below).max(0.0), middle, high: middle + above }
    }

    /// The interval shifted by `more`.
    #[must_use]
    pub fn later(self, more: f64) -> Self {
        Self { low: self.low + more, middle: self.middle + more, high: self.high + more }
    }

    /// The interval multiplied by `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, middle: self.middle * factor, high: self.high * factor }
    }
}

/// The probability that the truth lies within an interval.
pub const LEVEL: f64 = 0.9;

/// One-sided quantiles of Student's t at 0.95, by degrees of freedom from 1.
const QUANTILES: [f64; 10] = [6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81];
const NORMAL: f64 = 1.645;
/// Shorter measurements say little: clock resolution and start-up dominate.
pub const MEASURABLE_S: f64 = 0.05;
/// Any execution takes at least this long.
const LEAST_S: f64 = 1e-5;
/// With fewer records than this, their spread is set to [`UNSURE`].
const FEW: usize = 3;
/// Standard deviation of the logarithm if records do not give it: a factor of two.
const UNSURE: f64 = std::f64::consts::LN_2;
/// The least standard deviation of the logarithm: no formula is better.
const FINEST: f64 = 0.05;
/// Standard deviation of the power of the work by which a formula errs, if records of other sizes do not give it: a
/// hundred times as much work is then wrong by a factor of up to about 6.
const POWER: f64 = 0.25;
/// Records say nothing about stages with more than this many times the work of the largest record.
const FARTHEST: f64 = 1e4;

/// The constant of a kind, with its uncertainty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Seconds per operation.
    pub constant_s: f64,
    /// The number of observations behind it.
    pub records: usize,
    /// Standard deviation of the logarithm of seconds per operation.
    pub spread: f64,
    /// The work of the observations: the least and the most.
    pub works: (f64, f64),
    /// Logarithm of the work where most of the time was spent.
    centre: f64,
    /// The power of the work by which the formula may err.
    power: f64,
}

impl Fit {
    /// The constant that fits these observations best: their total time over their total work, so that large ones,
    /// which are nearest to the stages still to come, count most.
    #[must_use]
    pub fn of(observations: &[Observation]) -> Option<Self> {
        let measurable: Vec<Observation> =
            observations.iter().copied().filter(|o| o.seconds >= MEASURABLE_S).collect();
        let all = if measurable.is_empty() { observations } else { &measurable };
        let work: f64 = all.iter().map(|o| o.work).sum();
        let seconds: f64 = all.iter().map(|o| o.seconds.max(LEAST_S)).sum();
        let constant_s = seconds / work;
        if !(constant_s.is_finite() && constant_s > 0.0) {
            return None;
        }
        let n = all.len() as f64;
        let off = |o: &Observation| (o.seconds.max(LEAST_S) / o.work / constant_s).ln();
        let spread = if all.len() < FEW {
            UNSURE
        } else {
            (all.iter().map(|o| off(o).powi(2)).sum::<f64>() / (n - 1.0)).sqrt().max(FINEST)
        };
        // The remaining power of the work, with a prior centred at zero.
        let mean = all.iter().map(|o| o.work.ln()).sum::<f64>() / n;
        let square = all.iter().map(|o| (o.work.ln() - mean).powi(2)).sum::<f64>();
        let product = all.iter().map(|o| (o.work.ln() - mean) * off(o)).sum::<f64>();
        let variance = spread.powi(2);
        let precision = POWER.powi(-2) + square / variance;
        let slope = product / variance / precision;
        let centre = all.iter().map(|o| o.work * o.work.ln()).sum::<f64>() / work;
        let bounds =
            |(least, most): (f64, f64), o: &Observation| (least.min(o.work), most.max(o.work));
        Some(Self {
            constant_s,
            records: all.len(),
            spread,
            works: all.iter().fold((f64::INFINITY, 0.0), bounds),
            centre,
            power: slope.hypot(precision.powf(-0.5)),
        })
    }

    /// The same on a machine that is slower by the factor `slowness`, with `spread` added to the uncertainty.
    pub(super) fn elsewhere(&self, slowness: f64, spread: f64) -> Self {
        let (constant_s, spread) = (self.constant_s * slowness, self.spread.hypot(spread));
        Self { constant_s, spread, ..self.clone() }
    }

    /// Seconds of stages with this total `work`, most of it in stages of work `typical` each. An error of the
    /// constant affects all of them alike.
    #[must_use]
    pub fn seconds(&self, work: f64, typical: f64) -> Interval {
        let n = self.records as f64;
        let far = typical.ln() - self.centre;
        let deviation = (self.spread.powi(2) * (1.0 + 1.0 / n) + (self.power * far).powi(2)).sqrt();
        // With few records the spread is assumed, not estimated.
        let quantile = match self.records {
            0..FEW => NORMAL,
            n => QUANTILES.get(n - 2).copied().unwrap_or(NORMAL + 1.5 / (n as f64 - 1.0)),
        };
        let (middle, factor) = (self.constant_s * work, (quantile * deviation).exp());
        Interval { low: middle / factor, middle, high: middle * factor }
    }

    /// Whether the records say anything about a stage with this much work.
    #[must_use]
    pub fn reaches(&self, work: f64) -> bool {
        work <= FARTHEST * self.works.1
    }

    /// The factor by which such a stage exceeds the largest of the records, or falls below the smallest; 1 within
    /// their range.
    #[must_use]
    pub fn beyond(&self, work: f64) -> f64 {
        (work / self.works.1).max(self.works.0 / work).max(1.0)
    }
}

/// The least ratio between large and small work at which records count as being of two sizes.
const TWO_SIZES: f64 = 4.0;

/// The factor by which seconds per operation differ between the smaller and the larger half of the measured sizes;
/// `None` if all are of about one size or too short to tell.
#[must_use]
pub fn disagreement(observations: &[Observation]) -> Option<f64> {
    let all = || observations.iter().filter(|o| o.seconds >= MEASURABLE_S);
    let bounds = |(least, most): (f64, f64), o: &Observation| (least.min(o.work), most.max(o.work));
    let (least, most) = all().fold((f64::INFINITY, 0.0), bounds);
    if all().count() == 0 || most < TWO_SIZES * least {
        return None;
    }
    let middle = (least * most).sqrt();
    let median = |large: bool| -> f64 {
        let own = all().filter(|o| (o.work > middle) == large);
        let mut rates: Vec<f64> = own.map(|o| o.seconds / o.work).collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let ratio = median(true) / median(false);
    Some(ratio.max(1.0 / ratio))
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    fn uniform(rng: &mut ChaCha12Rng) -> f64 {
        let bits = (rng.next_u64() >> 11) as f64;
        (bits + 0.5) / (1u64 << 53) as f64
    }

    fn normal(rng: &mut ChaCha12Rng) -> f64 {
        let (a, b) = (uniform(rng), uniform(rng));
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    fn exact(works: &[f64]) -> Vec<Observation> {
        works.iter().map(|&work| Observation { work, seconds: 0.003 * work }).collect()
    }

    #[test]
    fn the_constant_is_found_and_short_measurements_do_not_count() {
        let mut all = exact(&[100.0, 1000.0, 5000.0]);
        all.push(Observation { work: 1.0, seconds: 0.04 });
        let fit = Fit::of(&all).expect("fits");
        assert!((fit.constant_s - 0.003).abs() < 1e-12 && fit.records == 3, "{fit:?}");
        let one = Fit::of(&all[3..]).expect("nothing else is there");
        assert!((one.constant_s - 0.04).abs() < 1e-12);
        assert!(Fit::of(&[]).is_none());
    }

    /// For kinds whose formulas err by a power of the work and by chance, whether or not the records show it, nine of
    /// ten totals lie within their intervals, and not only because the intervals are wide.
    #[test]
    fn intervals_contain_the_truth() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let (mut inside, mut widths) = (0, Vec::new());
        let rounds = 2000;
        for _ in 0..rounds {
            let (spread, power) = (0.2 + 0.3 * uniform(&mut rng), 0.15 * normal(&mut rng));
            let mut one = |work: f64| {
                let off = power * (work / 1000.0).ln() + spread * normal(&mut rng);
                Observation { work, seconds: 0.01 * work * off.exp() }
            };
            let records: Vec<_> = (0..6).map(|i| one(100.0 * 2f64.powi(i))).collect();
            let planned: Vec<_> = (0..20).map(|_| one(50_000.0)).collect();
            let truth: f64 = planned.iter().map(|o| o.seconds).sum();
            let found = Fit::of(&records).expect("fits").seconds(20.0 * 50_000.0, 50_000.0);
            inside += u32::from((found.low..=found.high).contains(&truth));
            widths.push((found.high / found.low).sqrt());
        }
        let share = f64::from(inside) / f64::from(rounds);
        widths.sort_by(f64::total_cmp);
        assert!((LEVEL..0.995).contains(&share), "{share}");
        assert!(widths[widths.len() / 2] < 8.0, "{}", widths[widths.len() / 2]);
    }

    #[test]
    fn farther_out_is_less_sure() {
        let fit = Fit::of(&exact(&[20.0, 30.0, 50.0, 80.0])).expect("fits");
        let factor = |typical: f64| {
            let found = fit.seconds(typical, typical);
            found.high / found.middle
        };
        assert!(factor(60.0) < 1.3 && factor(6000.0) > factor(600.0), "{}", factor(60.0));
        let lone = Fit::of(&exact(&[80.0])).expect("fits").seconds(8000.0, 8000.0);
        assert!(
            lone.high / lone.middle > 4.0,
            "one record tells little of a hundred times as much"
        );
        assert!((fit.beyond(8000.0) - 100.0).abs() < 1e-9 && (fit.beyond(30.0) - 1.0).abs() < 1e-9);
        assert!(fit.reaches(1.0) && fit.reaches(8e5) && !fit.reaches(9e5), "out of sight");
    }

    #[test]
    fn errors_of_different_kinds_are_added_as_such() {
        let one = Interval { low: 7.0, middle: 10.0, high: 14.0 };
        let sum = one.plus(Interval { low: 16.0, middle: 20.0, high: 23.0 });
        assert_eq!((sum.low, sum.middle, sum.high), (25.0, 30.0, 35.0));
    }

    #[test]
    fn formulas_that_two_sizes_contradict_are_found() {
        assert!(disagreement(&exact(&[10.0, 20.0, 30.0])).is_none(), "one size");
        assert!((disagreement(&exact(&[20.0, 400.0])).expect("two") - 1.0).abs() < 1e-9);
        // The time grows with the square of the work.
        let squares =
            [10.0, 20.0, 100.0].map(|work| Observation { work, seconds: 0.01 * work * work });
        let factor = disagreement(&squares).expect("two sizes");
        assert!(factor > 4.0, "{factor}");
    }
}
