//! Augmentation of training images, each with strengths of its own: colours jittered, squares cut out, values
//! dropped and scaled, \[MacKay2019\] section 4.2 and appendix E. Written as plain loops over pixels; the
//! strengths are given by the caller.

mod colour;
mod cutout;
pub(crate) mod image_transform;
mod jitter;
mod rate;
mod strengths;

pub use colour::{from_hsv, grey, to_hsv};
pub use cutout::{Cutout, MOST_HOLES};
pub use image_transform::{ImageTransform, NotColour};
pub use jitter::Jitter;
pub use rate::Rate;
pub use strengths::{BadStrength, Strengths};
