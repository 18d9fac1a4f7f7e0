//! Claims of the form "this method ends at lower losses than that one": the lowest loss of each run is the
//! evidence, each problem a place.

use std::{collections::BTreeMap, marker::PhantomData};

use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use stats::{
    alternative::Alternative,
    better::Better,
    effect::cliffs_delta,
    improvement::improvement,
    moments::{mean, variance},
    rank_tests::mann_whitney::MannWhitney,
};

use super::{
    Found,
    calibration::{World, normals},
    criteria::Criteria,
    finding::{Finding, Region},
    p_value,
    rule::Rule,
    unjudged,
};
use crate::{port::In, tried::Tried};

/// Level of the test.
const ALPHA: f64 = 0.05;

/// With fewer runs of each method the test cannot reach the level, whatever the results: with 3 and 3 runs,
/// the extreme order is one of 20.
const LEAST: usize = 4;

/// The lowest loss of each run, in the order of repeats: (problem, method) → losses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lowest(BTreeMap<(String, String), Vec<f64>>);

impl From<Vec<Tried>> for Lowest {
    /// The last row of a run counts: those of a run are in the order of evaluations.
    fn from(rows: Vec<Tried>) -> Self {
        let keyed = rows.into_iter().map(|row| ((row.problem, row.method, row.repeat), row.best));
        let last: BTreeMap<_, _> = keyed.collect();
        let mut lowest = Self::default();
        for ((problem, method, _), loss) in last {
            lowest.0.entry((problem, method)).or_default().push(loss);
        }
        lowest
    }
}

/// The searches that claims rest on.
pub const SEARCHES: In<Tried> = In::new("searches");

/// Which methods the claims of a paper compare.
pub trait Compares: Clone + Send + Sync + 'static {
    /// The kind of the verdict stage.
    const CLAIMS: &'static str;
    /// The kind of the calibration stages.
    const CALIBRATION: &'static str;
    /// The module that says what is compared: `module_path!()`.
    const MODULE: &'static str;

    /// The method that should end at the lower losses, and its rival; `None` for a claim of another form.
    fn compares(id: &str) -> Option<[&'static str; 2]>;
}

/// Judges claims by the lowest losses of the methods that they compare.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Compared<C> {
    scaled_down: bool,
    #[serde(skip)]
    of: PhantomData<fn() -> C>,
}

impl<C> Compared<C> {
    /// The criteria for searches of sizes that are, or are not, below the paper's.
    #[must_use]
    pub fn new(scaled_down: bool) -> Self {
        Self { scaled_down, of: PhantomData }
    }
}

impl<C: Compares> Criteria for Compared<C> {
    const CLAIMS: &'static str = C::CLAIMS;
    const CALIBRATION: &'static str = C::CALIBRATION;
    const MODULE: &'static str = C::MODULE;
    type Evidence = Lowest;

    fn rests_on(&self, _: &str, _: &str) -> Vec<String> {
        vec![SEARCHES.role()]
    }

    fn read(&self, cx: &Context, _: &str) -> Result<Lowest, Stop> {
        Ok(SEARCHES.read_if_there(cx)?.unwrap_or_default().into())
    }

    fn find(&self, id: &str, _: &str, all: &Lowest, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
        let compared = C::compares(id).ok_or_else(|| unjudged(id))?;
        Ok((Rule::Each, all.lower(compared, rng)))
    }

    fn imagined(&self, id: &str, all: &Lowest, of: World, rng: &mut ChaCha12Rng) -> Option<Lowest> {
        Some(all.imagined(C::compares(id)?[0], of, rng))
    }

    fn scaled_down(&self, _: &str, _: &[Finding]) -> bool {
        self.scaled_down
    }
}

