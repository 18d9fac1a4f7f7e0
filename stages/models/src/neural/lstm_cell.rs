//! What a layer of LSTM units \[Hochreiter1997\] does to the sums of its gates, and the gradient of that, in single
//! precision. Matrix products are the caller's.
//!
//! A layer of u units has four sums per unit, in the order forget, input, output, new value:
//! c ← σ(forget) c + σ(input) tanh(new), h = σ(output) tanh c.

use numerics::linalg::simd_dispatch::wide;

/// Adding this to a small number rounds it to an integer in the low bits of the mantissa.
const ROUNDER: f32 = 12_582_912.0;
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// Taylor coefficients 1/k! of eˣ, highest degree first: below ln 2 / 2 degree 7 reaches an ulp.
const EXP: [f32; 8] =
    [1.0 / 5_040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// eˣ within 2e-7 of its value, for x within ±87; beyond that, its value there.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Not `clamp`, which would become slow code here; NaN passes.
    let clipped = if x < -87.0 { -87.0 } else { x };
    let clipped = if clipped > 87.0 { 87.0 } else { clipped };
    let shifted = clipped.mul_add(std::f32::consts::LOG2_E, ROUNDER);
    let k = shifted - ROUNDER;
    let r = k.mul_add(-LN2_LOW, k.mul_add(-LN2_HIGH, clipped));
    let mut p = EXP[0];
    for c in &EXP[1..] {
        p = p.mul_add(r, *c);
    }
    let bits = shifted.to_bits().wrapping_sub(ROUNDER.to_bits());
    p * f32::from_bits(bits.wrapping_add(127) << 23)
}

/// σ(x) within 3e-7.
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// tanh x within 3e-7.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

wide! {
    /// Adds products (rows of 4u, or of 8u) to the sums of the gates (rows of 4u): of a row of 8u the second half counts
    /// times `scale` (rows of 4u; empty if products have rows of 4u).
    pub fn add['a]['a](sums: &'a mut [f32], products: &'a [f32], scale: &'a [f32], own: usize) -> () {
        if scale.is_empty() {
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum += product;
            }
        } else {
            let rows = sums.chunks_exact_mut(own).zip(products.chunks_exact(2 * own));
            for ((sums, products), scale) in rows.zip(scale.chunks_exact(own)) {
                let (plain, moved) = products.split_at(own);
                for (((sum, plain), moved), scale) in sums.iter_mut().zip(plain).zip(moved).zip(scale) {
                    *sum = scale.mul_add(*moved, *sum + plain);
                }
            }
        }
    }
}

wide! {
    /// One step of u units for each row: turns the sums of the gates (rows of 4u) into the gates, updates the cells c (rows
    /// of u), and writes tanh c and the outputs h.
    pub fn step['a]['a](
        gates: &'a mut [f32],
        cells: &'a mut [f32],
        squashed: &'a mut [f32],
        hidden: &'a mut [f32],
        u: usize,
    ) -> () {
        let rows = gates.chunks_exact_mut(4 * u).zip(cells.chunks_exact_mut(u));
        for ((gates, cell), (squashed, hidden)) in
            rows.zip(squashed.chunks_exact_mut(u).zip(hidden.chunks_exact_mut(u)))
        {
            let (open, new) = gates.split_at_mut(3 * u);
            for v in open.iter_mut() {
                *v = sigmoid(*v);
            }
            for v in new.iter_mut() {
                *v = tanh(*v);
            }
            let (forget, rest) = open.split_at(u);
            let (input, output) = rest.split_at(u);
            for k in 0..u {
                cell[k] = forget[k].mul_add(cell[k], input[k] * new[k]);
                squashed[k] = tanh(cell[k]);
                hidden[k] = output[k] * squashed[k];
            }
        }
    }
}

/// A step as it was: gates (rows of 4u), the cells before it and tanh of those after it (rows of u).
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// Forget, input, output and new value.
    pub gates: &'a [f32],
    /// c before the step.
    pub before: &'a [f32],
    /// tanh c after it.
    pub squashed: &'a [f32],
}

