//! The dropout masks of a residual network as tensors, block by block. Every value is a function of the
//! training's key, the step, the block and its place: on a GPU they are drawn there, and nothing is copied.

use models::neural::residual::masks::Masks;
use tch::{Kind, TchError, Tensor};

use super::philox;

/// The most values that are drawn at a time: a generator made of tensor operations starts some 150 of them however
/// few values it draws, so that one step's masks would cost several times what the step costs.
const AT_A_TIME: i64 = 1 << 24;

/// The masks of a training, at the next block that asks.
#[derive(Debug)]
pub struct BlockMasks {
    masks: Masks,
    step: u32,
    /// The next block.
    block: usize,
    /// For each block what was drawn ahead on a GPU.
    drawn: Vec<Drawn>,
}

/// The masks of a block for some steps.
#[derive(Debug)]
struct Drawn {
    first: u32,
    /// steps × images × values
    masks: Tensor,
}

impl BlockMasks {
    /// The masks of this stream, at its first step.
    pub fn new(masks: Masks) -> Self {
        Self { masks, step: 0, block: 0, drawn: Vec::new() }
    }

    /// Goes to the first block of a step.
    pub fn begin(&mut self, step: u32) {
        (self.step, self.block) = (step, 0);
    }

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
            self.ahead(values, images, x.device())?
        };
        self.block += 1;
        mask.f_view(x.size().as_slice())?.f_to_kind(x.f_kind()?)
    }

    /// The same factors, computed by tensor operations on the device, for several steps at a time.
    fn ahead(&mut self, values: i64, images: i64, device: tch::Device) -> Result<Tensor, TchError> {
        let Self { masks, step, block, ref mut drawn } = *self;
        let has = |drawn: &Drawn| {
            let size = drawn.masks.size();
            let reaches = i64::from(step.wrapping_sub(drawn.first)) < size[0];
            // The last batch of an epoch has fewer images, which are those of a whole one.
            drawn.first <= step && reaches && images <= size[1] && values == size[2]
        };
        if !drawn.get(block).is_some_and(has) {
            let steps = (AT_A_TIME / (images * values)).max(1) as u32;
            let bits =
                philox::halves(values, images, block, step..step + steps, masks.key, device)?;
            let stays = bits.f_ge(i64::from(masks.below))?.f_to_kind(Kind::Float)?;
            let fresh = Drawn { first: step, masks: stays.f_mul_scalar(f64::from(masks.kept))? };
            drawn.truncate(block);
            drawn.push(fresh);
        }
        let Drawn { first, masks } = &drawn[block];
        masks.f_select(0, i64::from(step - first))?.f_narrow(0, 0, images)
    }
}

#[cfg(test)]
mod tests {
    use tch::Device;

    use super::*;

    /// Also where a batch is smaller than the one before, and beyond what was drawn ahead.
    #[test]
    fn tensor_operations_draw_the_same_masks() {
        let masks = Masks::new(0.3, [0xdead_beef, 0xffff_ffff]);
        for device in [Device::Cpu, Device::cuda_if_available()] {
            let mut ahead = BlockMasks::new(masks);
            for (step, images) in [(0, 5), (1, 5), (2, 3), (3, 5), (1_000_003, 4), (0, 5), (9, 600)]
            {
                ahead.begin(step);
                for (block, values) in [(0, 16_384), (1, 21)] {
                    let there = ahead.ahead(values, images, device).unwrap();
                    ahead.block += 1;
                    let there: Vec<f32> = there.reshape([-1]).try_into().unwrap();
                    let here = masks.draw(values as usize, images as usize, block, step);
                    assert!(here == there, "{device:?}: step {step}, block {block}");
                }
            }
        }
    }

    #[test]
    fn each_block_has_its_own_mask() {
        let masks = Masks::new(0.3, [1, 2]);
        let x = Tensor::zeros([4, 2, 3, 3], (Kind::Float, Device::Cpu));
        let mut at = BlockMasks::new(masks);
        at.begin(5);
        let (first, second) = (at.next(&x).unwrap(), at.next(&x).unwrap());
        assert_eq!(first.size(), x.size());
        assert_ne!(first, second);
        at.begin(5);
        assert_eq!(first, at.next(&x).unwrap());
    }
}
