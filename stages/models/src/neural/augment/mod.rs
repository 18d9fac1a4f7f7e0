//! Training images changed at random, each by strengths of its own: colours jittered, squares cut
//! out, values dropped and scaled, \[MacKay2019\] section 4.2 and appendix E. Plain loops over
//! pixels; knows no tensor, no network and no way to choose the strengths.

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
