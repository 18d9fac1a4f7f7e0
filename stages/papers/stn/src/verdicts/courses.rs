//! Claims N6 and N10: the course of hyper-parameters during a training.

use std::collections::{BTreeMap, BTreeSet};

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean};

use crate::tables::collected::{CollectedEpoch, CollectedStep, Which};

/// N6: the largest spread after this share of training.
const SPREAD: f64 = 0.1;
/// N6: how far apart schedules stay that do not find each other.
pub(super) const APART: f64 = 0.3;
const AFTER: f64 = 1.0 / 3.0;
/// N6: minimum number of starts.
const STARTS: usize = 4;

/// The values of a hyper-parameter from some training batches on.
type Steps = Vec<(u64, f64)>;

/// The schedules of each replicate, by their start.
pub(super) type Starts = BTreeMap<u32, BTreeMap<u64, Steps>>;

/// The start of a schedule; starts are not negative, so that their bits have the same order.
pub(super) fn start(which: &Which) -> u64 {
    which.value.unwrap_or(f64::NAN).to_bits()
}

/// The schedules from several starts.
pub(super) fn schedules(steps: &[CollectedStep]) -> Starts {
    let mut all = Starts::new();
    for row in steps {
        let own = all.entry(row.which.replicate).or_default();
        own.entry(start(&row.which)).or_default().push((row.batches, row.at));
    }
    all
}

/// The largest distance between the schedules of each replicate after a third of the training batches, up to
/// the end of the shortest.
pub(super) fn spreads(all: &Starts, epochs: &[CollectedEpoch]) -> Vec<f64> {
    let mut last: BTreeMap<u32, BTreeMap<u64, u64>> = BTreeMap::new();
    for row in epochs {
        let own = last.entry(row.which.replicate).or_default();
        let own = own.entry(start(&row.which)).or_default();
        *own = row.ended.batches.max(*own);
    }
    let shortest = |r: &u32| last.get(r).and_then(|own| own.values().min()).copied().unwrap_or(0);
    all.iter().map(|(r, own)| spread(own.values(), shortest(r))).collect()
}

/// N6: that distance is below the limit in every replicate, the worst one included.
pub(super) fn starts(
    steps: &[CollectedStep],
    epochs: &[CollectedEpoch],
    rng: &mut ChaCha12Rng,
) -> Finding {
    let all = schedules(steps);
    let spreads = spreads(&all, epochs);
    let fewest = all.values().map(BTreeMap::len).min().unwrap_or(0);
    let worst =
        spreads.iter().fold(f64::NEG_INFINITY, |a: f64, &b| if b.is_nan() { b } else { a.max(b) });
    let estimate = interval(&spreads, rng, mean);
    let text = format!(
        "largest distance of the schedules from {fewest} starts after a third of training: {worst:.3} in the worst of {} replicates, {} on average",
        estimate.n,
        estimate.told(3)
    );
    let decided = fewest >= STARTS && worst.is_finite();
    let found = Finding::new("Penn Treebank", estimate, text)
        .within(Region::below(SPREAD))
        .without_effect(APART)
        .of_replicates();
    found.met(decided.then_some(worst < SPREAD))
}

