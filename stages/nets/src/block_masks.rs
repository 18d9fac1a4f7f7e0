//! The dropout masks of a residual network as tensors, block by block. Every value is a function of the
//! training's key, the step, the block and its place: on a GPU they are drawn there, and nothing is copied.

use models::neural::residual::masks::Masks;
use tch::{Kind, TchError, Tensor};

use super::philox;

/// The masks of one step, at the next block that asks.
#[derive(Debug)]
pub struct BlockMasks<'a> {
    /// The stream.
    pub masks: &'a Masks,
    /// The step.
    pub step: u32,
    /// The next block.
    pub block: usize,
}

impl BlockMasks<'_> {
    /// The mask of the next block for `x` (n×C×S×S), of its precision and on its device.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn next(&mut self, x: &Tensor) -> Result<Tensor, TchError> {
        let images = x.size()[0];
        let values = x.numel() as i64 / images;
        let mask = if x.device() == tch::Device::Cpu {
            let drawn = self.masks.draw(values as usize, images as usize, self.block, self.step);
            Tensor::f_from_slice(&drawn)?
        } else {
            self.drawn_there(values, images, x.device())?
        };
        self.block += 1;
        mask.f_view(x.size().as_slice())?.f_to_kind(x.f_kind()?)
    }

    /// The same factors, computed by tensor operations on the device.
    fn drawn_there(
        &self,
        values: i64,
        images: i64,
        device: tch::Device,
    ) -> Result<Tensor, TchError> {
        let Masks { below, kept, key } = *self.masks;
        let bits = philox::halves(values, images, (self.block, self.step), key, device)?;
        let stays = bits.f_ge(i64::from(below))?.f_to_kind(Kind::Float)?;
        stays.f_mul_scalar(f64::from(kept))
    }
}

#[cfg(test)]
mod tests {
    use tch::Device;

    use super::*;

    #[test]
    fn tensor_operations_draw_the_same_masks() {
        for (values, images, block, step) in [(64, 5, 0, 0), (21, 3, 7, 1_000_003)] {
            let masks = Masks::new(0.3, [0xdead_beef, 0xffff_ffff]);
            let here = BlockMasks { masks: &masks, step, block };
            let drawn = masks.draw(values as usize, images as usize, block, step);
            for device in [Device::Cpu, Device::cuda_if_available()] {
                let there = here.drawn_there(values, images, device).unwrap();
                let there: Vec<f32> = there.reshape([-1]).try_into().unwrap();
                assert_eq!(drawn, there, "{device:?}");
            }
        }
    }

    #[test]
    fn each_block_has_its_own_mask() {
        let masks = Masks::new(0.3, [1, 2]);
        let x = Tensor::zeros([4, 2, 3, 3], (Kind::Float, Device::Cpu));
        let mut at = BlockMasks { masks: &masks, step: 5, block: 0 };
        let (first, second) = (at.next(&x).unwrap(), at.next(&x).unwrap());
        assert_eq!(first.size(), x.size());
        assert_ne!(first, second);
    }
}
