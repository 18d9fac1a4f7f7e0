//! The steps of an LSTM layer over a segment of text and their gradient, on a CPU in single precision without libtorch's
//! differentiation: of small layers, libtorch spends more time on its bookkeeping for a dozen operations per step than
//! on the operations. The products of matrices stay libtorch's.
//!
//! What a scan returns begins a new graph of libtorch's. [`gradients`] goes back through all of them.

use models::neural::lstm_cell::{Step, add, gradient, step};
use tch::{Kind, TchError, Tensor};

use super::memory::Memory;

/// A layer's steps over a segment of T words in B sequences, with u units.
#[derive(Debug)]
pub struct Scan {
    /// h (T×B×u), of which what follows is a function.
    pub outputs: Tensor,
    /// What it was computed from.
    from: Sources,
    sizes: Sizes,
    /// f, i, o and the new value (T×B×4u).
    gates: Vec<f32>,
    /// c before each step, and after the last (T+1×B×u).
    cells: Vec<f32>,
    /// tanh c after each step (T×B×u).
    squashed: Vec<f32>,
    /// h before each step (T, each B×u).
    before: Vec<Tensor>,
    /// The products of h and the weights, if there is a scale (T×B×8u).
    products: Vec<f32>,
    /// The scale (B×4u), if there is one.
    scale: Vec<f32>,
}

/// The inputs of a scan, as functions of what gradients are sought by.
#[derive(Debug)]
pub struct Sources {
    /// Sums of the gates without the part of the hidden units (T×B×4u).
    pub given: Tensor,
    /// Weights between hidden units: elementary ones (4u×u), or those of the response below them (8u×u).
    pub weight: Tensor,
    /// By what the products with the response's weights are multiplied (B×4u, or 1×4u for all).
    pub scale: Option<Tensor>,
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    steps: usize,
    rows: usize,
    units: usize,
    /// Rows of the weights: 4u or 8u.
    columns: usize,
}

impl Scan {
    /// Goes over a segment from `memory`, which is updated to its end.
    ///
    /// # Errors
    /// If shapes do not fit, or memory cannot be allocated.
    pub fn new(mut from: Sources, memory: &mut Memory) -> Result<Self, TchError> {
        let (steps, rows, own) = from.given.size3()?;
        let (columns, units) = from.weight.size2()?;
        let sizes = [steps, rows, units, columns].map(|n| n as usize);
        let [steps, rows, units, columns] = sizes;
        let sizes = Sizes { steps, rows, units, columns };
        // Rows that share a scale have one each: the gradient adds them up.
        from.scale =
            from.scale.map(|scale| scale.f_expand([rows as i64, own], false)).transpose()?;
        let mut gates = numbers(&from.given)?;
        let scale = from.scale.as_ref().map_or(Ok(Vec::new()), numbers)?;
        let (state, all) = (rows * units, steps * rows * units);
        let mut cells = vec![0.0; state + all];
        cells[..state].copy_from_slice(&numbers(&memory.cell)?);
        let mut squashed = vec![0.0; all];
        let mut products = Vec::new();
        let mut outputs = vec![0.0; all];
        let mut before = Vec::with_capacity(steps);
        let transposed = from.weight.f_detach()?.f_transpose(0, 1)?;
        let mut hidden = memory.hidden.f_detach()?;
        let mut product = vec![0.0; rows * columns];
        for t in 0..steps {
            let (past, here) = (t * state..(t + 1) * state, (t + 1) * state..(t + 2) * state);
            hidden.f_mm(&transposed)?.f_copy_data(&mut product, rows * columns)?;
            let gates = &mut gates[4 * past.start..4 * past.end];
            add(gates, &product, &scale, 4 * units);
            cells.copy_within(past.clone(), here.start);
            let output = &mut outputs[past.clone()];
            step(gates, &mut cells[here], &mut squashed[past], output, units);
            before.push(hidden);
            hidden = Tensor::f_from_slice(output)?.f_view([rows as i64, units as i64])?;
            if !scale.is_empty() {
                products.extend_from_slice(&product);
            }
        }
        let cell = Tensor::f_from_slice(&cells[all..])?.f_view([rows as i64, units as i64])?;
        *memory = Memory { hidden, cell };
        let shape = [steps, rows, units].map(|n| n as i64);
        let outputs = Tensor::f_from_slice(&outputs)?.f_view(shape)?.f_set_requires_grad(true)?;
        Ok(Self { outputs, from, sizes, gates, cells, squashed, before, products, scale })
    }