/// The largest distance between schedules at one training batch, after a share of all of them.
fn spread<'a>(schedules: impl Iterator<Item = &'a Steps> + Clone, batches: u64) -> f64 {
    let first = (AFTER * batches as f64).ceil() as u64;
    let mut times: Vec<u64> =
        schedules.clone().flatten().map(|p| p.0).filter(|t| *t > first && *t <= batches).collect();
    times.push(first);
    times.sort_unstable();
    times.dedup();
    let mut most = f64::NAN;
    for time in times {
        // The value in force is the last change up to then.
        let value = |steps: &Steps| {
            let until = steps.partition_point(|p| p.0 <= time);
            until.checked_sub(1).map_or(f64::NAN, |i| steps[i].1)
        };
        let values: Vec<f64> = schedules.clone().map(value).collect();
        if values.iter().any(|v| v.is_nan()) {
            return f64::NAN;
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most = most.max(high - low);
    }
    most
}

/// A value for each replicate.
type Replicates = BTreeMap<u32, f64>;

/// N10: the rates of input and output dropout with the lowest mean perplexity over replicates, at the epochs
/// that are shown: their sum never decreases from one to the next, and increases overall.
pub(super) fn dropouts(rows: &[CollectedEpoch], rng: &mut ChaCha12Rng) -> Finding {
    let mut all: BTreeMap<usize, BTreeMap<(u64, u64), Replicates>> = BTreeMap::new();
    for CollectedEpoch { which, ended } in rows {
        // Rates are not negative, so that their bits have the same order.
        let at = [which.value, which.second].map(|v| v.unwrap_or(f64::NAN).to_bits());
        let own = all.entry(ended.epoch).or_default().entry((at[0], at[1])).or_default();
        own.insert(which.replicate, ended.valid_loss.exp());
    }
    let replicates: BTreeSet<u32> = rows.iter().map(|row| row.which.replicate).collect();
    let replicates: Vec<u32> = replicates.into_iter().collect();
    let best = |set: &[u32]| -> Vec<(f64, f64)> {
        let of = |grid: &BTreeMap<(u64, u64), Replicates>| {
            let value = |own: &Replicates| {
                mean(
                    &set.iter()
                        .map(|r| own.get(r).copied().unwrap_or(f64::INFINITY))
                        .collect::<Vec<_>>(),
                )
            };
            let least = grid.iter().min_by(|a, b| value(a.1).total_cmp(&value(b.1)));
            least.map_or((f64::NAN, f64::NAN), |(at, _)| {
                (f64::from_bits(at.0), f64::from_bits(at.1))
            })
        };
        all.values().map(of).collect()
    };
    let sums = |best: &[(f64, f64)]| best.iter().map(|b| b.0 + b.1).collect::<Vec<_>>();
    let rise = |set: &[u32]| {
        let sums = sums(&best(set));
        sums.last().copied().unwrap_or(f64::NAN) - sums.first().copied().unwrap_or(f64::NAN)
    };
    let estimate = interval(&replicates, rng, rise);
    let found = best(&replicates);
    let met = sums(&found).is_sorted() && estimate.value > 0.0;
    let shown: Vec<String> = all
        .keys()
        .zip(&found)
        .map(|(epoch, (input, output))| format!("{input} and {output} at epoch {epoch}"))
        .collect();
    let text = format!(
        "best input and output dropout: {}; rise of their sum {}",
        shown.join(", "),
        estimate.told(2)
    );
    let decided = all.len() > 1 && !estimate.value.is_nan();
    let found = Finding::new("Penn Treebank, dropout grid", estimate, text);
    found.within(Region::above(0.0)).of_replicates().met(decided.then_some(met))
}

#[cfg(test)]
pub(super) mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::tables::trace::Ended;

    /// A row of the grid of rates.
    pub(in crate::verdicts) fn grid_row(
        epoch: usize,
        (input, output): (f64, f64),
        valid_loss: f64,
    ) -> CollectedEpoch {
        let which = Which { value: Some(input), second: Some(output), ..Which::default() };
        CollectedEpoch { which, ended: Ended { epoch, valid_loss, ..Ended::default() } }
    }

    fn judged(apart: f64, starts: u32) -> Option<bool> {
        let which = |start| Which { value: Some(f64::from(start)), ..Which::default() };
        // Far apart at first; from batch 3 of 9 on, `apart` at most, at batch 6.
        let step = |start: u32, batches: u64| {
            let at = match batches {
                0..=2 => f64::from(start) * 0.2,
                6 if start == 1 => 0.5 + apart,
                _ => 0.5,
            };
            CollectedStep { which: which(start), batches, at, ..CollectedStep::default() }
        };
        let steps: Vec<_> = (0..starts)
            .flat_map(|s| (0..=9).map(move |t| (s, t)))
            .map(|(s, t)| step(s, t))
            .collect();
        let ended = || Ended { batches: 9, ..Ended::default() };
        let epochs: Vec<_> =
            (0..starts).map(|s| CollectedEpoch { which: which(s), ended: ended() }).collect();
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        super::starts(&steps, &epochs, &mut rng).met
    }

    #[test]
    fn schedules_may_differ_in_the_first_third() {
        assert_eq!(judged(0.09, 4), Some(true));
        assert_eq!(judged(0.11, 4), Some(false));
        assert_eq!(judged(0.05, 3), None, "four starts were asked for");
    }

    #[test]
    fn the_best_rates_must_rise() {
        let judge = |best: [(f64, f64); 3]| {
            let rates = [0.0, 0.3, 0.6];
            let mut all = Vec::new();
            for (epoch, best) in (1..).zip(best) {
                for input in rates {
                    for output in rates {
                        let off = (input - best.0).abs() + (output - best.1).abs();
                        all.push(grid_row(epoch, (input, output), 5.0 + off));
                    }
                }
            }
            dropouts(&all, &mut ChaCha12Rng::seed_from_u64(1)).met
        };
        assert_eq!(judge([(0.0, 0.0), (0.3, 0.0), (0.3, 0.6)]), Some(true));
        assert_eq!(judge([(0.0, 0.0), (0.6, 0.6), (0.3, 0.6)]), Some(false), "it falls again");
        assert_eq!(judge([(0.3, 0.3); 3]), Some(false), "it does not rise");
    }
}
