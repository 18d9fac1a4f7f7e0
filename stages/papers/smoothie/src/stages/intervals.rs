//! The intervals of the medians in Tables V to VIII, which the paper's tables lack.

use std::collections::BTreeMap;

use kit::port::{In, Out};
use pipeline::stage::{Context, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use stats::{bootstrap::interval, order::median};

use crate::tables::{ended::Ended, intervals::Interval, label::Label, standings::Standing};

/// Reads the tables' medians and what the runs ended with.
#[derive(Serialize, Deserialize)]
pub struct Intervals {}

impl Intervals {
    /// The medians.
    pub const STANDINGS: In<Standing> = In::new("standings");
    /// What each run ended with.
    pub const ENDED: In<Ended> = In::new("ended");
    /// Every treatment that has medians, on every task.
    pub const MAIN: Out<Interval> = Out::table("main");
}

impl Stage for Intervals {
    const KIND: &'static str = "smoothie/intervals";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let labels: Vec<Label> =
            Self::STANDINGS.read(cx)?.into_iter().map(|row| row.label).collect();
        let ended = Self::ENDED.read(cx)?;
        let mut rng = cx.rng("resamples")?;
        Self::MAIN.write(cx, &intervals(labels, &ended, &mut rng))
    }
}

fn intervals(labels: Vec<Label>, ended: &[Ended], rng: &mut ChaCha12Rng) -> Vec<Interval> {
    let mut treatments: BTreeMap<&Label, Vec<&Ended>> = BTreeMap::new();
    for run in ended {
        treatments.entry(&run.label).or_default().push(run);
    }
    let one = |label: Label| {
        let runs = treatments.get(&label).map_or(&[][..], Vec::as_slice);
        let mut ends = |pick: fn(&Ended) -> f64| {
            let values: Vec<f64> = runs.iter().map(|run| pick(run)).collect();
            let found = interval(&values, rng, median);
            // Ends of scores and shares: a median is no smaller and no larger than any value.
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Not `max` and `min`, which would swallow NaN.
            let low = if found.low < least { least } else { found.low };
            let high = if found.high > most { most } else { found.high };
            [low, high]
        };
        let [score_low, score_high] = ends(|run| run.score);
        let [accuracy_low, accuracy_high] = ends(|run| run.accuracy);
        let [f1_low, f1_high] = ends(|run| run.f1);
        let [pd_low, pd_high] = ends(|run| run.pd);
        let [pf_low, pf_high] = ends(|run| run.pf);
        let [precision_low, precision_high] = ends(|run| run.precision);
        Interval {
            n: runs.len(),
            label,
            score_low,
            score_high,
            accuracy_low,
            accuracy_high,
            f1_low,
            f1_high,
            pd_low,
            pd_high,
            pf_low,
            pf_high,
            precision_low,
            precision_high,
        }
    };
    labels.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn an_interval_holds_the_median_and_stays_within_the_values() {
        let run = |method: &str, repeat: u32, score: f64| Ended {
            label: Label { task: "ant".into(), method: method.into(), ..Label::default() },
            repeat,
            selection: score,
            score,
            accuracy: 1.0 - score,
            f1: 0.5,
            pd: score,
            pf: f64::NAN,
            precision: score,
            constant: false,
        };
        let scores = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0];
        let all = ["smoothie", "bohb-5", "random-5"].into_iter().flat_map(|method| {
            (0..).zip(scores).map(move |(repeat, score)| run(method, repeat, score))
        });
        let all: Vec<Ended> = all.collect();
        let labels = vec![all[8].label.clone(), all[0].label.clone()];
        let found = intervals(labels, &all, &mut ChaCha12Rng::seed_from_u64(1));
        assert_eq!(found.len(), 2, "those that are asked for");
        assert_eq!((found[0].label.method.as_str(), found[0].n), ("bohb-5", 8));
        for one in &found {
            assert!(0.0 <= one.score_low && one.score_low < 0.35 && 0.35 < one.score_high);
            assert!(one.score_high <= 1.0 && one.accuracy_low < 0.65 && one.accuracy_high > 0.65);
            assert_eq!((one.f1_low, one.f1_high), (0.5, 0.5));
            assert!(one.pf_low.is_nan() && one.pf_high.is_nan());
        }
    }
}
