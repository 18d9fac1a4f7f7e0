//! Makes batches of images as tensors, standardised by the training images.

use models::neural::residual::{Images, Scale};
use tch::{Device, TchError, Tensor};

/// Makes batches of some images.
#[derive(Debug)]
pub struct Batches<'a> {
    images: Images<'a>,
    scale: Scale,
    device: Device,
    pixels: Vec<f32>,
    labels: Vec<i64>,
}

impl<'a> Batches<'a> {
    /// Batches on a device.
    pub fn new(images: Images<'a>, scale: Scale, device: Device) -> Self {
        Self { images, scale, device, pixels: Vec::new(), labels: Vec::new() }
    }

    /// The images `rows` (n×C×S×S) and their classes (n).
    ///
    /// # Errors
    /// If memory cannot be allocated.
    ///
    /// # Panics
    /// If there is no such image.
    pub fn take(&mut self, rows: &[usize]) -> Result<(Tensor, Tensor), TchError> {
        let (size, channels) = (self.images.size, self.images.channels);
        let bytes = self.images.bytes();
        self.pixels.clear();
        self.labels.clear();
        for &row in rows {
            self.labels.push(i64::from(self.images.labels[row]));
            let image = &self.images.pixels[row * bytes..(row + 1) * bytes];
            for (plane, table) in image.chunks_exact(size * size).zip(&self.scale.0) {
                self.pixels.extend(plane.iter().map(|&byte| table[usize::from(byte)]));
            }
        }
        let shape = [rows.len() as i64, channels as i64, size as i64, size as i64];
        let pixels = Tensor::f_from_slice(&self.pixels)?.f_view(shape)?;
        let labels = Tensor::f_from_slice(&self.labels)?;
        Ok((pixels.f_to_device(self.device)?, labels.f_to_device(self.device)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(tensor.reshape([-1])).unwrap()
    }

    #[test]
    fn batches_are_standardised_by_channel() {
        let pixels: Vec<u8> = (0..3 * 2 * 64).map(|i| (i * 37 % 251) as u8).collect();
        let images = Images { pixels: &pixels, labels: &[1, 0, 2], size: 8, channels: 2 };
        let mut batches = Batches::new(images, Scale::of(&images), Device::Cpu);
        let (x, y) = batches.take(&[2, 0, 1]).unwrap();
        assert_eq!(x.size(), [3, 2, 8, 8]);
        assert_eq!(Vec::<i64>::try_from(y).unwrap(), [2, 1, 0]);
        for channel in 0..2 {
            let of = x.select(1, channel);
            let (variance, mean) = of.var_mean(false);
            assert!(mean.double_value(&[]).abs() < 1e-6);
            assert!((variance.double_value(&[]) - 1.0).abs() < 1e-6);
        }
        // In the requested order: the first of the batch is the third image.
        let (third, _) = batches.take(&[2]).unwrap();
        assert_eq!(values(&third), values(&x.narrow(0, 0, 1)));
    }
}
