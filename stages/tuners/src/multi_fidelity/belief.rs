//! What an expert believes to be the best configuration.

use numerics::space::{Domain, Space};
use serde::{Deserialize, Serialize};

use crate::tuner::Error;

/// The largest number of parameters. Settings are copied, so that a belief has a fixed size.
const MOST: usize = 32;

/// By how much of its range a value may lie outside: single precision rounds.
const ROUNDING: f64 = 1e-6;

/// A configuration, one number per parameter, or none.
///
/// ```
/// use tuners::multi_fidelity::belief::Belief;
///
/// let belief: Belief = serde_json::from_str("[0.001, 64, 2]")?;
/// assert_eq!(serde_json::to_string(&belief)?, "[0.001,64.0,2.0]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<f32>", into = "Vec<f32>")]
pub struct Belief {
    values: [f32; MOST],
    count: usize,
}

impl TryFrom<Vec<f32>> for Belief {
    type Error = Error;

    fn try_from(given: Vec<f32>) -> Result<Self, Error> {
        let mut values = [0.0; MOST];
        let Some(own) = values.get_mut(..given.len()) else {
            return Err(refused(&given, "at most 32 numbers"));
        };
        own.copy_from_slice(&given);
        Ok(Self { values, count: given.len() })
    }
}

impl From<Belief> for Vec<f32> {
    fn from(belief: Belief) -> Self {
        belief.values[..belief.count].to_vec()
    }
}

fn refused(values: &[f32], expected: &'static str) -> Error {
    Error::Setting { key: "belief", value: format!("{values:?}"), expected }
}

impl Belief {
    /// The believed configuration of a space; `None` if there is no belief.
    ///
    /// # Errors
    /// If it is no configuration of the space.
    pub fn within(&self, space: &Space) -> Result<Option<Vec<f64>>, Error> {
        let values = &self.values[..self.count];
        if values.is_empty() {
            return Ok(None);
        }
        let inside = |(domain, &value): (Domain, &f32)| {
            let value = f64::from(value);
            let unit = domain.to_unit(value);
            let near = (-ROUNDING..=1.0 + ROUNDING).contains(&unit);
            match domain {
                Domain::Float { .. } => near.then(|| domain.from_unit(unit)),
                Domain::Int { .. } | Domain::Categorical { .. } => {
                    domain.contains(value).then_some(value)
                }
            }
        };
        let found: Option<Vec<f64>> = space.domains().zip(values).map(inside).collect();
        match found {
            Some(config) if values.len() == space.dimensions() => Ok(Some(config)),
            _ => Err(refused(values, "one number per parameter, each of its values")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::space::Parameter;

    fn space() -> Space {
        let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
        Space::new(vec![
            parameter("rate", Domain::Float { low: 1e-4, high: 0.1, log: true }),
            parameter("units", Domain::Int { low: 1, high: 40, log: false }),
            parameter("kind", Domain::Categorical { choices: 3 }),
        ])
        .unwrap()
    }

    fn within(values: &[f32]) -> Result<Option<Vec<f64>>, Error> {
        Belief::try_from(values.to_vec())?.within(&space())
    }

    #[test]
    fn a_belief_is_a_configuration() {
        // The nearest single-precision numbers lie outside the range of the rate.
        for rate in [1e-4_f32, 0.1] {
            let believed = within(&[rate, 13.0, 2.0]).unwrap().unwrap();
            assert!(space().contains(&believed), "{believed:?}");
            assert!((believed[0] - f64::from(rate)).abs() < 1e-8 && believed[1..] == [13.0, 2.0]);
        }
        assert_eq!(within(&[]), Ok(None));
    }

    #[test]
    fn what_is_no_configuration_is_refused() {
        for values in [
            vec![0.01, 13.0],
            vec![0.2, 13.0, 2.0],
            vec![-0.01, 13.0, 2.0],
            vec![0.01, 13.5, 2.0],
            vec![0.01, 13.0, 3.0],
            vec![f32::NAN, 13.0, 2.0],
            vec![0.0; 33],
        ] {
            let error = within(&values).unwrap_err().to_string();
            assert!(error.starts_with("belief = ["), "{error}");
        }
    }
}
