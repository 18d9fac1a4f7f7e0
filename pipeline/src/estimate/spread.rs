//! The uncertainty of the time left of a run, from how far the times of its stages were off. Ratios of measured to
//! expected seconds are taken as log-normal. The fewer stages have been measured, and the fewer long ones are left,
//! the more their spread makes the sum of what is left uncertain.

/// Before a run has measured anything, a stage is assumed to take between half and twice the expected time.
const BEFORE: f64 = std::f64::consts::LN_2;
/// This prior counts as this many measurements.
const BELIEF: f64 = 2.0;
/// Shorter times say more about the machine's scheduler than about the stage.
const SHORT_S: f64 = 0.05;
/// The normal quantile of a two-sided interval of 90 %.
const QUANTILE: f64 = 1.645;

/// What a run has learnt about how well times are predicted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    squares: f64,
    count: f64,
}

impl Spread {
    /// Adds a stage's measured and expected seconds.
    pub(super) fn hear(&mut self, measured_s: f64, expected_s: f64) {
        let ratio = (measured_s.max(SHORT_S) / expected_s.max(SHORT_S)).ln();
        if ratio.is_finite() {
            self.squares += ratio * ratio;
            self.count += 1.0;
        }
    }

    /// The factor by which the sum of what is left may be larger or smaller, with a probability of 90 %, where `left`
    /// is the number of stages of equal length that would be as uncertain as those that are left.
    pub(super) fn factor(self, left: f64) -> f64 {
        let variance = (BELIEF * BEFORE * BEFORE + self.squares) / (BELIEF + self.count);
        let terms = 1.0 / (1.0 + self.count) + 1.0 / left.max(1.0);
        (QUANTILE * (variance * terms).sqrt()).exp()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    /// A normal deviate, from the sum of twelve uniform ones.
    fn normal(rng: &mut ChaCha12Rng) -> f64 {
        (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
    }

    #[test]
    fn nine_of_ten_imagined_runs_end_within_their_interval() {
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        for (sd, done, left) in [(0.3, 5, 20), (0.7, 20, 20), (0.5, 40, 4)] {
            let mut inside = 0;
            for _ in 0..400 {
                // All stages are alike, so the average time of the first ones is what is expected of the others.
                let mut spread = Spread::default();
                let (mut sum, mut expected) = (0.0, 10.0);
                for i in 0..done {
                    let measured = 10.0 * (sd * normal(&mut rng)).exp();
                    spread.hear(measured, expected);
                    sum += measured;
                    expected = sum / f64::from(i + 1);
                }
                let actual: f64 = (0..left).map(|_| 10.0 * (sd * normal(&mut rng)).exp()).sum();
                let ratio = actual / (expected * f64::from(left));
                let factor = spread.factor(f64::from(left));
                inside += i32::from(ratio < factor && ratio > 1.0 / factor);
            }
            assert!((340..=398).contains(&inside), "sd {sd}: {inside} of 400");
        }
    }

    #[test]
    fn more_measurements_and_more_stages_left_narrow_it() {
        let mut spread = Spread::default();
        let before = spread.factor(1.0);
        assert!(before > 2.0 && spread.factor(100.0) < before);
        for _ in 0..20 {
            spread.hear(10.0, 10.0);
        }
        assert!(spread.factor(1.0) < before.sqrt());
        spread.hear(f64::NAN, 1.0);
        spread.hear(0.0, 0.0);
        assert!(spread.factor(1.0).is_finite());
    }
}
