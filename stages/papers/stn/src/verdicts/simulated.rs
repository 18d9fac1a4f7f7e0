//! Simulates the evidence as it would be if a claim were true, or not: the existing tables with other values
//! in the columns that its criterion uses, and the same number of rows.

use std::collections::{BTreeMap, BTreeSet};

use kit::claims::calibration::{World, normals, scatter};
use rand_chacha::ChaCha12Rng;
use stats::moments::{mean, variance};

use super::{
    courses,
    evidence::Evidence,
    fixed_grid::{FixedGrid, is_fixed},
    perplexities::Results,
};
use crate::tables::collected::{Collected, CollectedEpoch, CollectedStep};

/// The evidence in a world; `None` for claims whose findings are drawn around levels.
pub fn evidence(
    id: &str,
    evidence: &Evidence,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Evidence> {
    let mut all = evidence.clone();
    match id {
        "N5" => {
            let so = halves(world, rng);
            all.table_1.iter_mut().for_each(|rows| replayed(rows, so, rng));
        }
        "N6" => {
            if let Some(steps) = &mut all.starts_steps {
                starts(steps, evidence.starts_epochs.as_deref()?, world, rng);
            }
        }
        "N10" => {
            all.dropouts.iter_mut().for_each(|rows| dropouts(rows, world, rng));
            all.table_1.iter_mut().for_each(|rows| greedy(rows, world, rng));
        }
        _ => return None,
    }
    Some(all)
}

/// The replicates of a table.
fn replicates(rows: &[Collected]) -> BTreeSet<u32> {
    rows.iter().map(|row| row.which.replicate).collect()
}

/// How much the difference of two methods' losses scatters between replicates.
fn spread(results: &Results, [a, b]: [&str; 2], replicates: &BTreeSet<u32>) -> f64 {
    let gap = |&r: &u32| results.least(a, r) - results.least(b, r);
    scatter(&replicates.iter().map(gap).filter(|gap| gap.is_finite()).collect::<Vec<_>>())
}

/// Which halves of N5 are so: both, or without the effect one of them, drawn by lot. Were neither so, the criterion
/// would be met for nothing only as often as the product of both says, however little one of them tells.
fn halves(world: World, rng: &mut ChaCha12Rng) -> [bool; 2] {
    let first = normals(1, 0.0, 1.0, rng)[0] > 0.0;
    world.pick([true, true], [first, !first])
}

/// N5: Table 1's validation losses. The STN is always ahead of the best fixed value by what it is in the paper. Its
/// schedule loses what it does there; or, if that is not so, a third of the gain. Its final value is as much worse than
/// the best as there; or it is as good as what is best on average, and compared with the least of a grid of trainings
/// that are as noisy. Differences of losses have no level, so that the paper's have their meaning on a text of another
/// perplexity; they scatter as observed.
fn replayed(rows: &mut [Collected], [nearly, alone_worse]: [bool; 2], rng: &mut ChaCha12Rng) {
    let paper = |worse: f64, better: f64| (worse / better).ln();
    let gain = paper(85.83, 82.58);
    let lost = if nearly { paper(82.87, 82.58) } else { gain / 3.0 };
    let worse = paper(89.65, 85.83);
    let replicates = replicates(rows);
    let results = Results::from(&*rows);
    let spreads = [["fixed", "stn"], ["schedule", "stn"], ["final-value", "fixed"]]
        .map(|pair| spread(&results, pair, &replicates));
    let grid = FixedGrid::of(rows);
    for row in rows.iter_mut().filter(|row| is_fixed(row)) {
        row.outcome.perplexity = Some(grid.again(&row.which, rng).exp());
    }
    let results = Results::from(&*rows);
    let mut drawn = BTreeMap::new();
    for &replicate in &replicates {
        let fixed = results.least("fixed", replicate);
        let mut around = |centre: f64, i: usize| centre + normals(1, 0.0, spreads[i], rng)[0];
        let stn = fixed - around(gain, 0);
        let schedule = stn + around(lost, 1);
        let last =
            if alone_worse { fixed + around(worse, 2) } else { grid.as_good(replicate, rng) };
        let all = [("stn", stn), ("schedule", schedule), ("final-value", last)];
        drawn.extend(all.map(|(method, loss)| ((replicate, method), loss)));
    }
    for row in rows {
        if let Some(loss) = drawn.get(&(row.which.replicate, row.which.method.as_str())) {
            row.outcome.perplexity = Some(loss.exp());
        }
    }
}

/// N6: the schedules of a replicate lie side by side, the outer ones about 0.03 apart or 0.3. A distance has no sign,
/// so that it scatters by factors between replicates: by those observed.
fn starts(
    steps: &mut [CollectedStep],
    epochs: &[CollectedEpoch],
    world: World,
    rng: &mut ChaCha12Rng,
) {
    let all = courses::schedules(steps);
    let logs = courses::spreads(&all, epochs).into_iter().map(f64::ln);
    let deviation = scatter(&logs.filter(|log| log.is_finite()).collect::<Vec<_>>());
    let centre = world.pick(0.03_f64, courses::APART).ln();
    let apart: BTreeMap<u32, f64> =
        all.keys().copied().zip(normals(all.len(), centre, deviation, rng)).collect();
    for row in steps {
        let replicate = row.which.replicate;
        let own = &all[&replicate];
        let rank = own.range(..courses::start(&row.which)).count() as f64;
        let share = rank / (own.len() - 1).max(1) as f64;
        row.at = 0.5 + apart[&replicate].exp() * (share - 0.5);
    }
}

/// N10: losses grow with the distance of the two rates' sum from the best one, which moves from the smallest
/// to the largest during a training, or stays in the middle. Replicates scatter as observed.
fn dropouts(rows: &mut [CollectedEpoch], world: World, rng: &mut ChaCha12Rng) {
    let rates = |row: &CollectedEpoch| {
        [row.which.value, row.which.second].map(|rate| rate.unwrap_or(f64::NAN))
    };
    let sum = |row: &CollectedEpoch| rates(row).iter().sum::<f64>();
    let ends = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let (least, most) = ends(&rows.iter().map(sum).collect::<Vec<_>>());
    let (lowest, highest) = ends(&rows.iter().map(|row| row.ended.valid_loss).collect::<Vec<_>>());
    let slope = (highest - lowest) / (most - least).max(f64::MIN_POSITIVE);
    let mut cells: BTreeMap<(usize, [u64; 2]), Vec<f64>> = BTreeMap::new();
    for row in rows.iter() {
        let cell = (row.ended.epoch, rates(row).map(f64::to_bits));
        cells.entry(cell).or_default().push(row.ended.valid_loss);
    }
    let spread =
        mean(&cells.values().map(|c| variance(c)).filter(|v| v.is_finite()).collect::<Vec<_>>());
    let spread = if spread.is_finite() { spread.sqrt() } else { 0.0 };
    let epochs: BTreeSet<usize> = rows.iter().map(|row| row.ended.epoch).collect();
    let course = |epoch: usize| {
        let at = epochs.iter().position(|e| *e == epoch).unwrap_or(0);
        at as f64 / (epochs.len() - 1).max(1) as f64
    };
    let noise = normals(rows.len(), 0.0, spread, rng);
    for (row, noise) in rows.iter_mut().zip(noise) {
        let best = least + (most - least) * world.pick(course(row.ended.epoch), 0.5);
        row.ended.valid_loss = lowest + slope * (sum(row) - best).abs() + noise;
    }
}

/// N10: the greedy schedule ends below the best fixed value by a standard deviation between replicates, or at
/// the same value.
fn greedy(rows: &mut [Collected], world: World, rng: &mut ChaCha12Rng) {
    let replicates = replicates(rows);
    let results = Results::from(&*rows);
    let deviation = spread(&results, ["greedy", "fixed"], &replicates);
    let fixed: BTreeMap<u32, f64> =
        replicates.iter().map(|&r| (r, results.least("fixed", r))).collect();
    let lead = normals(rows.len(), world.pick(-deviation, 0.0), deviation, rng);
    for (row, lead) in rows.iter_mut().zip(lead) {
        if row.which.method == "greedy" {
            row.outcome.perplexity = Some((fixed[&row.which.replicate] + lead).exp());
        }
    }
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::{
        super::{
            courses::{self, tests::grid_row},
            find, fixed_grid, text,
        },
        *,
    };
    use crate::tables::{
        collected::{Outcome, Which},
        trace::Ended,
    };

    /// The STN's table with these perplexities of each replicate.
    fn table(replicates: u32, perplexity: impl Fn(&str, u32) -> f64) -> Vec<Collected> {
        let mut rows = Vec::new();
        for replicate in 0..replicates {
            for method in ["stn", "fixed", "schedule", "final-value"] {
                let which = Which { method: method.to_owned(), replicate, ..Which::default() };
                let perplexity = Some(perplexity(method, replicate));
                let outcome = Outcome { perplexity, ..Outcome::default() };
                rows.push(Collected { which, outcome });
            }
        }
        rows
    }

    #[test]
    fn a_simulated_gain_is_the_papers_at_our_perplexity() {
        // A text that is easier than the paper's, with some scatter.
        let rows = table(1000, |method, r| 15.0 + 0.01 * f64::from((r + method.len() as u32) % 7));
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for so in [[true, true], [false, true], [true, false]] {
            let mut rows = rows.clone();
            replayed(&mut rows, so, &mut rng);
            let loss = |method: &str| {
                let own = rows.iter().filter(|row| row.which.method == method);
                mean(&own.map(|row| row.outcome.perplexity.unwrap().ln()).collect::<Vec<_>>())
            };
            let gap = |a, b| loss(a) - loss(b);
            let close = |found: f64, [a, b]: [f64; 2], share: f64| {
                let paper = share * (a / b).ln();
                assert!((found - paper).abs() < 3e-4, "{so:?}: {found} and {paper}");
            };
            let gain = [85.83, 82.58];
            close(gap("fixed", "stn"), gain, 1.0);
            if so[0] {
                close(gap("schedule", "stn"), [82.87, 82.58], 1.0);
            } else {
                close(gap("schedule", "stn"), gain, 1.0 / 3.0);
            }
            // There is but one fixed value, with no other to choose it from.
            close(gap("final-value", "fixed"), [89.65, 85.83], f64::from(so[1]));
        }
    }

    #[test]
    fn one_half_is_not_so_without_the_effect() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut drawn = |world| {
            let all = (0..100).map(|_| halves(world, &mut rng));
            all.collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(drawn(World::Claimed), [[true, true]].into());
        assert_eq!(drawn(World::Absent), [[true, false], [false, true]].into());
    }

    /// Schedules from four starts that are `apart` in each replicate, up to batch 9.
    fn schedules(apart: &[f64]) -> Evidence {
        let (mut steps, mut epochs) = (Vec::new(), Vec::new());
        for (replicate, apart) in (0..).zip(apart) {
            for start in 0..4 {
                let value = Some(f64::from(start));
                let which = Which { value, replicate, ..Which::default() };
                for batches in [0, 2, 4, 6, 8] {
                    let at = 0.5 + apart * f64::from(start) / 3.0;
                    let which = which.clone();
                    steps.push(CollectedStep { which, batches, at, ..CollectedStep::default() });
                }
                let ended = Ended { batches: 9, ..Ended::default() };
                epochs.push(CollectedEpoch { which, ended });
            }
        }
        Evidence { starts_steps: Some(steps), starts_epochs: Some(epochs), ..Evidence::default() }
    }

    #[test]
    fn simulated_schedules_are_judged_by_the_worst_replicate() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut answers = |apart: &[f64], world| {
            let real = schedules(apart);
            let answer = |_| {
                let drawn = evidence("N6", &real, world, &mut rng).unwrap();
                let (_, found) = find("N6", &drawn, &mut rng).unwrap();
                found.iter().find(|finding| finding.estimate.is_some()).unwrap().answer(None)
            };
            (0..40).map(answer).collect::<Vec<_>>()
        };
        let alike = [0.2, 0.21, 0.19, 0.2, 0.22, 0.18, 0.2, 0.21];
        assert!(answers(&alike, World::Claimed).iter().all(|one| *one == Answer::Yes));
        assert!(answers(&alike, World::Absent).iter().all(|one| *one == Answer::No));
        // By factors of up to 2 apart: one of eight is often above 0.1, while all means are below it.
        let unlike = [0.1, 0.4, 0.1, 0.4, 0.2, 0.2, 0.1, 0.4];
        let unlike = answers(&unlike, World::Claimed);
        let count = |answer| unlike.iter().filter(|one| **one == answer).count();
        assert!(count(Answer::Open) > 5 && count(Answer::No) == 0, "{unlike:?}");
    }

    #[test]
    fn the_best_rates_rise_in_the_claimed_world_alone() {
        let rates = [0.0, 0.2, 0.4];
        let mut rows = Vec::new();
        for epoch in [1, 4, 10] {
            for input in rates {
                for output in rates {
                    rows.push(grid_row(epoch, (input, output), 5.0 + input));
                }
            }
        }
        let met = |world| {
            let mut rng = ChaCha12Rng::seed_from_u64(1);
            let mut rows = rows.clone();
            dropouts(&mut rows, world, &mut rng);
            courses::dropouts(&rows, &mut rng).met
        };
        assert_eq!(met(World::Claimed), Some(true));
        assert_eq!(met(World::Absent), Some(false));
        assert_eq!(text::rests_on("N10").len(), 2, "the grid, and what the greedy schedule is in");
    }

    #[test]
    fn the_stn_has_a_gain_in_both_worlds() {
        // The STN is behind the best fixed value.
        let rows = table(9, |method, r| {
            let level = match method {
                "stn" => 86.0,
                "schedule" => 87.0,
                _ => 85.0,
            };
            level + 0.01 * f64::from((r + method.len() as u32) % 3)
        });
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut met = |world| {
            let mut rows = rows.clone();
            let so = halves(world, &mut rng);
            replayed(&mut rows, so, &mut rng);
            let found = text::replayed(&rows, &mut rng);
            found.iter().all(|finding| finding.answer(None) == Answer::Yes)
        };
        assert!((0..10).all(|_| met(World::Claimed)));
        assert!((0..10).filter(|_| met(World::Absent)).count() < 3);
    }

    #[test]
    fn the_least_of_a_grid_is_lower_than_an_equally_good_final_value() {
        // How often a final value that is as good is told to be worse, of 200 times: for grids of eight values.
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut told = |added: [f64; 8]| {
            let mut rows =
                table(8, |method, r| 15.0 + 0.1 * f64::from((r + method.len() as u32) % 7));
            rows.retain(|row| row.which.method != "fixed");
            rows.extend(fixed_grid::tests::grid(8, &added, 0.006, &mut rng));
            let told = |_: &u32| {
                let mut rows = rows.clone();
                replayed(&mut rows, [true, false], &mut rng);
                text::replayed(&rows, &mut rng)[1].answer(None) == Answer::Yes
            };
            (0..200).filter(told).count()
        };
        // One value is by far the best: what is chosen is not by chance, and one in forty is told so.
        assert!((1..=12).contains(&told([0.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])));
        // All are alike: the least is so by chance alone.
        assert!(told([0.0; 8]) > 100);
    }
}
