//! What each hyper-parameter of a network on images does: the fifteen of \[MacKay2019\] section 4.2, known by
//! name.

use super::alexnet::AlexNet;
use super::augment::Strengths;

/// Fully connected layers whose inputs are dropped.
const DENSE: usize = 2;

/// How one image is changed and its activations dropped.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Regularisation {
    /// Changes of the image.
    pub strengths: Strengths,
    /// Rates at which channels are dropped after each convolution.
    pub channels: [f64; AlexNet::CONVOLUTIONS],
    /// Rates at which inputs of the fully connected layers but the last are dropped.
    pub dense: [f64; DENSE],
}

/// Where a value belongs.
type Place = fn(&mut Regularisation, f64);

/// All names, with their places.
const PLACES: [(&str, Place); 15] = [
    ("dropout-1", |r, v| r.channels[0] = v),
    ("dropout-2", |r, v| r.channels[1] = v),
    ("dropout-3", |r, v| r.channels[2] = v),
    ("dropout-4", |r, v| r.channels[3] = v),
    ("dropout-5", |r, v| r.channels[4] = v),
    ("hue", |r, v| r.strengths.jitter.hue = v),
    ("contrast", |r, v| r.strengths.jitter.contrast = v),
    ("saturation", |r, v| r.strengths.jitter.saturation = v),
    ("brightness", |r, v| r.strengths.jitter.brightness = v),
    ("input-dropout", |r, v| r.strengths.dropout = v),
    ("scaling", |r, v| r.strengths.scaling = v),
    ("cutout-length", |r, v| r.strengths.cutout.length = v as usize),
    ("cutout-holes", |r, v| r.strengths.cutout.holes = v as usize),
    ("dense-dropout-1", |r, v| r.dense[0] = v),
    ("dense-dropout-2", |r, v| r.dense[1] = v),
];

/// A list of names that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRoles {
    /// None of the names.
    #[error("hyper-parameter `{0}`: expected one of {all}", all = names().join(", "))]
    Unknown(String),
    /// Named before.
    #[error("hyper-parameter `{0}` is there twice")]
    Twice(String),
}

/// The names of all hyper-parameters, in the order of the public code.
pub fn names() -> [&'static str; PLACES.len()] {
    PLACES.map(|(name, _)| name)
}

/// What the hyper-parameters of a list do, in its order.
#[derive(Debug, Clone)]
pub struct Roles(Vec<Place>);

impl Roles {
    /// Those of these names; what is not named is not done.
    ///
    /// # Errors
    /// If a name is unknown, or there twice.
    pub fn of<'a>(named: impl IntoIterator<Item = &'a str>) -> Result<Self, BadRoles> {
        let (mut seen, mut places) = (Vec::new(), Vec::new());
        for name in named {
            if seen.contains(&name) {
                return Err(BadRoles::Twice(name.to_owned()));
            }
            let place = PLACES.into_iter().find(|(known, _)| *known == name);
            places.push(place.ok_or_else(|| BadRoles::Unknown(name.to_owned()))?.1);
            seen.push(name);
        }
        Ok(Self(places))
    }

    /// What these values come to, one a hyper-parameter. Those of cut-out are whole numbers, or cut
    /// down to them.
    pub fn read(&self, values: &[f64]) -> Regularisation {
        let mut all = Regularisation::default();
        self.0.iter().zip(values).for_each(|(place, &value)| place(&mut all, value));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::augment::{Cutout, Jitter};
    use super::*;

    #[test]
    fn each_name_has_a_place_of_its_own() {
        let values: Vec<f64> = (1..=15).map(f64::from).collect();
        let read = Roles::of(names()).unwrap().read(&values);
        let jitter = Jitter { hue: 6.0, contrast: 7.0, saturation: 8.0, brightness: 9.0 };
        let cutout = Cutout { length: 12, holes: 13 };
        let expected = Regularisation {
            strengths: Strengths { jitter, cutout, dropout: 10.0, scaling: 11.0 },
            channels: [1.0, 2.0, 3.0, 4.0, 5.0],
            dense: [14.0, 15.0],
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn a_list_is_read_in_its_order() {
        let roles = Roles::of(["cutout-length", "hue"]).unwrap();
        let read = roles.read(&[3.9, 0.25]);
        assert_eq!((read.strengths.cutout.length, read.strengths.jitter.hue), (3, 0.25));
        let rest = roles.read(&[0.0, 0.0]);
        assert_eq!(rest, Regularisation::default());
    }

    #[test]
    fn names_are_known_and_stand_once() {
        let unknown = Roles::of(["hue", "colour"]).unwrap_err();
        assert_eq!(unknown, BadRoles::Unknown("colour".to_owned()));
        assert!(unknown.to_string().contains("cutout-holes"), "{unknown}");
        assert_eq!(Roles::of(["hue", "hue"]).unwrap_err(), BadRoles::Twice("hue".to_owned()));
    }
}
