//! Claims N6 and N10: where hyper-parameters go in the course of a training.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use kit::{
    claims::finding::{Finding, Region},
    table::Rows,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean};

/// N6: the largest spread after this share of training.
const SPREAD: f64 = 0.1;
const AFTER: f64 = 1.0 / 3.0;
/// N6: starts, at least.
const STARTS: usize = 4;

/// The values of a hyper-parameter from some training batches on.
type Steps = Vec<(u64, f64)>;

/// N6: the largest distance between the schedules of one replicate after a third of the training
/// batches, up to the end of the shortest.
pub(super) fn starts(
    steps: &RecordBatch,
    epochs: &RecordBatch,
    rng: &mut ChaCha12Rng,
) -> Result<Finding, Stop> {
    let rows = Rows(steps);
    let (start, replicate) = (rows.real("value")?, rows.index("replicate")?);
    let (batches, at) = (rows.count("batches")?, rows.real("at")?);
    let mut all: BTreeMap<u32, BTreeMap<u64, Steps>> = BTreeMap::new();
    for i in 0..rows.len() {
        let own = all.entry(replicate[i]).or_default();
        own.entry(start[i].to_bits()).or_default().push((batches[i], at[i]));
    }
    let rows = Rows(epochs);
    let (start, replicate, ends) =
        (rows.real("value")?, rows.index("replicate")?, rows.count("batches")?);
    let mut last: BTreeMap<u32, BTreeMap<u64, u64>> = BTreeMap::new();
    for i in 0..rows.len() {
        let own = last.entry(replicate[i]).or_default().entry(start[i].to_bits()).or_default();
        *own = ends[i].max(*own);
    }
    let shortest = |r: &u32| last.get(r).and_then(|own| own.values().min()).copied().unwrap_or(0);
    let spreads: Vec<f64> = all.iter().map(|(r, own)| spread(own.values(), shortest(r))).collect();
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
    let found =
        Finding::new("Penn Treebank", estimate, text).within(Region::below(SPREAD)).of_replicates();
    Ok(found.met(decided.then_some(worst < SPREAD)))
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
        // In force: the last change up to then.
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

/// N10: the rates of input and output dropout with the least perplexity, mean over replicates, at the
/// epochs that are shown: their sum never falls from one to the next, and rises in all.
pub(super) fn dropouts(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Finding, Stop> {
    let rows = Rows(table);
    let (input, output) = (rows.real("value")?, rows.real("second")?);
    let (replicate, epoch) = (rows.index("replicate")?, rows.index("epoch")?);
    let loss = rows.real("valid_loss")?;
    let mut all: BTreeMap<u32, BTreeMap<(u64, u64), Replicates>> = BTreeMap::new();
    for i in 0..rows.len() {
        // Rates are not negative, and so in the order of their bits.
        let at = (input[i].to_bits(), output[i].to_bits());
        let own = all.entry(epoch[i]).or_default().entry(at).or_default();
        own.insert(replicate[i], loss[i].exp());
    }
    let replicates: Vec<u32> =
        replicate.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
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
    Ok(found.within(Region::above(0.0)).of_replicates().met(decided.then_some(met)))
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use kit::table::Columns;

    fn judged(apart: f64, starts: u32) -> Option<bool> {
        let all: Vec<(u32, u64)> = (0..starts).flat_map(|s| (0..=9).map(move |t| (s, t))).collect();
        // Far apart at first; from batch 3 of 9 on, `apart` at most, at batch 6.
        let value = |(start, t): &(u32, u64)| match t {
            0..=2 => f64::from(*start) * 0.2,
            6 if *start == 1 => 0.5 + apart,
            _ => 0.5,
        };
        let steps = Columns::new()
            .real("value", "", all.iter().map(|a| f64::from(a.0)))
            .index("replicate", "", all.iter().map(|_| 0))
            .count("batches", "", all.iter().map(|a| a.1))
            .real("at", "", all.iter().map(value))
            .batch()
            .unwrap();
        let epochs = Columns::new()
            .real("value", "", (0..starts).map(f64::from))
            .index("replicate", "", (0..starts).map(|_| 0))
            .count("batches", "", (0..starts).map(|_| 9))
            .batch()
            .unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        super::starts(&steps, &epochs, &mut rng).unwrap().met
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
                        all.push((epoch, input, output, 5.0 + off));
                    }
                }
            }
            let table = Columns::new()
                .real("value", "", all.iter().map(|a| a.1))
                .real("second", "", all.iter().map(|a| a.2))
                .index("replicate", "", all.iter().map(|_| 0))
                .index("epoch", "", all.iter().map(|a| a.0))
                .real("valid_loss", "", all.iter().map(|a| a.3))
                .batch()
                .unwrap();
            dropouts(&table, &mut ChaCha12Rng::seed_from_u64(1)).unwrap().met
        };
        assert_eq!(judge([(0.0, 0.0), (0.3, 0.0), (0.3, 0.6)]), Some(true));
        assert_eq!(judge([(0.0, 0.0), (0.6, 0.6), (0.3, 0.6)]), Some(false), "it falls again");
        assert_eq!(judge([(0.3, 0.3); 3]), Some(false), "it does not rise");
    }
}
