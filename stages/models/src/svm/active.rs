//! The multipliers that an SMO iteration still changes, with their part of the kernel: all of them at first,
//! later without those that stay at a bound (shrinking, \[Joachims1999\]).

use std::borrow::Cow;

use super::panels::ROWS;
use crate::svm::{cache::Cache, kernel::RbfRows};

/// Multipliers, one per point; the arrays are padded to whole panels with points that cannot move.
#[derive(Debug)]
pub(crate) struct Multipliers {
    /// β = yα.
    pub(crate) beta: Vec<f64>,
    /// F = Kβ − y.
    pub(crate) f: Vec<f64>,
    /// 0 where β can rise, −∞ where it is at its upper bound.
    pub(crate) may_rise: Vec<f64>,
    /// 0 where β can fall, −∞ where it is at its lower bound.
    pub(crate) may_fall: Vec<f64>,
    /// Signs y.
    pub(crate) signs: Vec<f64>,
    /// Bound of |β|.
    c: f64,
}

/// The mask of a multiplier: 0 if it can move, −∞ if not.
fn mask(free: bool) -> f64 {
    if free { 0.0 } else { f64::NEG_INFINITY }
}

impl Multipliers {
    /// All multipliers at 0.
    fn new(signs: &[f64], c: f64, width: usize) -> Self {
        let padded = |value: &dyn Fn(f64) -> f64, beyond: f64| {
            let mut values: Vec<f64> = signs.iter().map(|&y| value(y)).collect();
            values.resize(width, beyond);
            values
        };
        Self {
            beta: padded(&|_| 0.0, 0.0),
            f: padded(&|y| -y, 0.0),
            may_rise: padded(&|y| mask(y > 0.0), f64::NEG_INFINITY),
            may_fall: padded(&|y| mask(y < 0.0), f64::NEG_INFINITY),
            signs: padded(&|y| y, 0.0),
            c,
        }
    }

    /// The bounds of β.
    pub(crate) fn bounds(&self, t: usize) -> (f64, f64) {
        if self.signs[t] > 0.0 { (0.0, self.c) } else { (-self.c, 0.0) }
    }

    /// Sets a multiplier.
    pub(crate) fn set(&mut self, t: usize, beta: f64) {
        let (low, high) = self.bounds(t);
        self.beta[t] = beta;
        self.may_rise[t] = mask(beta < high);
        self.may_fall[t] = mask(beta > low);
    }

    /// The first `n` points (their numbers, ascending) that could be part of a pair. The others are at a
    /// bound, with an F for which no partner exists: `raised` is the largest −F of those that can rise,
    /// `most` the largest F of those that can fall.
    pub(crate) fn useful(&self, n: usize, raised: f64, most: f64) -> Vec<u32> {
        let useful = |t: &u32| {
            let t = *t as usize;
            let (rise, fall) = (self.may_rise[t] == 0.0, self.may_fall[t] == 0.0);
            (rise && self.f[t] <= most) || (fall && -self.f[t] <= raised)
        };
        (0..n as u32).filter(useful).collect()
    }

    /// The multipliers of the chosen points.
    fn select(&self, keep: &[u32], width: usize) -> Self {
        let padded = |from: &[f64], beyond: f64| {
            let mut values: Vec<f64> = keep.iter().map(|&t| from[t as usize]).collect();
            values.resize(width, beyond);
            values
        };
        Self {
            beta: padded(&self.beta, 0.0),
            f: padded(&self.f, 0.0),
            may_rise: padded(&self.may_rise, f64::NEG_INFINITY),
            may_fall: padded(&self.may_fall, f64::NEG_INFINITY),
            signs: padded(&self.signs, 0.0),
            c: self.c,
        }
    }
}

/// The active points, with their part of the kernel.
#[derive(Debug)]
pub(crate) struct Active<'a> {
    whole: &'a RbfRows,
    /// The kernel between active points.
    pub(crate) kernel: Cow<'a, RbfRows>,
    /// Its rows.
    pub(crate) cache: Cache,
    bytes: usize,
    /// Their multipliers.
    pub(crate) now: Multipliers,
    /// The last values of all multipliers, and which are active; only if some are not active.
    resting: Option<(Multipliers, Vec<u32>)>,
}

impl<'a> Active<'a> {
    /// All points active, with room for `bytes` of kernel rows.
    pub(crate) fn new(whole: &'a RbfRows, signs: &[f64], c: f64, bytes: usize) -> Self {
        Self {
            whole,
            kernel: Cow::Borrowed(whole),
            cache: Cache::new(whole, bytes),
            bytes,
            now: Multipliers::new(signs, c, whole.width()),
            resting: None,
        }
    }

    /// Whether every point is active.
    pub(crate) fn is_whole(&self) -> bool {
        self.resting.is_none()
    }

