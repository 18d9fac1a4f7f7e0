//! Images that stay on the device: batches, and the views of their images, are made there by look-ups, so that a
//! training step copies nothing.

use models::neural::residual::{Images, Scale, View};
use rand_chacha::ChaCha12Rng;
use tch::{Device, Kind, TchError, Tensor};

/// Standardised images on a device, with all views that they may have.
#[derive(Debug)]
pub struct Resident {
    /// N×(P+1)×C: the P pixels of each image, and after them one for what lies outside.
    pixels: Tensor,
    /// N classes.
    labels: Tensor,
    /// V×P×1: for each view the pixels that it shows, in order.
    views: Tensor,
    size: usize,
    channels: i64,
    /// The most pixels that a view is shifted by.
    most: i32,
}

impl Resident {
    /// Copies images to a device.
    ///
    /// # Errors
    /// If its memory does not suffice.
    pub fn new(images: &Images<'_>, scale: &Scale, device: Device) -> Result<Self, TchError> {
        let (size, channels) = (images.size, images.channels);
        let plane = size * size;
        let mut pixels = Vec::with_capacity(images.len() * (plane + 1) * channels);
        for image in images.pixels.chunks_exact(images.bytes()) {
            for at in 0..plane {
                let bytes = image[at..].iter().step_by(plane);
                pixels.extend(bytes.zip(&scale.0).map(|(&byte, table)| table[usize::from(byte)]));
            }
            // A standardised channel has the mean 0.
            pixels.resize(pixels.len() + channels, 0.0);
        }
        let labels: Vec<i64> = images.labels.iter().map(|&label| label.into()).collect();
        let shape = [images.len(), plane + 1, channels].map(|n| n as i64);
        let most = (size / 8) as i32;
        let shown: Vec<i64> = all_views(most).flat_map(|view| shown(view, size)).collect();
        Ok(Self {
            pixels: Tensor::f_from_slice(&pixels)?.f_view(shape)?.f_to_device(device)?,
            labels: Tensor::f_from_slice(&labels)?.f_to_device(device)?,
            views: Tensor::f_from_slice(&shown)?
                .f_view([-1, plane as i64, 1])?
                .f_to_device(device)?,
            size,
            channels: channels as i64,
            most,
        })
    }

    /// The order in which an epoch visits images, on the device, each in a view of its own if a generator is given.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn order(
        &self,
        rows: &[usize],
        views: Option<&mut ChaCha12Rng>,
    ) -> Result<Order, TchError> {
        let mut codes = vec![code(View::default(), self.most); rows.len()];
        if let Some(rng) = views {
            codes.fill_with(|| code(View::draw(self.most, rng), self.most));
        }
        let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let there =
            |numbers: &[i64]| Tensor::f_from_slice(numbers)?.f_to_device(self.pixels.device());
        Ok(Order { rows: there(&rows)?, views: there(&codes)? })
    }

    /// The images (n×C×S×S, of a precision) and classes (n) of `n` visits. In memory the channels of a pixel lie side by
    /// side, as the fast convolutions of GPUs want them.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn batch(
        &self,
        Order { rows, views }: &Order,
        kind: Kind,
    ) -> Result<(Tensor, Tensor), TchError> {
        let shown = self.views.f_index_select(0, views)?;
        let shown = shown.f_expand([-1, -1, self.channels], false)?;
        let images = self.pixels.f_index_select(0, rows)?.f_gather(1, &shown, false)?;
        let side = self.size as i64;
        let images = images.f_view([-1, side, side, self.channels])?.f_to_kind(kind)?;
        Ok((images.f_permute([0, 3, 1, 2])?, self.labels.f_index_select(0, rows)?))
    }
}

/// Visits of an epoch: numbers of images and of views.
#[derive(Debug)]
pub struct Order {
    /// Of images.
    pub rows: Tensor,
    /// Of views, one for each row.
    pub views: Tensor,
}

impl Order {
    /// `n` visits from `first` on, in the same memory.
    ///
    /// # Errors
    /// If there are no such visits.
    pub fn part(&self, first: usize, n: usize) -> Result<Self, TchError> {
        let part = |of: &Tensor| of.f_narrow(0, first as i64, n as i64);
        Ok(Self { rows: part(&self.rows)?, views: part(&self.views)? })
    }
}

