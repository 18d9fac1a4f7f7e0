//! The fifteen regularising hyper-parameters of a network on images in \[MacKay2019\] section 4.2, each
//! identified by its name.

use super::alexnet::AlexNet;
use super::augment::Strengths;

/// Number of fully connected layers whose inputs are dropped.
const DENSE: usize = 2;

/// The augmentation and dropout rates of one image.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Regularisation {
    /// Changes of the image.
    pub strengths: Strengths,
    /// Dropout rates of channels after each convolution.
    pub channels: [f64; AlexNet::CONVOLUTIONS],
    /// Dropout rates of the inputs of all fully connected layers but the last.
    pub dense: [f64; DENSE],
}

/// The setting to which a value belongs.
type Place = fn(&mut Regularisation, f64);

/// All names, with their settings.
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

/// An invalid list of names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRoles {
    /// An unknown name.
    #[error("hyper-parameter `{0}`: expected one of {all}", all = names().join(", "))]
    Unknown(String),
    /// A name given twice.
    #[error("hyper-parameter `{0}` is there twice")]
    Twice(String),
}

/// The names of all hyper-parameters, in the order of the public code.
pub fn names() -> [&'static str; PLACES.len()] {
    PLACES.map(|(name, _)| name)
}

/// The settings that a list of hyper-parameters controls, in its order.
#[derive(Debug, Clone)]
pub struct Roles(Vec<Place>);

impl Roles {
    /// The settings of these names; others are not applied.
    ///
    /// # Errors
    /// If a name is unknown or occurs twice.
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

    /// The regularisation that these values give, one per hyper-parameter. Those of cutout are whole numbers,
    /// or rounded down to whole numbers.
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