impl Lowest {
    /// One finding per problem: the lowest losses of `own` against those of `rival`.
    #[must_use]
    pub fn lower(&self, [own, rival]: [&str; 2], rng: &mut ChaCha12Rng) -> Vec<Finding> {
        let problems = self.0.iter().filter(|((_, method), _)| method == own);
        let each = problems.filter_map(|((problem, _), own)| {
            let rival = self.0.get(&(problem.clone(), rival.to_owned()))?;
            let p = MannWhitney::new(own, rival).p(Alternative::Less);
            let least = p_value::told(p);
            let text = format!(
                "mean {:.4} against {:.4}, one-sided {least}; value: share of pairs as low or lower",
                mean(own),
                mean(rival)
            );
            let estimate = improvement(own, rival, Better::Lower, rng);
            let met = (own.len().min(rival.len()) >= LEAST).then_some(p < ALPHA);
            let found = Finding::new(problem, estimate, text).within(Region::above(0.5)).met(met);
            Some(found.effect(cliffs_delta(own, rival), "Cliff's δ"))
        });
        each.collect()
    }

    /// The same number of runs, with the losses of all methods around one mean per problem: those of `lower`
    /// are a standard deviation lower, or not.
    #[must_use]
    pub fn imagined(&self, lower: &str, world: World, rng: &mut ChaCha12Rng) -> Self {
        let one = |((problem, method), losses): (&(String, String), &Vec<f64>)| {
            let own = self.0.iter().filter(|((other, _), _)| other == problem);
            let all: Vec<f64> = own.flat_map(|(_, losses)| losses.iter().copied()).collect();
            let (centre, deviation) = (mean(&all), variance(&all).sqrt());
            let lead = if method == lower { world.pick(deviation, 0.0) } else { 0.0 };
            let drawn = normals(losses.len(), centre - lead, deviation, rng);
            ((problem.clone(), method.clone()), drawn)
        };
        Self(self.0.iter().map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::claims::finding::Answer;

    /// Runs of two methods on one problem, whose last entries are these losses.
    fn lowest(own: &[f64], rival: &[f64]) -> Lowest {
        let run = |method: &'static str, losses: &[f64]| {
            let entry = move |(repeat, &loss): (usize, &f64)| {
                [loss + 9.0, loss].map(|best| Tried {
                    problem: "bowl".to_owned(),
                    method: method.to_owned(),
                    repeat: repeat as u32,
                    evaluation: 0,
                    loss: best,
                    best,
                })
            };
            losses.iter().enumerate().flat_map(entry).collect::<Vec<_>>()
        };
        run("a", own).into_iter().chain(run("b", rival)).collect::<Vec<_>>().into()
    }

    #[test]
    fn the_test_decides_and_few_runs_do_not() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut answer = |n: u32, shift: f64| {
            let rival: Vec<f64> = (0..n).map(f64::from).collect();
            let own: Vec<f64> = rival.iter().map(|v| v + shift).collect();
            let found = lowest(&own, &rival).lower(["a", "b"], &mut rng);
            assert_eq!((found.len(), found[0].place.as_str()), (1, "bowl"));
            found[0].answer(None)
        };
        assert_eq!(answer(10, -8.0), Answer::Yes);
        assert_eq!(answer(10, 0.0), Answer::Open, "no difference is seen, and none is excluded");
        assert_eq!(answer(10, 8.0), Answer::No);
        assert_eq!(answer(10, f64::NAN), Answer::No, "what fails is no better");
        assert_eq!(answer(3, -8.0), Answer::Open);
    }

    #[test]
    fn a_claim_holds_in_the_world_in_which_it_is_true() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let losses: Vec<f64> = (0..40).map(f64::from).collect();
        let all = lowest(&losses, &losses);
        let met = |world, rng: &mut ChaCha12Rng| {
            let found = all.imagined("a", world, rng).lower(["a", "b"], rng);
            found[0].answer(None) == Answer::Yes
        };
        let count = |world, rng: &mut ChaCha12Rng| (0..20).filter(|_| met(world, rng)).count();
        assert!(count(World::Claimed, &mut rng) > 17, "a standard deviation is seen in 40 runs");
        assert!(count(World::Absent, &mut rng) < 5);
    }
}
