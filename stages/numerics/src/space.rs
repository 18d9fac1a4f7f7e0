//! Search spaces of hyper-parameters: real boxes, and mixed spaces of named parameters.

mod domain;

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

pub use self::domain::Domain;

/// Why a box or a space was refused.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum Error {
    /// A box is empty, a bound is not finite, or a lower bound is not below its upper bound.
    #[error("bounds = {0}: expected finite low < high in every dimension")]
    Bounds(String),
    /// A parameter's values are not a set to choose from.
    #[error("parameter `{name}`: expected {expected}")]
    Parameter {
        /// The parameter.
        name: String,
        /// The accepted values.
        expected: &'static str,
    },
    /// A space without parameters.
    #[error("a space needs at least one parameter")]
    Empty,
}

/// A box, one closed interval a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds {
    /// The box [low₁, high₁] × … .
    ///
    /// # Errors
    /// If it is empty, or a bound is not finite or not below its partner.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Result<Self, Error> {
        let ordered = low.iter().zip(&high).all(|(l, h)| l.is_finite() && h.is_finite() && l < h);
        if low.is_empty() || low.len() != high.len() || !ordered {
            return Err(Error::Bounds(format!("{low:?} to {high:?}")));
        }
        Ok(Self { low, high })
    }

    /// [−radius, radius]ⁿ.
    ///
    /// # Errors
    /// As [`Bounds::new`].
    pub fn cube(dimensions: usize, radius: f64) -> Result<Self, Error> {
        Self::new(vec![-radius; dimensions], vec![radius; dimensions])
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.low.len()
    }

    /// Lower bounds.
    pub fn low(&self) -> &[f64] {
        &self.low
    }

    /// Upper bounds.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// Maps [0, 1]ⁿ to the box.
    pub fn from_unit(&self, unit: &[f64]) -> Vec<f64> {
        let pairs = self.low.iter().zip(&self.high).zip(unit);
        pairs.map(|((l, h), u)| (l + u * (h - l)).clamp(*l, *h)).collect()
    }

    /// Maps the box to [0, 1]ⁿ.
    pub fn to_unit(&self, x: &[f64]) -> Vec<f64> {
        let pairs = self.low.iter().zip(&self.high).zip(x);
        pairs.map(|((l, h), v)| (v - l) / (h - l)).collect()
    }

    /// Whether a point lies in the box.
    pub fn contains(&self, x: &[f64]) -> bool {
        let mut pairs = self.low.iter().zip(&self.high).zip(x);
        x.len() == self.low.len() && pairs.all(|((l, h), v)| l <= v && v <= h)
    }
}

/// A named parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values.
    pub domain: Domain,
}

/// A product of named parameters; a configuration is one number per parameter, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
}

impl Space {
    /// The product of `parameters`.
    ///
    /// # Errors
    /// If there is none, or one has no value to choose, or a bound is not finite, or a name occurs twice.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, Error> {
        if parameters.is_empty() {
            return Err(Error::Empty);
        }
        for (i, p) in parameters.iter().enumerate() {
            let refuse = |expected| Error::Parameter { name: p.name.clone(), expected };
            p.domain.check().map_err(refuse)?;
            if parameters[..i].iter().any(|other| other.name == p.name) {
                return Err(refuse("a name of its own"));
            }
        }
        Ok(Self { parameters })
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The domains in order.
    pub fn domains(&self) -> impl ExactSizeIterator<Item = Domain> + '_ {
        self.parameters.iter().map(|p| p.domain)
    }

    /// Number of parameters.
    pub fn dimensions(&self) -> usize {
        self.parameters.len()
    }

    /// Maps [0, 1]ⁿ to configurations.
    pub fn from_unit(&self, unit: &[f64]) -> Vec<f64> {
        self.domains().zip(unit).map(|(d, &u)| d.from_unit(u)).collect()
    }

    /// Maps configurations to [0, 1]ⁿ; `from_unit` leads back.
    pub fn to_unit(&self, config: &[f64]) -> Vec<f64> {
        self.domains().zip(config).map(|(d, &v)| d.to_unit(v)).collect()
    }

    /// Whether every value is in its parameter's domain.
    pub fn contains(&self, config: &[f64]) -> bool {
        config.len() == self.dimensions() && self.domains().zip(config).all(|(d, &v)| d.contains(v))
    }

    /// A uniform point of [0, 1]ⁿ, one number per parameter.
    pub fn draw_unit(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        (0..self.dimensions()).map(|_| rng.random()).collect()
    }

    /// A uniform configuration.
    pub fn draw(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        self.from_unit(&self.draw_unit(rng))
    }

    /// Coordinates in which near points are similar: [0, 1] for numbers, where a whole number has the middle
    /// of its share, and one indicator per choice for categories.
    pub fn features(&self, unit: &[f64]) -> Vec<f64> {
        let mut features = Vec::with_capacity(unit.len());
        for (domain, &u) in self.domains().zip(unit) {
            match domain {
                Domain::Float { .. } => features.push(u),
                Domain::Int { .. } => features.push(domain.to_unit(domain.from_unit(u))),
                Domain::Categorical { choices } => {
                    let chosen = domain.from_unit(u);
                    features.extend((0..choices).map(|c| f64::from(u8::from(c as f64 == chosen))));
                }
            }
        }
        features
    }

    /// The index of the first feature of each parameter, as in [`Space::features`].
    pub fn slots(&self) -> Vec<usize> {
        let mut next = 0;
        let slot = |domain| {
            let slot = next;
            next += match domain {
                Domain::Categorical { choices } => choices,
                Domain::Float { .. } | Domain::Int { .. } => 1,
            };
            slot
        };
        self.domains().map(slot).collect()
    }
}