    /// A number whose gradients by the scan's sources are those of the loss, from the loss' gradient by the outputs
    /// (T×B×u). The gradient by the weights is left out unless it is asked for.
    fn pulled(&self, by_outputs: &Tensor, by_weights: bool) -> Result<Tensor, TchError> {
        let Sizes { steps, rows, units, columns } = self.sizes;
        let (own, state) = (4 * units, rows * units);
        let mut by_hidden = numbers(by_outputs)?;
        let mut by_cells = vec![0.0; state];
        let mut by_given = vec![0.0; steps * rows * own];
        let mut by_scale = vec![0.0; self.scale.len()];
        let mut by_products =
            vec![0.0; if self.scale.is_empty() { 0 } else { steps * rows * columns }];
        let weight = self.from.weight.f_detach()?;
        let mut carried = vec![0.0; state];
        for t in (0..steps).rev() {
            let here = t * state..(t + 1) * state;
            let wide = 4 * here.start..4 * here.end;
            let done = Step {
                gates: &self.gates[wide.clone()],
                before: &self.cells[here.clone()],
                squashed: &self.squashed[here.clone()],
            };
            let by_sums = &mut by_given[wide];
            gradient(done, &by_hidden[here.clone()], &mut by_cells, by_sums, units);
            let by_product: &[f32] = if self.scale.is_empty() {
                by_sums
            } else {
                let both = t * rows * columns..(t + 1) * rows * columns;
                let (products, by_products) =
                    (&self.products[both.clone()], &mut by_products[both]);
                let scales = self.scale.chunks_exact(own).zip(by_scale.chunks_exact_mut(own));
                let rows =
                    products.chunks_exact(columns).zip(by_products.chunks_exact_mut(columns));
                for (((product, by_product), (scale, by_scale)), by_sums) in
                    rows.zip(scales).zip(by_sums.chunks_exact(own))
                {
                    let (plain, moved) = by_product.split_at_mut(own);
                    plain.copy_from_slice(by_sums);
                    for k in 0..own {
                        moved[k] = scale[k] * by_sums[k];
                        by_scale[k] += by_sums[k] * product[own + k];
                    }
                }
                by_products
            };
            if t > 0 {
                let by_product = tensor(by_product, &[rows, columns])?;
                by_product.f_mm(&weight)?.f_copy_data(&mut carried, state)?;
                for (by, carried) in
                    by_hidden[here.start - state..here.start].iter_mut().zip(&carried)
                {
                    *by += carried;
                }
            }
        }
        let mut pulled = dot(&self.from.given, &tensor(&by_given, &[steps, rows, own])?)?;
        if let Some(scale) = &self.from.scale {
            pulled = pulled.f_add(&dot(scale, &tensor(&by_scale, &[rows, own])?)?)?;
        }
        if by_weights {
            let all = if self.scale.is_empty() { &by_given } else { &by_products };
            let all = tensor(all, &[steps * rows, columns])?;
            let by_weight = all.f_transpose(0, 1)?.f_mm(&Tensor::f_cat(&self.before, 0)?)?;
            pulled = pulled.f_add(&dot(&self.from.weight, &by_weight)?)?;
        }
        Ok(pulled)
    }
}

/// The gradients of a loss that is computed from the outputs of scans, the last of which are nearest to it. `weights`
/// says whether any of `of` are weights that scans are computed from.
///
/// # Errors
/// If libtorch fails, or the loss does not depend on one of `of`.
pub fn gradients(
    loss: &Tensor,
    scans: &[Scan],
    of: &[&Tensor],
    weights: bool,
) -> Result<Vec<Tensor>, TchError> {
    // Outputs of earlier scans may be used by later ones, and by the loss itself.
    let mut sought: Vec<&Tensor> = of.to_vec();
    sought.extend(scans.iter().map(|scan| &scan.outputs));
    let mut sums: Vec<Option<Tensor>> = sought.iter().map(|_| None).collect();
    let missing = || TchError::Torch("the loss does not depend on all of it".to_owned());
    let mut root = loss.shallow_clone();
    for scan in scans.iter().rev() {
        add_up(&mut sums, Tensor::f_run_backward(&[&root], &sought, false, false)?)?;
        sought.pop();
        let by_outputs = sums.pop().flatten().ok_or_else(missing)?;
        root = scan.pulled(&by_outputs, weights)?;
    }
    add_up(&mut sums, Tensor::f_run_backward(&[&root], of, false, false)?)?;
    sums.into_iter().map(|sum| sum.ok_or_else(missing)).collect()
}

/// Adds gradients to sums, where there are any.
fn add_up(sums: &mut [Option<Tensor>], found: Vec<Tensor>) -> Result<(), TchError> {
    for (sum, more) in sums.iter_mut().zip(found).filter(|(_, more)| more.defined()) {
        *sum = Some(match sum.take() {
            Some(sum) => sum.f_add(&more)?,
            None => more,
        });
    }
    Ok(())
}

/// Whether a scan can take the place of libtorch's own steps for such sums of gates.
pub fn suits(given: &Tensor) -> bool {
    given.device() == tch::Device::Cpu && given.kind() == Kind::Float
}

fn numbers(of: &Tensor) -> Result<Vec<f32>, TchError> {
    let mut numbers = vec![0.0; of.numel()];
    of.f_detach()?.f_copy_data(&mut numbers, of.numel())?;
    Ok(numbers)
}

fn tensor(numbers: &[f32], shape: &[usize]) -> Result<Tensor, TchError> {
    let shape: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    Tensor::f_from_slice(numbers)?.f_view(shape.as_slice())
}

fn dot(a: &Tensor, b: &Tensor) -> Result<Tensor, TchError> {
    a.f_reshape([-1])?.f_dot(&b.f_reshape([-1])?)
}
