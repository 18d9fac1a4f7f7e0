//! Ours against theirs: whether a tuner of ours does as well as the package that it follows, by two one-sided tests of
//! the difference of their ranks over tasks \[Schuirmann1987\].

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{equivalence::paired_equivalence, moments::mean, student::StudentMean};

use super::{
    ranks::expected_ranks,
    tables::{Difference, Parity, Placed},
};
use crate::{
    runs::{Runs, last},
    tables::Trace,
};

/// A tuner of ours and an external optimiser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The tuner of ours; none if an optimiser is in the field alone.
    pub ours: Option<String>,
    /// The external optimiser.
    pub theirs: String,
    /// Its package and version, or whose it is.
    pub package: String,
}

/// Compares ours with theirs.
#[derive(Serialize, Deserialize)]
pub struct Compared {
    /// What is compared.
    pub matches: Vec<Match>,
    /// Differences of mean ranks that do not matter.
    pub margin: f64,
}

/// Probability of finding two tuners equivalent that are not, and of finding two different that are the same.
const SIGNIFICANCE: f64 = 0.05;
/// Coverage of the interval, which lies within the margin exactly when both one-sided tests are significant.
const LEVEL: f64 = 1.0 - 2.0 * SIGNIFICANCE;
/// The origin of the tuners of this project.
const OURS: &str = "ours";

impl Compared {
    /// The runs of our tuners.
    pub const TRACES: In<Trace> = In::new("traces");
    /// The runs of external optimisers.
    pub const EXTERNAL: In<Trace> = In::new("external");
    /// One row per match.
    pub const MAIN: Out<Parity> = Out::table("main");
    /// One row per task and tuner.
    pub const FIELD: Out<Placed> = Out::table("field");
}

impl Stage for Compared {
    const KIND: &'static str = "compare/parity";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::FIELD.output()];

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut traces = Self::TRACES.read(cx)?;
        traces.extend(Self::EXTERNAL.read(cx)?);
        let (rows, field) = self.compared(&Runs::from(traces));
        Self::MAIN.write(cx, &rows)?;
        Self::FIELD.write(cx, &field)
    }
}

impl Compared {
    /// The matches of tuners that ran on all tasks, and the field: every such tuner on each task.
    fn compared(&self, runs: &Runs) -> (Vec<Parity>, Vec<Placed>) {
        // The last group has all tasks.
        let groups = runs.groups();
        let Some(all) = groups.last() else { return (Vec::new(), Vec::new()) };
        let mut field = Vec::new();
        for ((family, task), tuners) in runs.tasks() {
            let lasts = |tuner: &&str| tuners[*tuner].iter().filter_map(last).collect();
            let losses: Vec<Vec<f64>> = all.tuners.iter().map(lasts).collect();
            let ranked = all.tuners.iter().zip(&losses).zip(expected_ranks(&losses));
            field.extend(ranked.map(|((tuner, losses), rank)| Placed {
                family: family.clone(),
                task: task.clone(),
                tuner: (*tuner).to_owned(),
                origin: self.origin(tuner),
                runs: losses.len(),
                normalised: mean(losses),
                rank,
            }));
        }
        let fewest = |tuner: &str| all.tasks.iter().map(|task| task[tuner].len()).min();
        let row = |pair: &Match| {
            let ours = pair.ours.as_deref()?;
            let of = |tuner: &str| field.iter().filter(|row| row.tuner == tuner).collect();
            let (own, other): (Vec<&Placed>, Vec<&Placed>) = (of(ours), of(&pair.theirs));
            let runs = fewest(ours).filter(|_| !own.is_empty() && !other.is_empty())?;
            let ranks = |rows: &[&Placed]| rows.iter().map(|row| row.rank).collect::<Vec<_>>();
            let (rank, their_rank) = (ranks(&own), ranks(&other));
            let difference = Difference::new(&rank, &their_rank, self.margin);
            let regret =
                |rows: &[&Placed]| mean(&rows.iter().map(|r| r.normalised).collect::<Vec<_>>());
            Some(Parity {
                ours: ours.to_owned(),
                theirs: pair.theirs.clone(),
                package: pair.package.clone(),
                tasks: own.len(),
                runs,
                their_runs: fewest(&pair.theirs)?,
                field: all.tuners.len(),
                rank: mean(&rank),
                their_rank: mean(&their_rank),
                ranks: difference,
                normalised: regret(&own),
                their_normalised: regret(&other),
                found: difference.said().to_owned(),
            })
        };
        let rows = self.matches.iter().filter_map(row).collect();
        (rows, field)
    }

