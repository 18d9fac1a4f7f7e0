//! The strengths of one image's augmentation: eight of the fifteen hyper-parameters of \[MacKay2019\] section
//! 4.2. The other seven are dropout rates of activations and belong to the network.

use serde::{Deserialize, Serialize};

use super::cutout::{Cutout, MOST_HOLES};
use super::jitter::Jitter;

/// The changes of one image, in this order. The default changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Strengths {
    /// Changes of the colours.
    pub jitter: Jitter,
    /// Squares set to 0 once the values are standardised.
    pub cutout: Cutout,
    /// Rate at which values are independently set to 0; the others are scaled up so that the mean stays the
    /// same. From 0 to 1.
    pub dropout: f64,
    /// s: all values are multiplied by one number from 1/(1 + s) to 1 + s. The paper only says "scaling noise
    /// applied to the input"; this is the public code's definition. At least 0.
    pub scaling: f64,
}

/// A strength that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{name} {value}: expected {expected}")]
pub struct BadStrength {
    /// The strength.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The accepted values.
    pub expected: &'static str,
}

impl Strengths {
    /// Checks the numbers of a config.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), BadStrength> {
        let Jitter { hue, saturation, brightness, contrast } = self.jitter;
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let a_share = "a number from 0 to 1";
        let holes = self.cutout.holes;
        let scaling = self.scaling.is_finite() && self.scaling >= 0.0;
        let all = [
            ("hue", hue, (0.0..=0.5).contains(&hue), "a number from 0 to 0.5"),
            ("saturation", saturation, share(saturation), a_share),
            ("brightness", brightness, share(brightness), a_share),
            ("contrast", contrast, share(contrast), a_share),
            ("holes", holes as f64, holes <= MOST_HOLES, "a whole number from 0 to 4"),
            ("dropout", self.dropout, share(self.dropout), a_share),
            ("scaling", self.scaling, scaling, "a finite number from 0"),
        ];
        match all.into_iter().find(|(_, _, fine, _)| !fine) {
            Some((name, value, _, expected)) => Err(BadStrength { name, value, expected }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        type Set = fn(&mut Strengths, f64);
        let none = Strengths::default();
        let most = Strengths {
            jitter: Jitter { hue: 0.5, saturation: 1.0, brightness: 1.0, contrast: 1.0 },
            cutout: Cutout { holes: 4, length: 24 },
            dropout: 1.0,
            scaling: 0.3,
        };
        assert_eq!((none.check(), most.check()), (Ok(()), Ok(())));
        let all: [(&str, Set, f64); 6] = [
            ("hue", |s, v| s.jitter.hue = v, 0.51),
            ("saturation", |s, v| s.jitter.saturation = v, 1.01),
            ("brightness", |s, v| s.jitter.brightness = v, 1.01),
            ("contrast", |s, v| s.jitter.contrast = v, 1.01),
            ("dropout", |s, v| s.dropout = v, 1.01),
            ("scaling", |s, v| s.scaling = v, f64::INFINITY),
        ];
        for (name, set, above) in all {
            for bad in [above, -0.01, f64::NAN] {
                let mut strengths = none;
                set(&mut strengths, bad);
                assert_eq!(strengths.check().unwrap_err().name, name, "{bad}");
            }
        }
        let cutout = Cutout { holes: 5, length: 1 };
        assert_eq!(Strengths { cutout, ..none }.check().unwrap_err().name, "holes");
    }

    #[test]
    fn strengths_are_read_as_they_are_written() {
        let strengths = Strengths { scaling: 0.25, ..Strengths::default() };
        let text = serde_json::to_string(&strengths).unwrap();
        assert_eq!(serde_json::from_str::<Strengths>(&text).unwrap(), strengths);
        assert!(serde_json::from_str::<Strengths>(&text.replace("scaling", "zoom")).is_err());
    }
}