/// All views that are shifted by at most `most` pixels, by their codes.
fn all_views(most: i32) -> impl Iterator<Item = View> {
    let shifts = move || -most..=most;
    shifts().flat_map(move |down| {
        shifts().flat_map(move |right| [false, true].map(|mirrored| View { down, right, mirrored }))
    })
}

/// The number of a view among all views.
fn code(view: View, most: i32) -> i64 {
    let side = 2 * most + 1;
    (((view.down + most) * side + view.right + most) * 2 + i32::from(view.mirrored)).into()
}

/// The pixels that a view shows, row by row; the one after the last stands for what lies outside.
fn shown(view: View, size: usize) -> Vec<i64> {
    let within = |at: usize, by: i32| at.checked_add_signed(by as isize).filter(|&at| at < size);
    let outside = size * size;
    let mut shown = Vec::with_capacity(outside);
    for y in 0..size {
        for x in 0..size {
            let x = if view.mirrored { size - 1 - x } else { x };
            let at = within(y, view.down).zip(within(x, view.right));
            shown.push(at.map_or(outside, |(y, x)| y * size + x) as i64);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    const FLOAT: Kind = Kind::Float;

    fn values(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(tensor.contiguous().view([-1])).unwrap()
    }

    #[test]
    fn codes_number_the_views() {
        let views: Vec<View> = all_views(2).collect();
        assert_eq!(views.len(), 50);
        for (number, &view) in (0..).zip(&views) {
            assert_eq!(code(view, 2), number);
        }
    }

    /// The same values as those that are computed on the CPU for its own trainings, to the bit.
    #[test]
    fn batches_are_the_views_that_the_cpu_computes() {
        let pixels: Vec<u8> = (0..5 * 2 * 256).map(|i| (i * 37 % 251) as u8).collect();
        let images = Images { pixels: &pixels, labels: &[1, 0, 2, 1, 9], size: 16, channels: 2 };
        let scale = Scale::of(&images);
        let rows: Vec<usize> = (0..200).map(|i| i * 7 % 5).collect();
        let devices = [Device::Cpu, Device::cuda_if_available()];
        for (device, augment) in devices.into_iter().flat_map(|d| [(d, false), (d, true)]) {
            let resident = Resident::new(&images, &scale, device).unwrap();
            let mut rng = ChaCha12Rng::seed_from_u64(3);
            let mut same = rng.clone();
            let order = resident.order(&rows, augment.then_some(&mut rng)).unwrap();
            for (first, n) in [(0, 64), (64, 64), (128, 72)] {
                let (x, y) = resident.batch(&order.part(first, n).unwrap(), FLOAT).unwrap();
                assert_eq!(x.size(), [n as i64, 2, 16, 16]);
                let (mut expected, mut labels) = (Vec::new(), Vec::new());
                for &row in &rows[first..first + n] {
                    let view = if augment { View::draw(2, &mut same) } else { View::default() };
                    for (plane, table) in
                        pixels[row * 512..(row + 1) * 512].chunks_exact(256).zip(&scale.0)
                    {
                        expected.extend(view.of(plane, 16, table).map(f32::to_bits));
                    }
                    labels.push(i64::from(images.labels[row]));
                }
                let found: Vec<u32> = values(&x).into_iter().map(f32::to_bits).collect();
                assert_eq!(found, expected, "{device:?}, augment {augment}, from {first}");
                assert_eq!(Vec::<i64>::try_from(y).unwrap(), labels);
            }
        }
    }

    #[test]
    fn channels_of_a_pixel_lie_side_by_side() {
        let images = Images { pixels: &[7; 3 * 64], labels: &[0], size: 8, channels: 3 };
        let resident = Resident::new(&images, &Scale::of(&images), Device::Cpu).unwrap();
        let order = resident.order(&[0], None).unwrap();
        let (x, _) = resident.batch(&order, FLOAT).unwrap();
        assert_eq!(x.stride()[1], 1);
        assert!(order.part(0, 2).is_err());
    }
}
