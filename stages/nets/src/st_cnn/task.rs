//! A network on images as a task: its batches, with augmentation and dropout by the hyper-parameters of each
//! image, and its evaluation on unchanged images.

use models::neural::{
    augment::{ImageTransform, Strengths},
    regularisation::{Regularisation, Roles},
    residual::Images,
};
use rand_chacha::ChaCha12Rng;
use tch::{Kind, Tensor};

use super::{
    network::{Drops, Network},
    passes::Passes,
};
use crate::{
    error::TorchError,
    example_masks::ExampleMasks,
    hyper::{Checkpoint, Drawn, Evaluation, Forward, Held, Tunable, cross_entropy},
    parameters::{Parameters, Placement},
};

/// Number of images evaluated at a time.
const EVALUATED: usize = 250;

/// A network, its weights and its images.
#[derive(Debug)]
pub struct ImageTask<'a> {
    /// The layers.
    pub network: Network,
    /// Their weights.
    pub weights: Parameters,
    /// The regularisation that hyper-parameters control.
    pub roles: Roles,
    /// The training images, and the position of their batches.
    pub training: (Images<'a>, Passes),
    /// The validation images, and the position of their batches.
    pub validation: (Images<'a>, Passes),
    /// The test images, on which nothing is chosen.
    pub test: Images<'a>,
    /// Prepares images.
    pub transform: ImageTransform,
    /// The generator of augmentation.
    pub changes: ChaCha12Rng,
    /// The generator of dropout.
    pub masks: ExampleMasks,
    /// The device of tensors.
    pub placement: Placement,
}

impl ImageTask<'_> {
    /// Images (B×3×S×S) and their classes (B), augmented if there are strengths.
    fn batch(
        &mut self,
        images: Images<'_>,
        rows: &[usize],
        strengths: Option<&[Strengths]>,
    ) -> Result<(Tensor, Tensor), TorchError> {
        let mut values = Vec::with_capacity(rows.len() * self.transform.values());
        for (i, &row) in rows.iter().enumerate() {
            let image = &images.pixels[row * images.bytes()..(row + 1) * images.bytes()];
            match strengths {
                None => self.transform.plain(image, &mut values),
                Some(all) => self.transform.changed(image, &all[i], &mut self.changes, &mut values),
            }
        }
        let labels: Vec<i64> = rows.iter().map(|&row| i64::from(images.labels[row])).collect();
        let (size, device) = (images.size as i64, self.placement.device);
        let values = Tensor::f_from_slice(&values)?.f_view([-1, 3, size, size])?;
        let values = values.f_to_kind(self.placement.kind)?.f_to_device(device)?;
        Ok((values, Tensor::f_from_slice(&labels)?.f_to_device(device)?))
    }
}

impl Tunable for ImageTask<'_> {
    fn weights(&mut self) -> &mut Parameters {
        &mut self.weights
    }

    fn training_batch(&self) -> usize {
        self.training.1.size()
    }

    fn validation_batch(&self) -> usize {
        self.validation.1.size()
    }

    fn epoch(&self) -> usize {
        self.training.1.over()
    }

    fn train(&mut self, hypers: &Drawn) -> Result<Forward, TorchError> {
        let rows = self.training.1.take();
        let read = |i| self.roles.read(hypers.row(i));
        let regularisations: Vec<Regularisation> = (0..rows.len()).map(read).collect();
        let strengths: Vec<Strengths> = regularisations.iter().map(|r| r.strengths).collect();
        let (x, targets) = self.batch(self.training.0, &rows, Some(&strengths))?;
        let drops = Drops { regularisations: &regularisations, masks: &mut self.masks };
        let (parts, response) = (&self.weights.parts, hypers.response.as_ref());
        let logits = self.network.forward(parts, &x, response, Some(drops))?;
        Ok(Forward { logits, targets, penalty: None, scans: Vec::new() })
    }

    fn validate(&mut self, hypers: &Drawn) -> Result<Forward, TorchError> {
        let rows = self.validation.1.take();
        let (x, targets) = self.batch(self.validation.0, &rows, None)?;
        let (parts, response) = (&self.weights.parts, hypers.response.as_ref());
        let logits = self.network.forward(parts, &x, response, None)?;
        Ok(Forward { logits, targets, penalty: None, scans: Vec::new() })
    }

    fn evaluate(
        &mut self,
        on: Held,
        hypers: &Drawn,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Evaluation>, TorchError> {
        let _guard = tch::no_grad_guard();
        let images = match on {
            Held::Validation => self.validation.0,
            Held::Test => self.test,
        };
        let rows: Vec<usize> = (0..images.len()).collect();
        let (mut loss, mut wrong) = (0.0, 0);
        for rows in rows.chunks(EVALUATED) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            let (x, y) = self.batch(images, rows, None)?;
            let response = hypers.response.as_ref();
            let logits = self.network.forward(&self.weights.parts, &x, response, None)?;
            let own = cross_entropy(&logits, &y)?.f_to_kind(Kind::Double)?;
            loss += own.f_double_value(&[])? * rows.len() as f64;
            let said = logits.f_argmax(1, false)?;
            wrong += said.f_ne_tensor(&y)?.f_sum(Kind::Int64)?.f_int64_value(&[])?;
        }
        let n = images.len() as f64;
        let evaluation = Evaluation { loss: loss / n, error: Some(wrong as f64 / n) };
        Ok(loss.is_finite().then_some(evaluation))
    }

    fn mark(&self, marks: &mut [Vec<f32>]) {
        self.network.mark(marks);
    }

    fn position(&self, all: &mut Checkpoint) {
        self.training.1.save("training", all);
        self.validation.1.save("validation", all);
        all.add_generator("changes", &self.changes);
        all.add_generator("masks", &self.masks.rng);
    }

    fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError> {
        self.training.1.resume("training", from)?;
        self.validation.1.resume("validation", from)?;
        self.changes = from.generator("changes")?;
        self.masks.rng = from.generator("masks")?;
        Ok(())
    }
}
