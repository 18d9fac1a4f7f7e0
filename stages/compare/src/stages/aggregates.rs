//! Aggregates of final scores over tasks and runs, and performance profiles \[Agarwal2021\]. A score is 1 minus the
//! normalised regret: 1 is the best configuration of the table, 0 one that is no better than half of it.

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::aggregates::Scores;

use crate::{
    resamples::Resamples,
    runs::{Run, Runs, last},
    tables::{Aggregate, Share, Trace},
};

/// Aggregates the ends of runs.
#[derive(Serialize, Deserialize)]
pub struct Aggregates {
    /// Resamples behind an interval.
    pub resamples: usize,
}

/// The aggregates, in the order of [`aggregates`].
const STATISTICS: [&str; 4] = ["interquartile mean", "mean", "median", "optimality gap"];

fn aggregates(scores: &Scores) -> [f64; 4] {
    // No score is above 1.
    [scores.interquartile_mean(), scores.mean(), scores.median(), scores.optimality_gap(1.0)]
}

/// The scores at which the profile is taken: dense near 1, where good tuners differ.
const PROFILE: [f64; 16] =
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99];

fn profile(scores: &Scores) -> [f64; PROFILE.len()] {
    PROFILE.map(|score| scores.profile(score))
}

impl Aggregates {
    /// All runs.
    pub const TRACES: In<Trace> = In::new("traces");
    /// One row per group, tuner and statistic.
    pub const MAIN: Out<Aggregate> = Out::table("main");
    /// One row per group, tuner and score.
    pub const PROFILE: Out<Share> = Out::table("profile");
}

impl Stage for Aggregates {
    const KIND: &'static str = "compare/aggregates";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::PROFILE.output()];

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::TRACES.read(cx)?);
        let (mut rows, mut shares) = (Vec::new(), Vec::new());
        let score = |run: &Run| last(run).map(|regret| 1.0 - regret);
        for group in runs.groups() {
            for &tuner in &group.tuners {
                let Some(scores) = group.scores(tuner, score) else { continue };
                let mut rng = cx.rng("resamples")?;
                let resamples = Resamples::new(scores.shape(), self.resamples, &mut rng);
                let ends = resamples.intervals(&scores, aggregates);
                let (family, tuner) = (group.name.clone(), tuner.to_owned());
                for (i, (low, high)) in ends.into_iter().enumerate() {
                    let (statistic, value) = (STATISTICS[i].to_owned(), aggregates(&scores)[i]);
                    let (family, tuner) = (family.clone(), tuner.clone());
                    rows.push(Aggregate { family, tuner, statistic, value, low, high });
                }
                let ends = resamples.intervals(&scores, profile);
                for (i, (low, high)) in ends.into_iter().enumerate() {
                    let (score, share) = (PROFILE[i], profile(&scores)[i]);
                    let (family, tuner) = (family.clone(), tuner.clone());
                    shares.push(Share { family, tuner, score, share, low, high });
                }
            }
        }
        Self::MAIN.write(cx, &rows)?;
        Self::PROFILE.write(cx, &shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_and_profile_are_in_their_order() {
        let scores = Scores::new(vec![vec![1.0, 0.5], vec![0.95, 0.55]]).unwrap();
        let found = aggregates(&scores);
        let expected = [0.75, 0.75, 0.75, 0.25];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        let shares = profile(&scores);
        assert_eq!((shares[0], shares[5], shares[15]), (1.0, 0.75, 0.25));
        assert!(PROFILE.is_sorted() && shares.is_sorted_by(|a, b| a >= b));
    }
}
