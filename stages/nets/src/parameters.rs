//! Parameters with a common update rule, in one piece of memory: the network uses its parts, and the rule
//! updates the whole in a few operations.

use tch::{Device, Kind, TchError, Tensor};

/// The device and precision of tensors.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Device.
    pub device: Device,
    /// Precision: `Float`, or `Double` in tests that compare values.
    pub kind: Kind,
}

/// Shapes and initial values of parameters that are still being listed.
#[derive(Debug, Default)]
pub struct Listing {
    shapes: Vec<Vec<i64>>,
    values: Vec<f64>,
}

impl Listing {
    /// Adds a parameter; returns its index among the parts.
    pub fn add(&mut self, shape: &[i64], values: &[f64]) -> usize {
        debug_assert_eq!(shape.iter().product::<i64>(), values.len() as i64);
        self.shapes.push(shape.to_vec());
        self.values.extend(values);
        self.shapes.len() - 1
    }
}

/// Parameters as one vector and as parts of it.
#[derive(Debug)]
pub struct Parameters {
    /// All values, flat.
    pub flat: Tensor,
    /// The same memory in shapes: leaves with gradient tracking.
    pub parts: Vec<Tensor>,
}

impl Parameters {
    /// The listed parameters.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(listing: &Listing, placement: Placement) -> Result<Self, TchError> {
        let values = Tensor::f_from_slice(&listing.values)?;
        let flat = values.f_to_kind(placement.kind)?.f_to_device(placement.device)?;
        let mut at = 0;
        let mut parts = Vec::with_capacity(listing.shapes.len());
        for shape in &listing.shapes {
            let length = shape.iter().product();
            let part = flat.f_narrow(0, at, length)?.f_view(shape.as_slice())?.f_detach()?;
            parts.push(part.f_set_requires_grad(true)?);
            at += length;
        }
        Ok(Self { flat, parts })
    }

    /// Switches the tracking of gradients.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn track(&mut self, on: bool) -> Result<(), TchError> {
        for part in &mut self.parts {
            *part = part.f_set_requires_grad(on)?;
        }
        Ok(())
    }
}

/// The gradients of `loss` as one vector for each of the parameters.
///
/// # Errors
/// If the loss does not depend on a part.
pub fn gradients(loss: &Tensor, of: &[&Parameters]) -> Result<Vec<Tensor>, TchError> {
    let parts: Vec<&Tensor> = of.iter().flat_map(|parameters| &parameters.parts).collect();
    let mut all = Tensor::f_run_backward(&[loss], &parts, false, false)?.into_iter();
    let flat = |parameters: &&Parameters| {
        let own = all.by_ref().take(parameters.parts.len());
        let flat: Vec<Tensor> = own.map(|g| g.f_reshape([-1])).collect::<Result<_, _>>()?;
        Tensor::f_cat(&flat, 0)
    };
    of.iter().map(flat).collect()
}
