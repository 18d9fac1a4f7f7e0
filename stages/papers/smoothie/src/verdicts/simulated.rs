//! Simulates the findings if a claim were true, or not, from evidence of the same size that scatters as ours
//! does.

use kit::claims::{
    calibration::{World, normals, scatter},
    finding::Finding,
};
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::Estimate, moments::mean};

use super::{
    coverage::Coverage,
    evidence::{Evidence, Outcome, Place},
    guidance, outcomes, theory,
};
use crate::ranking::Ranking;

/// S6: the paper's ratio of mean β.
const RATIO: f64 = 2.5;
/// S8: the probability at the smoothest data set and at the least smooth.
const FALL: [f64; 2] = [0.9, 0.5];
/// S10: in a world without the theorems, the share of cases in which a bound holds.
const HOLDS: f64 = 0.9;
/// S12: the share of runs that end less curved, on the average of data sets.
const FLATTER: [f64; 2] = [0.95, 0.5];

/// The findings in a world; `None` for claims whose findings are drawn around levels. Data sets that are lacking are
/// so in every world.
#[must_use]
pub fn simulate(
    id: &str,
    evidence: &Evidence,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Vec<Finding>> {
    if let Some((family, holds)) = outcomes::criterion(id) {
        let one = |place| ranked(id, evidence, place, holds, world, rng);
        return Some(evidence.family(family).map(one).collect());
    }
    let coverage = Coverage::of(id, evidence);
    let told = coverage.as_ref().map(Coverage::told).unwrap_or_default();
    let mut findings = match id {
        "S6" => {
            let [own, others] = guidance::sides(evidence);
            let pooled = [own.clone(), others.clone()].concat();
            let factor = world.pick(RATIO, 1.0);
            let mut draw = |n: usize, factor: f64| -> Vec<f64> {
                (0..n).map(|_| factor * any(&pooled, rng)).collect()
            };
            let sides = [draw(own.len(), 1.0), draw(others.len(), factor)];
            vec![guidance::smoother(&sides, &told, rng)]
        }
        "S8" => {
            let chances = guidance::chances(evidence);
            vec![guidance::falls(&trend(&chances, world, rng), &told, rng)]
        }
        "S10" => {
            let holds = world.pick(1.0, HOLDS);
            let mut bounds = evidence.bounds.clone();
            let cases = bounds.values_mut().flat_map(|bounded| &mut bounded.cases);
            for [bound, exact, ridge] in cases {
                *exact = *bound * if rng.random_bool(holds) { 0.5 } else { 2.0 };
                // NaN where a theorem has no penalty.
                *ridge = world.pick(1.0, 1.1) + 0.0 * *ridge;
            }
            theory::bounds(&bounds, rng)
        }
        "S11" => {
            let leads = guidance::leads(evidence);
            let (over_any, over_low): (Vec<f64>, Vec<f64>) = leads.into_iter().unzip();
            let mut draw = |values: &[f64]| {
                let deviation = scatter(values);
                normals(values.len(), world.pick(deviation, 0.0), deviation, rng)
            };
            let drawn = draw(&over_any).into_iter().zip(draw(&over_low)).collect::<Vec<_>>();
            guidance::selects(&drawn, &told, rng)
        }
        "S12" => {
            let sets = redrawn(&theory::flattened(evidence), world, rng);
            vec![theory::flatter(&sets, &told, rng)]
        }
        _ => return None,
    };
    findings.extend(coverage.and_then(|coverage| coverage.absent()));
    Some(findings)
}

fn any(values: &[f64], rng: &mut ChaCha12Rng) -> f64 {
    if values.is_empty() { f64::NAN } else { values[rng.random_range(0..values.len())] }
}

/// S1 to S5: the scores of all treatments scatter around one value as they do around their own means, and those of
/// one of them are a standard deviation apart, or not.
fn ranked(
    id: &str,
    evidence: &Evidence,
    place: &Place,
    holds: outcomes::Holds,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Finding {
    let missing = || super::evidence::absent(place);
    let Some(real) = evidence.outcomes.get(&place.task) else { return missing() };
    let treatments = evidence.results.compared(&place.task, &real.learner);
    let names: Vec<(String, String)> = treatments.keys().cloned().collect();
    let mut residuals = Vec::new();
    for chosen in treatments.values() {
        let scores: Vec<f64> = chosen.iter().map(|c| c.score).collect();
        let centre = mean(&scores);
        residuals.extend(scores.iter().map(|score| score - centre));
    }
    let lead = scatter(&residuals) * direction(id, place, world);
    let apart = apart(id, &names, &real.learner, rng);
    let draw = |((i, chosen), rng): ((usize, usize), &mut ChaCha12Rng)| {
        let lead = if Some(i) == apart { lead } else { 0.0 };
        (0..chosen).map(|_| lead + any(&residuals, rng)).collect::<Vec<f64>>()
    };
    let sizes = treatments.values().map(Vec::len).enumerate();
    let scores: Vec<Vec<f64>> = sizes.map(|treatment| draw((treatment, rng))).collect();
    let ranking = Ranking::new(&names, &real.learner, &scores);
    let Some(outcome) = ranking.and_then(|all| Outcome::of(&all.treatments, &real.learner)) else {
        return missing();
    };
    let estimate = Estimate::exact(f64::NAN, scores.len());
    let found = Finding::new(&place.task, estimate, String::new()).in_paper(place.in_paper);
    found.met(holds(place, &outcome))
}

/// The treatment, (method, learner), whose scores are apart: SMOOTHIE, which `learner` represents; but methods do
/// not tie either where one of the others leads, so that in S4 it is in half of the cases one of these.
fn apart(
    id: &str,
    names: &[(String, String)],
    learner: &str,
    rng: &mut ChaCha12Rng,
) -> Option<usize> {
    let own = |(method, of): &(String, String)| method == "smoothie" && of == learner;
    let others: Vec<usize> = (0..names.len()).filter(|&i| names[i].0 != "smoothie").collect();
    if id == "S4" && !others.is_empty() && rng.random_bool(0.5) {
        return Some(others[rng.random_range(0..others.len())]);
    }
    names.iter().position(own)
}

/// The shift of those scores in a world, in standard deviations.
fn direction(id: &str, place: &Place, world: World) -> f64 {
    match (id, world) {
        ("S1" | "S2", World::Claimed) => 1.0,
        ("S3", World::Claimed) => -1.0,
        ("S4", World::Absent) => 1.0,
        ("S5", World::Claimed) => match place.published.as_deref() {
            Some("win") => 1.0,
            Some("loss") => -1.0,
            _ => 0.0,
        },
        _ => 0.0,
    }
}

/// How much alike the runs on one data set are: the correlation of their outcomes, by which the shares of data
/// sets scatter more than those of independent runs. `sets` has the share and the number of runs of each.
fn alike(sets: &[(f64, f64)]) -> f64 {
    let (shares, lone): (Vec<f64>, Vec<f64>) =
        sets.iter().map(|(share, n)| (*share, 1.0 / n)).unzip();
    let (centre, lone) = (mean(&shares), mean(&lone));
    let scattered = scatter(&shares).powi(2) / (centre * (1.0 - centre));
    let found = (scattered - lone) / (1.0 - lone);
    if found.is_finite() { found.clamp(0.0, 1.0) } else { 0.0 }
}

/// The outcomes of `n` runs on one data set, each of which holds with the probability `p`: with the probability
/// `alike` all are the same, otherwise they are independent, so that `alike` is their correlation.
fn together(n: usize, p: f64, alike: f64, rng: &mut ChaCha12Rng) -> Vec<bool> {
    if alike > 0.0 && rng.random_bool(alike) {
        return vec![rng.random_bool(p); n];
    }
    (0..n).map(|_| rng.random_bool(p)).collect()
}

/// S8: shares around a line that falls with the logarithm of β, or all around one value; runs on one data set are
/// as much alike as they are.
fn trend(
    chances: &[guidance::Chance],
    world: World,
    rng: &mut ChaCha12Rng,
) -> Vec<guidance::Chance> {
    let log = |c: &guidance::Chance| c.beta.max(f64::MIN_POSITIVE).ln();
    let least = chances.iter().map(log).fold(f64::INFINITY, f64::min);
    let most = chances.iter().map(log).fold(f64::NEG_INFINITY, f64::max);
    let alike = alike(&chances.iter().map(|c| (c.share, c.n)).collect::<Vec<_>>());
    let [high, low] = FALL;
    let one = |chance: &guidance::Chance| {
        let course = (log(chance) - least) / (most - least).max(f64::MIN_POSITIVE);
        let p = world.pick(high + course * (low - high), 0.5 * (high + low));
        let share = theory::share_of(&together(chance.n as usize, p, alike, rng));
        guidance::Chance { share, ..*chance }
    };
    chances.iter().map(one).collect()
}

/// S12: as many runs on each data set, which are as much alike as they are.
fn redrawn(sets: &[Vec<bool>], world: World, rng: &mut ChaCha12Rng) -> Vec<Vec<bool>> {
    let shares = sets.iter().map(|runs| (theory::share_of(runs), runs.len() as f64));
    let alike = alike(&shares.collect::<Vec<_>>());
    let [claimed, absent] = FLATTER;
    let p = world.pick(claimed, absent);
    sets.iter().map(|runs| together(runs.len(), p, alike, rng)).collect()
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::verdicts::evidence::Epochs;
    use kit::claims::finding::Answer;

    #[test]
    fn in_the_world_without_ties_smoothie_leads_or_another_method_does() {
        let names = [("bohb-5", "LR"), ("ghost", "FF"), ("smoothie", "LR"), ("smoothie", "NB")]
            .map(|(method, learner)| (method.to_owned(), learner.to_owned()));
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let mut leads = |id: &str| {
            let mut counts = [0; 4];
            for _ in 0..400 {
                counts[apart(id, &names, "LR", &mut rng).unwrap()] += 1;
            }
            counts
        };
        // Half and two quarters of 400, to within three standard deviations.
        let [bohb, ghost, own, other] = leads("S4");
        assert!(other == 0 && own > 170 && own < 230 && bohb > 74 && ghost > 74);
        assert_eq!(leads("S1"), [0, 0, 400, 0]);
        assert_eq!(apart("S1", &names[..2], "LR", &mut rng), None);
    }

    #[test]
    fn a_falling_trend_is_found_in_the_claimed_world() {
        let chance = |i: u32| guidance::Chance { beta: f64::from(i), share: 0.7, n: 20.0 };
        let chances: Vec<_> = (1..=20).map(chance).collect();
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let mut answer = |world| {
            let drawn = trend(&chances, world, &mut rng);
            guidance::falls(&drawn, "all", &mut rng).answer(None)
        };
        assert_eq!(answer(World::Claimed), Answer::Yes);
        assert_ne!(answer(World::Absent), Answer::Yes);
    }

    #[test]
    fn runs_of_a_data_set_are_drawn_as_much_alike_as_they_are() {
        let sets = |of: &[usize]| -> Vec<Vec<bool>> {
            of.iter().map(|&n| (0..20).map(|i| i < n).collect()).collect()
        };
        let found = |of: &[usize]| {
            let shares = sets(of).into_iter().map(|runs| (theory::share_of(&runs), 20.0));
            alike(&shares.collect::<Vec<_>>())
        };
        assert_eq!(found(&[20, 0, 20, 0, 20, 0, 20, 0]), 1.0, "all or none");
        assert_eq!(found(&[10; 8]), 0.0, "no more scatter than of single runs");
        assert_eq!((found(&[20; 8]), alike(&[])), (0.0, 0.0), "no scatter at all");
        // Shares of 0.25 and 0.75 have a variance of 1/14, 2/7 of that of one run; 20 runs have 1/20 by themselves.
        let some = found(&[5, 15, 5, 15, 5, 15, 5, 15]);
        assert!((some - (2.0 / 7.0 - 0.05) / 0.95).abs() < 1e-9, "{some}");

        let mut rng = ChaCha12Rng::seed_from_u64(6);
        let draws: Vec<f64> =
            (0..4000).map(|_| theory::share_of(&together(20, 0.5, some, &mut rng))).collect();
        // The same variance, known to 0.0017.
        assert!((mean(&draws) - 0.5).abs() < 0.015, "{}", mean(&draws));
        assert!(
            (scatter(&draws).powi(2) - 1.0 / 14.0).abs() < 0.006,
            "{}",
            scatter(&draws).powi(2)
        );
        let all = redrawn(&sets(&[20, 0, 20, 0]), World::Absent, &mut rng);
        assert!(all.iter().all(|runs| runs.len() == 20 && runs.iter().all(|r| *r == runs[0])));
    }

    #[test]
    fn who_wins_where_depends_on_the_claim() {
        let place = |published: Option<&str>| Place {
            task: "t".to_owned(),
            family: "bayesmark".to_owned(),
            in_paper: true,
            software: false,
            published: published.map(str::to_owned),
            epochs: Epochs::default(),
            scaled_down: false,
        };
        let at = |id, published, world| direction(id, &place(published), world);
        assert_eq!(at("S1", None, World::Claimed), 1.0);
        assert_eq!(at("S3", None, World::Claimed), -1.0);
        assert_eq!(at("S4", None, World::Claimed), 0.0);
        assert_eq!(at("S4", None, World::Absent), 1.0);
        assert_eq!(at("S5", Some("loss"), World::Claimed), -1.0);
        assert_eq!(at("S5", Some("loss"), World::Absent), 0.0);
    }
}
