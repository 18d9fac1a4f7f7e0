//! The two passes of an SMO step over all points: updating the gradient, and finding the pair of multipliers
//! to change.

use numerics::linalg::simd_dispatch::wide;

/// Number of points processed side by side; the lengths of all slices are multiples of it.
pub(crate) const WIDTH: usize = 16;
/// Smaller curvatures are replaced by this value: those of two equal points with different signs.
pub(crate) const LEAST_CURVATURE: f64 = 1e-12;

/// The best point of each lane: those of lane l are l, l + `WIDTH`, and so on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    values: [f64; WIDTH],
    at: [u64; WIDTH],
}

impl Found {
    /// The initial state: no point better than `value` yet.
    #[inline(always)]
    fn nothing(value: f64) -> Self {
        Self { values: [value; WIDTH], at: [0; WIDTH] }
    }

    /// The largest value and the first point that has it.
    #[inline(always)]
    pub(crate) fn best(&self) -> (f64, usize) {
        let (mut value, mut at) = (self.values[0], self.at[0]);
        for l in 1..WIDTH {
            let (v, t) = (self.values[l], self.at[l]);
            if v > value || (v == value && t < at) {
                (value, at) = (v, t);
            }
        }
        (value, at as usize)
    }

    /// The best points of all lanes, the best one first: those that will probably be needed next.
    pub(crate) fn soon(&self) -> [u32; WIDTH] {
        let mut order: [usize; WIDTH] = std::array::from_fn(|l| l);
        order.sort_by(|&a, &b| self.values[b].total_cmp(&self.values[a]));
        order.map(|l| self.at[l] as u32)
    }
}

wide! {
    /// `F += step (K_i − K_j)`, then the largest −F among those that can rise.
    pub(crate) fn move_along['a]['a](
        step: f64,
        i: &'a [f32],
        j: &'a [f32],
        f: &'a mut [f64],
        may_rise: &'a [f64],
    ) -> Found {
        let mut found = Found::nothing(f64::NEG_INFINITY);
        let blocks = f.as_chunks_mut::<WIDTH>().0.iter_mut().zip(may_rise.as_chunks::<WIDTH>().0);
        let rows = i.as_chunks::<WIDTH>().0.iter().zip(j.as_chunks::<WIDTH>().0);
        for (b, ((f, rise), (i, j))) in blocks.zip(rows).enumerate() {
            for l in 0..WIDTH {
                f[l] = step.mul_add(f64::from(i[l]) - f64::from(j[l]), f[l]);
                let v = rise[l] - f[l];
                let better = v > found.values[l];
                found.values[l] = if better { v } else { found.values[l] };
                found.at[l] = if better { (b * WIDTH + l) as u64 } else { found.at[l] };
            }
        }
        found
    }
}

wide! {
    /// The largest predicted decrease from lowering a `β_t` together with raising `β_i`, −1 if there is none;
    /// and the largest F among those that can fall.
    pub(crate) fn weigh_partners['a]['a](
        raised: f64,
        row: &'a [f32],
        f: &'a [f64],
        may_fall: &'a [f64],
    ) -> (Found, f64) {
        let mut found = Found::nothing(-1.0);
        let mut most = [f64::NEG_INFINITY; WIDTH];
        let blocks = f.as_chunks::<WIDTH>().0.iter().zip(may_fall.as_chunks::<WIDTH>().0);
        for (b, ((f, fall), row)) in blocks.zip(row.as_chunks::<WIDTH>().0).enumerate() {
            for l in 0..WIDTH {
                let v = f[l] + fall[l];
                most[l] = if v > most[l] { v } else { most[l] };
                let slope = raised + v;
                let curvature = 2.0 - 2.0 * f64::from(row[l]);
                let curvature =
                    if curvature > LEAST_CURVATURE { curvature } else { LEAST_CURVATURE };
                let gain = if slope > 0.0 { slope * slope / curvature } else { -1.0 };
                let better = gain > found.values[l];
                found.values[l] = if better { gain } else { found.values[l] };
                found.at[l] = if better { (b * WIDTH + l) as u64 } else { found.at[l] };
            }
        }
        (found, most.into_iter().fold(f64::NEG_INFINITY, |m, v| if v > m { v } else { m }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_find_the_first_of_the_best() {
        let n = 5 * WIDTH;
        let open = vec![0.0; n];
        let mut mask = vec![0.0; n];
        mask[7] = f64::NEG_INFINITY;
        let row: Vec<f32> = (0..n).map(|t| (t as f32 * 0.37).sin().abs()).collect();
        let other: Vec<f32> = (0..n).map(|t| (t as f32 * 0.11).cos().abs()).collect();
        for seed in 0..200 {
            // Few different values: many ties.
            let start: Vec<f64> =
                (0..n).map(|t| ((t * (seed + 3) + t * t) % 5) as f64 - 2.0).collect();
            for may in [&open, &mask] {
                let mut f = start.clone();
                let step = if seed % 2 == 0 { 0.0 } else { 0.25 };
                let (value, at) = move_along(step, &row, &other, &mut f, may).best();
                for t in 0..n {
                    let moved = step * (f64::from(row[t]) - f64::from(other[t])) + start[t];
                    assert!((f[t] - moved).abs() < 1e-15);
                }
                let rising: Vec<f64> = f.iter().zip(may).map(|(f, m)| m - f).collect();
                let top = rising.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                assert_eq!((value, at), (top, rising.iter().position(|&v| v == top).unwrap()));

                let (found, most) = weigh_partners(0.5, &row, &f, may);
                let gain = |t: usize| {
                    let slope = 0.5 + f[t] + may[t];
                    let curvature = (2.0 - 2.0 * f64::from(row[t])).max(LEAST_CURVATURE);
                    if slope > 0.0 { slope * slope / curvature } else { -1.0 }
                };
                let gains: Vec<f64> = (0..n).map(gain).collect();
                let top = gains.iter().copied().fold(-1.0, f64::max);
                assert_eq!(found.best(), (top, gains.iter().position(|&v| v == top).unwrap()));
                let falling = f.iter().zip(may).map(|(f, m)| m + f);
                assert_eq!(most, falling.fold(f64::NEG_INFINITY, f64::max));
                assert_eq!(gain(found.soon()[0] as usize), top);
            }
        }
    }
}
