//! Chooses the trials that a Gaussian process is fitted to: all of them up to [`MOST`]; of more, those with the lowest
//! losses and the newest of the others, half and half. A fit costs the cube of its trials, and so does not grow for ever.
//!
//! DIFFERS: neither the papers nor Spearmint leave out trials; no search of theirs is so long.

use crate::tuner::failed_last;

/// Trials of a fit.
pub(super) const MOST: usize = 500;

/// What of `told`, in the order of asking, a process is fitted to, in the same order. Failed trials have losses that
/// are not finite, and count as the highest.
pub(super) fn fitted<T>(told: impl Iterator<Item = T>, loss: impl Fn(&T) -> f64) -> Vec<T> {
    let told: Vec<T> = told.collect();
    if told.len() <= MOST {
        return told;
    }
    let rank = |i: usize| failed_last(loss(&told[i]));
    let mut order: Vec<usize> = (0..told.len()).collect();
    order.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
    let mut kept = vec![false; told.len()];
    for &i in &order[..MOST / 2] {
        kept[i] = true;
    }
    let newest = (0..told.len()).rev().filter(|&i| !kept[i]).take(MOST - MOST / 2);
    for i in newest.collect::<Vec<_>>() {
        kept[i] = true;
    }
    told.into_iter().zip(kept).filter_map(|(trial, kept)| kept.then_some(trial)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_all_kept() {
        let few: Vec<f64> = (0..MOST as u32).map(f64::from).collect();
        assert_eq!(fitted(few.iter().copied(), |v| *v), few);
    }

    #[test]
    fn of_many_the_best_and_the_newest_are_kept_in_order() {
        // Losses fall to the middle and rise again; the first trial failed.
        let loss = |i: &u32| if *i == 0 { f64::NAN } else { (f64::from(*i) - 1000.0).abs() };
        let kept = fitted(0..2000_u32, loss);
        assert_eq!(kept.len(), MOST);
        assert!(kept.is_sorted());
        let half = MOST as u32 / 2;
        assert!((1000 - half / 2 + 1..1000 + half / 2).all(|i| kept.contains(&i)));
        assert!((2000 - half..2000).all(|i| kept.contains(&i)) && !kept.contains(&0));
    }
}
