//! A layer of LSTM units whose weights respond to hyper-parameters, \[MacKay2019\] app. D.

use tch::{TchError, Tensor};

use super::builder::Builder;
use super::linear::HyperLinear;
use super::memory::Memory;
use super::scan::{Scan, Sources, suits};

/// A layer of LSTM units. Gates are in the public code's order: forget, input, output, then the new value.
#[derive(Debug, Clone)]
pub struct HyperLstm {
    from_input: HyperLinear,
    from_hidden: HyperLinear,
    units: i64,
}

impl HyperLstm {
    /// A layer of this many units on this many inputs.
    pub fn new(builder: &mut Builder<'_>, inputs: usize, units: usize) -> Self {
        let from_input = HyperLinear::new(builder, inputs, 4 * units, false);
        let from_hidden = HyperLinear::new(builder, units, 4 * units, false);
        Self { from_input, from_hidden, units: units as i64 }
    }

    /// The shape of a mask for DropConnect: outputs×inputs of the weights between hidden units.
    pub fn connections(&self) -> [i64; 2] {
        [4 * self.units, self.units]
    }

    /// The outputs (T×B×u) for x (T×B×i) and the hyper-parameters of each sequence (B×n), or of all (1×n),
    /// starting from `memory`, which is updated to the end of the segment. The weights between hidden units
    /// are multiplied by `mask` (4u×u), elementary ones and the response's alike.
    ///
    /// With `scans`, the steps of a layer in single precision on a CPU are a scan, which is added to them.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        parts: &[Tensor],
        x: &Tensor,
        hypers: Option<&Tensor>,
        mask: Option<&Tensor>,
        memory: &mut Memory,
        scans: Option<&mut Vec<Scan>>,
    ) -> Result<Tensor, TchError> {
        let own = 4 * self.units;
        // The parts that do not depend on the hidden units are computed for the whole segment at once.
        let given = self.from_input.forward(parts, x, hypers)?;
        let gates = self.from_hidden.gated(parts, hypers)?;
        let (given, weight) = if let Some(gates) = &gates {
            let both = parts[self.from_hidden.weight].f_view([2, own, self.units])?;
            (given.f_add(&gates.bias)?, both)
        } else {
            let (weight, bias) = self.from_hidden.elementary(parts)?;
            (given.f_add(&bias)?, weight)
        };
        let weight = match mask {
            Some(mask) => weight.f_mul(mask)?,
            None => weight,
        };
        let weight = weight.f_view([-1, self.units])?;
        if let Some(scans) = scans.filter(|_| suits(&given)) {
            let scale = gates.map(|gates| gates.scale);
            let scan = Scan::new(Sources { given, weight, scale }, memory)?;
            let outputs = scan.outputs.shallow_clone();
            scans.push(scan);
            return Ok(outputs);
        }
        let weight = weight.f_transpose(0, 1)?;
        let mut outputs = Vec::with_capacity(x.size()[0] as usize);
        let (mut hidden, mut cell) = (memory.hidden.shallow_clone(), memory.cell.shallow_clone());
        for given in given.f_unbind(0)? {
            let sums = match &gates {
                Some(gates) => {
                    let product = hidden.f_mm(&weight)?;
                    let [product, moved] = two(product.f_chunk(2, 1)?);
                    given.f_add(&product)?.f_addcmul(&gates.scale, &moved)?
                }
                None => given.f_addmm(&hidden, &weight)?,
            };
            let [open, new] = two(sums.f_split_with_sizes([3 * self.units, self.units], 1)?);
            let gates = open.f_sigmoid()?.f_chunk(3, 1)?;
            cell = gates[0].f_mul(&cell)?.f_addcmul(&gates[1], &new.f_tanh()?)?;
            hidden = gates[2].f_mul(&cell.f_tanh()?)?;
            outputs.push(hidden.shallow_clone());
        }
        *memory = Memory { hidden: hidden.f_detach()?, cell: cell.f_detach()? };
        Tensor::f_stack(&outputs, 0)
    }

    /// Marks the response among the parameters: 1 where a value belongs to it, 0 elsewhere.
    pub fn mark(&self, marks: &mut [Vec<f32>]) {
        self.from_input.mark(marks);
        self.from_hidden.mark(marks);
    }
}

fn two(parts: Vec<Tensor>) -> [Tensor; 2] {
    parts.try_into().expect("it was cut in two")
}