    fn origin(&self, tuner: &str) -> String {
        let theirs = self.matches.iter().find(|one| one.theirs == tuner);
        theirs.map_or(OURS, |one| &one.package).to_owned()
    }
}

impl Difference {
    /// Of ranks on the same tasks.
    pub(crate) fn new(ours: &[f64], theirs: &[f64], margin: f64) -> Self {
        let differences: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
        let found = StudentMean::new(&differences, LEVEL);
        Self {
            difference: found.mean,
            low: found.low,
            high: found.high,
            margin,
            p_equivalent: paired_equivalence(ours, theirs, -margin, margin).p(),
            p_different: found.p,
        }
    }

    /// What the tests say.
    pub(crate) fn said(&self) -> &'static str {
        said(self.p_equivalent, self.p_different, self.difference)
    }
}

/// What the tests say. Two tuners may differ surely and by less than matters: then they are equivalent.
fn said(equivalent: f64, different: f64, difference: f64) -> &'static str {
    if equivalent < SIGNIFICANCE {
        "equivalent"
    } else if different < SIGNIFICANCE {
        if difference < 0.0 { "ours better" } else { "theirs better" }
    } else {
        "undecided"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::tests::traces;

    fn compared(theirs: &dyn Fn(usize) -> [f64; 2]) -> (Vec<Parity>, Vec<Placed>) {
        let mut rows = Vec::new();
        for i in 0..6 {
            let task = i.to_string();
            for (seed, regret) in (0..).zip([0.25, 0.5]) {
                rows.extend(traces(["f", &task, "a"], seed, &[0.75, regret]));
            }
            for (seed, regret) in (0..).zip(theirs(i)) {
                rows.extend(traces(["f", &task, "x"], seed, &[0.0, regret]));
            }
            // One run is enough for a place in the field.
            rows.extend(traces(["f", &task, "b"], 0, &[1.0]));
        }
        let one = |ours: Option<&str>, theirs: &str| Match {
            ours: ours.map(str::to_owned),
            theirs: theirs.to_owned(),
            package: "pack 1.0".to_owned(),
        };
        let matches = vec![one(Some("a"), "x"), one(None, "y"), one(Some("a"), "z")];
        Compared { matches, margin: 0.5 }.compared(&Runs::from(rows))
    }

    #[test]
    fn the_same_is_equivalent_and_the_better_is_told() {
        let (rows, field) = compared(&|_| [0.25, 0.5]);
        assert_eq!(rows.len(), 1, "what did not run has no row");
        assert_eq!((rows[0].rank, rows[0].their_rank, rows[0].ranks.difference), (1.5, 1.5, 0.0));
        assert_eq!((rows[0].found.as_str(), rows[0].ranks.p_equivalent), ("equivalent", 0.0));
        assert_eq!((rows[0].tasks, rows[0].field, rows[0].runs), (6, 3, 2));
        assert_eq!(field.len(), 18);
        let origins: Vec<&str> = field[..3].iter().map(|row| row.origin.as_str()).collect();
        assert_eq!(origins, ["ours", "ours", "pack 1.0"]);
        let (rows, _) = compared(&|_| [0.75, 0.8]);
        assert_eq!((rows[0].ranks.difference, rows[0].found.as_str()), (-1.0, "ours better"));
        let (rows, _) = compared(&|_| [0.0, 0.125]);
        assert_eq!((rows[0].ranks.difference, rows[0].found.as_str()), (1.0, "theirs better"));
        assert_eq!((rows[0].normalised, rows[0].their_normalised), (0.375, 0.0625));
    }

    #[test]
    fn what_goes_both_ways_is_undecided() {
        let (rows, _) = compared(&|i| if i % 2 == 0 { [0.0, 0.1] } else { [0.75, 0.8] });
        assert_eq!((rows[0].ranks.difference, rows[0].found.as_str()), (0.0, "undecided"));
        assert!(
            rows[0].ranks.low < -0.5
                && rows[0].ranks.high > 0.5
                && rows[0].ranks.p_equivalent > 0.05
        );
    }

    #[test]
    fn a_sure_difference_that_does_not_matter_is_none() {
        assert_eq!(said(0.01, 0.001, 0.3), "equivalent");
        assert_eq!(said(0.2, 0.001, 0.6), "theirs better");
        assert_eq!(said(0.2, 0.3, 0.6), "undecided");
    }
}