    /// Makes all points inactive except `keep` (numbers among the active ones).
    pub(crate) fn narrow(&mut self, keep: &[u32]) {
        let kernel = self.kernel.select(keep);
        let now = self.now.select(keep, kernel.width());
        let empty = Cache::new(&kernel, 0);
        let cache = std::mem::replace(&mut self.cache, empty);
        self.cache = cache.narrowed(&kernel, keep, self.bytes);
        let before = std::mem::replace(&mut self.now, now);
        self.resting = Some(match self.resting.take() {
            None => (before, keep.to_vec()),
            Some((mut all, ids)) => {
                store(&before, &ids, &mut all);
                let ids = keep.iter().map(|&t| ids[t as usize]).collect();
                (all, ids)
            }
        });
        self.kernel = Cow::Owned(kernel);
    }

    /// Computes F of the inactive points, and activates those that violate optimality by more than
    /// `tolerance` against `raised` and `most`; all of them if `everything` is set. Returns the number of
    /// points activated.
    pub(crate) fn widen(
        &mut self,
        (raised, most): (f64, f64),
        tolerance: f64,
        everything: bool,
    ) -> usize {
        let Some((mut all, ids)) = self.resting.take() else { return 0 };
        store(&self.now, &ids, &mut all);
        let n = self.whole.len();
        let mut in_play = vec![false; n];
        for &t in &ids {
            in_play[t as usize] = true;
        }
        let rest: Vec<u32> = (0..n as u32).filter(|&t| !in_play[t as usize]).collect();
        self.refresh(&mut all, &rest);
        for &t in &rest {
            let i = t as usize;
            let (rise, fall) = (raised_by(&all, i) + most, lowered_by(&all, i) + raised);
            in_play[i] = everything || rise > tolerance || fall > tolerance;
        }
        let ids: Vec<u32> = (0..n as u32).filter(|&t| in_play[t as usize]).collect();
        let came = ids.len() + rest.len() - n;
        let evaluations = self.cache.evaluations;
        if ids.len() == n {
            (self.kernel, self.now) = (Cow::Borrowed(self.whole), all);
            self.cache = Cache::new(&self.kernel, self.bytes);
        } else if came == 0 {
            self.resting = Some((all, ids));
            return 0;
        } else {
            let kernel = self.whole.select(&ids);
            self.now = all.select(&ids, kernel.width());
            self.cache = Cache::new(&kernel, self.bytes);
            self.kernel = Cow::Owned(kernel);
            self.resting = Some((all, ids));
        }
        self.cache.evaluations = evaluations;
        came
    }

    /// F of the points `rest`, recomputed from all multipliers.
    fn refresh(&mut self, all: &mut Multipliers, rest: &[u32]) {
        let others = self.whole.select(rest);
        let mut f: Vec<f64> = rest.iter().map(|&t| -all.signs[t as usize]).collect();
        let support: Vec<usize> = (0..self.whole.len()).filter(|&t| all.beta[t] != 0.0).collect();
        let mut rows: [Vec<f32>; ROWS] = std::array::from_fn(|_| vec![0.0; others.width()]);
        let mut packed = Vec::new();
        for block in support.chunks(ROWS) {
            // The last block repeats its last point, whose row is then skipped.
            let points = std::array::from_fn(|r| block[r.min(block.len() - 1)]);
            let out = rows.each_mut().map(Vec::as_mut_slice);
            others.rows::<ROWS>(self.whole, points, out, &mut packed);
            for (&t, row) in block.iter().zip(&rows) {
                let beta = all.beta[t];
                for (f, k) in f.iter_mut().zip(row) {
                    *f = beta.mul_add(f64::from(*k), *f);
                }
            }
        }
        self.cache.evaluations += (support.len() * rest.len()) as u64;
        for (&t, f) in rest.iter().zip(f) {
            all.f[t as usize] = f;
        }
    }

    /// The multipliers of all points, and the number of kernel values computed. F of inactive points is that
    /// of the last [`Active::widen`].
    pub(crate) fn into_all(self) -> (Multipliers, u64) {
        let evaluations = self.cache.evaluations;
        let now = match self.resting {
            None => self.now,
            Some((mut all, ids)) => {
                store(&self.now, &ids, &mut all);
                all
            }
        };
        (now, evaluations)
    }
}

/// −F of point `t`, or −∞ if it cannot rise.
fn raised_by(all: &Multipliers, t: usize) -> f64 {
    all.may_rise[t] - all.f[t]
}

/// F of point `t`, or −∞ if it cannot fall.
fn lowered_by(all: &Multipliers, t: usize) -> f64 {
    all.may_fall[t] + all.f[t]
}

/// Writes the multipliers of the points `ids` among all.
fn store(now: &Multipliers, ids: &[u32], all: &mut Multipliers) {
    for (t, &id) in ids.iter().enumerate() {
        let id = id as usize;
        (all.beta[id], all.f[id]) = (now.beta[t], now.f[t]);
        (all.may_rise[id], all.may_fall[id]) = (now.may_rise[t], now.may_fall[t]);
    }
}
