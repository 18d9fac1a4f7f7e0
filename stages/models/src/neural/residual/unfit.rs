//! What a residual network cannot be trained on, or with.

use super::{
    images::{BadImages, Images},
    options::{BadOption, ResidualOptions},
    recipe::{Architecture, BadRecipe, Recipe},
};

/// Arguments of a training that do not fit each other.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// The network or the length of its training.
    #[error(transparent)]
    Recipe(#[from] BadRecipe),
    /// A number among the options.
    #[error(transparent)]
    Options(#[from] BadOption),
    /// The images of one part.
    #[error("{part} images: {source}")]
    Images {
        /// `training` or `test`.
        part: &'static str,
        /// Their fault.
        source: BadImages,
    },
    /// Images of two shapes.
    #[error("training images of {train:?} and test images of {test:?} (channels, side)")]
    Shapes {
        /// Channels and side of the training images.
        train: (usize, usize),
        /// Channels and side of the test images.
        test: (usize, usize),
    },
    /// Images that are too small: the network halves their side twice.
    #[error("images of side {0}: expected at least 8")]
    Small(usize),
}

/// Checks all arguments of a training.
///
/// # Errors
/// If one is out of range, or two do not fit each other.
pub fn check(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    train: &Images<'_>,
    test: &Images<'_>,
) -> Result<(), Unfit> {
    options.check()?;
    architecture.check()?;
    recipe.check()?;
    for (part, images) in [("training", train), ("test", test)] {
        let bad = |source| Unfit::Images { part, source };
        images.check(architecture.classes).map_err(bad)?;
    }
    let shape = |images: &Images<'_>| (images.channels, images.size);
    if shape(train) != shape(test) {
        return Err(Unfit::Shapes { train: shape(train), test: shape(test) });
    }
    if train.size < 8 { Err(Unfit::Small(train.size)) } else { Ok(()) }
}