impl From<Bounds> for Space {
    /// Parameters x0, x1, …, one per side of the box.
    fn from(bounds: Bounds) -> Self {
        let sides = bounds.low.into_iter().zip(bounds.high).enumerate();
        let parameter = |(i, (low, high))| Parameter {
            name: format!("x{i}"),
            domain: Domain::Float { low, high, log: false },
        };
        Self { parameters: sides.map(parameter).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    fn parameter(name: &str, domain: Domain) -> Parameter {
        Parameter { name: name.to_owned(), domain }
    }

    fn mixed() -> Space {
        Space::new(vec![
            parameter("rate", Domain::Float { low: 1e-4, high: 1.0, log: true }),
            parameter("units", Domain::Int { low: -3, high: 46, log: false }),
            parameter("kind", Domain::Categorical { choices: 7 }),
            parameter("shift", Domain::Float { low: -2.0, high: 5.0, log: false }),
        ])
        .unwrap()
    }

    #[test]
    fn maps_lead_back_and_stay_inside() {
        let (space, mut rng) = (mixed(), ChaCha12Rng::seed_from_u64(1));
        for _ in 0..500 {
            let config = space.draw(&mut rng);
            assert!(space.contains(&config), "{config:?}");
            let back = space.from_unit(&space.to_unit(&config));
            assert_eq!((config[1], config[2]), (back[1], back[2]));
            assert!(
                (config[0] / back[0] - 1.0).abs() < 1e-13 && (config[3] - back[3]).abs() < 1e-13
            );
        }
        for end in [0.0, 1.0] {
            assert!(space.contains(&space.from_unit(&[end; 4])));
        }
        assert!((space.from_unit(&[0.5, 0.0, 0.0, 0.0])[0] - 1e-2).abs() < 1e-12);
    }

    #[test]
    fn discrete_values_are_equally_likely() {
        let (space, mut rng) = (mixed(), ChaCha12Rng::seed_from_u64(2));
        let mut seen = [0_u32; 7];
        (0..7000).for_each(|_| seen[space.draw(&mut rng)[2] as usize] += 1);
        // Binomial with standard deviation 29.
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
    }

    #[test]
    fn features_tell_categories_apart_and_keep_whole_numbers_together() {
        let space = mixed();
        let a = space.features(&[0.25, 0.001, 2.5 / 7.0, 0.5]);
        assert_eq!(a, [0.25, 0.01, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
        assert_eq!(a, space.features(&[0.25, 0.019, 2.9 / 7.0, 0.5]));
    }

    #[test]
    fn spaces_without_values_are_refused_by_name() {
        let refused = |d| Space::new(vec![parameter("p", d)]).unwrap_err().to_string();
        for domain in [
            Domain::Float { low: 0.0, high: f64::NAN, log: false },
            Domain::Float { low: 0.0, high: 1.0, log: true },
            Domain::Int { low: 3, high: 3, log: false },
            Domain::Int { low: 0, high: 3, log: true },
            Domain::Categorical { choices: 0 },
        ] {
            assert!(refused(domain).contains("`p`"), "{domain:?}");
        }
        let twice = parameter("q", Domain::Categorical { choices: 2 });
        assert!(Space::new(vec![twice.clone(), twice]).is_err());
        assert!(Space::new(Vec::new()).is_err());
        assert!(!mixed().contains(&[0.1, 0.5, 0.0, 0.0]));
        assert!(!mixed().contains(&[f64::NAN, 1.0, 0.0, 0.0]));
    }

    #[test]
    fn a_box_is_a_space() {
        let bounds = Bounds::new(vec![-3.0, 0.1], vec![2.0, 4.0]).unwrap();
        let space = Space::from(bounds.clone());
        let unit = [0.3, 0.77];
        assert_eq!(space.from_unit(&unit), bounds.from_unit(&unit));
        let x = [1.234, 2.0];
        assert_eq!(space.to_unit(&x), bounds.to_unit(&x));
        assert!(Bounds::cube(1, f64::NAN).is_err());
    }
}
