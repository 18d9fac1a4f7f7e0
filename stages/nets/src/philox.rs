//! Philox4x32-10 in tensor operations: the same words as `models::neural::philox`, drawn on the device where
//! they are used.

use std::ops::Range;

use tch::{Device, Kind, TchError, Tensor};

const MULTIPLIERS: [i64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: u32 = 10;
const LOW: i64 = 0xffff_ffff;

/// Four words of each counter: 64-bit tensors of one shape, with values below 2³².
///
/// # Errors
/// If the shapes differ, or memory cannot be allocated.
pub fn words(mut counter: [Tensor; 4], key: [u32; 2]) -> Result<[Tensor; 4], TchError> {
    for round in 0..ROUNDS {
        let key = [0, 1].map(|k| i64::from(key[k].wrapping_add(round.wrapping_mul(WEYL[k]))));
        // The product has 64 bits: in a signed number it wraps around, and its halves are those of the
        // unsigned one.
        let halves = |m: i64, word: &Tensor| -> Result<[Tensor; 2], TchError> {
            let product = word.f_mul_scalar(m)?;
            let high = product.f_bitwise_right_shift_tensor_scalar(32)?;
            Ok([high.f_bitwise_and(LOW)?, product.f_bitwise_and(LOW)?])
        };
        let [high_0, low_0] = halves(MULTIPLIERS[0], &counter[0])?;
        let [high_1, low_1] = halves(MULTIPLIERS[1], &counter[2])?;
        let mix = |high: &Tensor, word: &Tensor, key: i64| {
            high.f_bitwise_xor_tensor(word)?.f_bitwise_xor(key)
        };
        counter =
            [mix(&high_1, &counter[1], key[0])?, low_1, mix(&high_0, &counter[3], key[1])?, low_0];
    }
    Ok(counter)
}

/// 16 random bits for each of `values` values of `images` images in each of some steps (steps×images×values), of one
/// block.
///
/// # Errors
/// If memory cannot be allocated.
pub fn halves(
    values: i64,
    images: i64,
    block: usize,
    steps: Range<u32>,
    key: [u32; 2],
    device: Device,
) -> Result<Tensor, TchError> {
    let options = (Kind::Int64, device);
    let groups = (values + 7) / 8;
    let shape = [steps.len() as i64, images, groups];
    let along = |numbers: Tensor, like: [i64; 3]| numbers.f_view(like)?.f_expand(shape, false);
    let group = along(Tensor::f_arange(groups, options)?, [1, 1, -1])?;
    let image = along(Tensor::f_arange(images, options)?, [1, -1, 1])?;
    let (first, end) = (i64::from(steps.start), i64::from(steps.end));
    let step = along(Tensor::f_arange_start(first, end, options)?, [-1, 1, 1])?;
    let counter = [group, image, Tensor::f_full(shape, block as i64, options)?, step];
    let mut parts = Vec::with_capacity(8);
    for word in words(counter, key)? {
        parts.push(word.f_bitwise_and(0xffff)?);
        parts.push(word.f_bitwise_right_shift_tensor_scalar(16)?);
    }
    Tensor::f_stack(&parts, 3)?.f_view([shape[0], images, 8 * groups])?.f_narrow(2, 0, values)
}

#[cfg(test)]
mod tests {
    use models::neural::philox::philox;

    use super::*;

    #[test]
    fn words_are_those_of_the_scalar_generator() {
        let counters: Vec<[u32; 4]> = (0..50_u32)
            .map(|i| [i, u32::MAX - i, i.wrapping_mul(0x9E37_79B9), 1 << (i % 32)])
            .collect();
        let key = [0xa409_3822, 0xffff_ffff];
        let column = |w: usize| -> Tensor {
            Tensor::from_slice(&counters.iter().map(|c| i64::from(c[w])).collect::<Vec<_>>())
        };
        let found = words([column(0), column(1), column(2), column(3)], key).unwrap();
        for (w, found) in found.iter().enumerate() {
            let found: Vec<i64> = found.try_into().unwrap();
            let expected: Vec<i64> =
                counters.iter().map(|c| i64::from(philox(*c, key)[w])).collect();
            assert_eq!(found, expected, "word {w}");
        }
    }
}
