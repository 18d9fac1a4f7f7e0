//! The dropout masks of a residual network as tensors, one for each block. Every value is a function of the
//! training's key, the step, the block and its place: on a GPU they are drawn there, and nothing is copied.

use models::neural::residual::masks::Masks;
use tch::{Device, Kind, TchError, Tensor};

use super::philox;

/// The most values that are drawn at a time: a generator made of tensor operations starts some 150 of them however
/// few values it draws, so that one step's masks would cost several times what the step costs.
const AT_A_TIME: i64 = 1 << 24;

/// The masks of a training.
#[derive(Debug)]
pub struct BlockMasks {
    masks: Masks,
    /// For each block channels, height and width.
    shapes: Vec<[i64; 3]>,
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
    /// The masks of this stream for blocks of these channels, heights and widths.
    pub fn new(masks: Masks, shapes: Vec<[i64; 3]>) -> Self {
        Self { masks, shapes, drawn: Vec::new() }
    }

    /// The masks of a step for `images` images (n×C×S×S for each block), on a device.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn draw(
        &mut self,
        step: u32,
        images: i64,
        (kind, device): (Kind, Device),
    ) -> Result<Vec<Tensor>, TchError> {
        let blocks = 0..self.shapes.len();
        let draw = |block: usize| {
            let shape = self.shapes[block];
            let values = shape.iter().product();
            let mask = if device == Device::Cpu {
                let drawn = self.masks.draw(values as usize, images as usize, block, step);
                Tensor::f_from_slice(&drawn)?
            } else {
                self.ahead((step, block), images, values, device)?
            };
            mask.f_view([images, shape[0], shape[1], shape[2]])?.f_to_kind(kind)
        };
        blocks.map(draw).collect()
    }

    /// The same factors, computed by tensor operations on the device, for several steps at a time.
    fn ahead(
        &mut self,
        (step, block): (u32, usize),
        images: i64,
        values: i64,
        device: Device,
    ) -> Result<Tensor, TchError> {
        let Self { masks, ref mut drawn, .. } = *self;
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
    use super::*;

    /// Also where a batch is smaller than the one before, and beyond what was drawn ahead.
    #[test]
    fn tensor_operations_draw_the_same_masks() {
        let masks = Masks::new(0.3, [0xdead_beef, 0xffff_ffff]);
        for device in [Device::Cpu, Device::cuda_if_available()] {
            let mut ahead = BlockMasks::new(masks, Vec::new());
            for (step, images) in [(0, 5), (1, 5), (2, 3), (3, 5), (1_000_003, 4), (0, 5), (9, 600)]
            {
                for (block, values) in [(0, 16_384), (1, 21)] {
                    let there = ahead.ahead((step, block), images, values, device).unwrap();
                    let there: Vec<f32> = there.reshape([-1]).try_into().unwrap();
                    let here = masks.draw(values as usize, images as usize, block, step);
                    assert!(here == there, "{device:?}: step {step}, block {block}");
                }
            }
        }
    }

    #[test]
    fn each_block_and_each_step_has_its_own_mask() {
        let like = (Kind::Float, Device::Cpu);
        let mut masks = BlockMasks::new(Masks::new(0.3, [1, 2]), vec![[2, 3, 3]; 2]);
        let drawn = masks.draw(5, 4, like).unwrap();
        assert_eq!(drawn.len(), 2);
        assert_eq!(drawn[0].size(), [4, 2, 3, 3]);
        assert_ne!(drawn[0], drawn[1]);
        assert_eq!(drawn, masks.draw(5, 4, like).unwrap());
        assert_ne!(drawn[0], masks.draw(6, 4, like).unwrap()[0]);
    }
}