wide! {
    /// The gradient of a step by the sums of the gates (rows of 4u), from that by its outputs h and cells c (rows of u),
    /// which is replaced by that by the cells before the step.
    pub fn gradient['a]['a](
        step: Step<'a>,
        by_hidden: &'a [f32],
        by_cells: &'a mut [f32],
        by_sums: &'a mut [f32],
        u: usize,
    ) -> () {
        let done = step.gates.chunks_exact(4 * u).zip(step.before.chunks_exact(u));
        let done = done.zip(step.squashed.chunks_exact(u));
        let found = by_cells.chunks_exact_mut(u).zip(by_sums.chunks_exact_mut(4 * u));
        for ((((gates, before), squashed), by_hidden), (by_cell, by_sums)) in
            done.zip(by_hidden.chunks_exact(u)).zip(found)
        {
            let (forget, rest) = gates.split_at(u);
            let (input, rest) = rest.split_at(u);
            let (output, new) = rest.split_at(u);
            let (by_forget, rest) = by_sums.split_at_mut(u);
            let (by_input, rest) = rest.split_at_mut(u);
            let (by_output, by_new) = rest.split_at_mut(u);
            for k in 0..u {
                let by_squashed = by_hidden[k] * output[k];
                let by = (1.0 - squashed[k] * squashed[k]).mul_add(by_squashed, by_cell[k]);
                by_forget[k] = by * before[k] * forget[k] * (1.0 - forget[k]);
                by_input[k] = by * new[k] * input[k] * (1.0 - input[k]);
                by_output[k] = by_hidden[k] * squashed[k] * output[k] * (1.0 - output[k]);
                by_new[k] = by * input[k] * (1.0 - new[k] * new[k]);
                by_cell[k] = by * forget[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: usize = 37;
    const ROWS: usize = 3;

    /// Generic values within ±`most`.
    fn wave(count: usize, frequency: f64, most: f64) -> Vec<f32> {
        (0..count).map(|i| (most * (1.0 + frequency * i as f64).sin()) as f32).collect()
    }

    /// The same step of one unit in double precision: its output and its cell.
    fn exact(sums: [f64; 4], cell: f64) -> (f64, f64) {
        let open = |x: f64| 1.0 / (1.0 + (-x).exp());
        let cell = open(sums[0]) * cell + open(sums[1]) * sums[3].tanh();
        (open(sums[2]) * cell.tanh(), cell)
    }

    #[test]
    fn curves_are_those_of_double_precision() {
        for i in -20_000..=20_000 {
            let x = i as f32 * 5e-3;
            let wide = f64::from(x);
            assert!((f64::from(tanh(x)) - wide.tanh()).abs() < 3e-7, "tanh {x}");
            assert!((f64::from(sigmoid(x)) - 1.0 / (1.0 + (-wide).exp())).abs() < 3e-7, "σ {x}");
            if x.abs() < 87.0 {
                assert!((f64::from(exp(x)) / wide.exp() - 1.0).abs() < 2e-7, "exp {x}");
            }
        }
        assert!(sigmoid(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
        let ends = [sigmoid(f32::INFINITY), sigmoid(f32::NEG_INFINITY), tanh(f32::INFINITY)];
        assert!(ends.iter().zip([1.0, 0.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-37), "{ends:?}");
    }

    #[test]
    fn a_step_and_its_gradient_are_those_of_double_precision() {
        let sums = wave(ROWS * 4 * UNITS, 0.7, 3.0);
        let before = wave(ROWS * UNITS, 1.3, 1.5);
        let (by_hidden, by_after) = (wave(ROWS * UNITS, 0.9, 1.0), wave(ROWS * UNITS, 0.4, 1.0));
        let (mut gates, mut cells) = (sums.clone(), before.clone());
        let [mut squashed, mut hidden] = [vec![0.0; ROWS * UNITS], vec![0.0; ROWS * UNITS]];
        step(&mut gates, &mut cells, &mut squashed, &mut hidden, UNITS);
        let (mut by_cells, mut by_sums) = (by_after.clone(), vec![0.0; sums.len()]);
        let done = Step { gates: &gates, before: &before, squashed: &squashed };
        gradient(done, &by_hidden, &mut by_cells, &mut by_sums, UNITS);
        for row in 0..ROWS {
            for k in 0..UNITS {
                let at = row * UNITS + k;
                let place = |gate: usize| row * 4 * UNITS + gate * UNITS + k;
                let own = [0, 1, 2, 3].map(|gate| f64::from(sums[place(gate)]));
                let cell = f64::from(before[at]);
                let (output, after) = exact(own, cell);
                assert!((f64::from(hidden[at]) - output).abs() < 1e-6);
                assert!((f64::from(cells[at]) - after).abs() < 1e-6);
                let loss = |sums: [f64; 4], cell: f64| {
                    let (output, after) = exact(sums, cell);
                    f64::from(by_hidden[at]) * output + f64::from(by_after[at]) * after
                };
                let slope = |of: &dyn Fn(f64) -> f64| (of(1e-5) - of(-1e-5)) / 2e-5;
                for gate in 0..4 {
                    let expected = slope(&|by| {
                        let mut moved = own;
                        moved[gate] += by;
                        loss(moved, cell)
                    });
                    assert!(
                        (f64::from(by_sums[place(gate)]) - expected).abs() < 2e-6,
                        "gate {gate}"
                    );
                }
                let expected = slope(&|by| loss(own, cell + by));
                assert!((f64::from(by_cells[at]) - expected).abs() < 2e-6);
            }
        }
    }

    #[test]
    fn the_second_half_of_a_product_counts_times_its_scale() {
        let (own, products) = (4, wave(16, 0.7, 1.0));
        let (sums, scale) = (wave(8, 1.1, 1.0), wave(8, 0.3, 1.0));
        let mut plain = sums.clone();
        add(&mut plain, &products[..8], &[], own);
        let expected: Vec<f32> = sums.iter().zip(&products).map(|(a, b)| a + b).collect();
        assert_eq!(plain, expected);
        let mut moved = sums.clone();
        add(&mut moved, &products, &scale, own);
        for (row, k) in [(0, 0), (0, 3), (1, 1)] {
            let at = row * own + k;
            let expected = scale[at]
                .mul_add(products[row * 2 * own + own + k], sums[at] + products[row * 2 * own + k]);
            assert_eq!(moved[at], expected);
        }
    }
}
