//! Harmonica \[Hazan2018\] Algorithm 3: stages of random samples, each of which finds a sparse polynomial of
//! parities and fixes its variables; then a base tuner on the remaining variables.
//!
//! The ±1 variables are the leading binary digits of a parameter's position in \[0, 1\]: as many as
//! distinguish its values, at most [`HarmonicaSettings::digits`] for a number. Two values are one variable,
//! and k = 2^m categories are m variables, as in sec. 5; for other k the categories are still uniformly
//! distributed, but a digit only roughly determines the category. Digits that are not fixed stay random.

use std::collections::BTreeMap;

use models::polynomial::{
    lasso::{Lasso, largest_alpha},
    parity::{Basis, Design, Signs},
    sparse_parity::{MOST_VARIABLES, Polynomial, recover},
};
use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::random::Random;
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Relative duality gap and sweeps of the Lasso: the gap is far below the differences that decide the order
/// of features.
const SOLVER: (f64, usize) = (1e-8, 100_000);

/// The weight α of the Lasso; λ of \[Hazan2018\] eq. (2) is 2Tα.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum Penalty {
    /// A value, on the scale of the losses.
    Absolute {
        /// α.
        alpha: f64,
    },
    /// A share of the smallest α that selects nothing, whatever the scale of the losses.
    Share {
        /// In (0, 1].
        share: f64,
    },
}

/// What a stage after the first fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Residual {
    /// The restricted function as sampled (\[Hazan2018\] Algorithm 3).
    Restricted,
    /// What the polynomials of earlier stages leave of it (the authors' code).
    Subtracted,
}

/// Settings of Harmonica.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HarmonicaSettings {
    /// Number q of stages.
    pub stages: usize,
    /// Samples T a stage.
    pub samples: usize,
    /// Features s selected in a stage.
    pub features: usize,
    /// Restrictions t kept of a stage.
    pub restrictions: usize,
    /// Largest degree d of a parity.
    pub degree: usize,
    /// The Lasso's weight.
    pub penalty: Penalty,
    /// What later stages fit.
    pub residual: Residual,
    /// Most binary digits of a number, from 1 to 16.
    pub digits: u32,
}

impl Default for HarmonicaSettings {
    /// The settings of \[Hazan2018\] sec. 5.
    ///
    /// DIFFERS: λ is a share of what selects nothing. The paper's values are for test errors, and
    /// losses on any other scale would select nothing or everything.
    fn default() -> Self {
        Self {
            stages: 3,
            samples: 300,
            features: 5,
            restrictions: 4,
            degree: 3,
            penalty: Penalty::Share { share: 0.1 },
            residual: Residual::Restricted,
            digits: 3,
        }
    }
}

impl HarmonicaSettings {
    fn check(&self) -> Result<(), Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        for (key, count) in [
            ("samples", self.samples),
            ("features", self.features),
            ("restrictions", self.restrictions),
            ("degree", self.degree),
        ] {
            if count == 0 {
                return refuse(key, count.to_string(), "at least 1");
            }
        }
        if self.features.saturating_mul(self.degree) > MOST_VARIABLES {
            let expected = "features times degree at most 24: their assignments are gone through";
            return refuse("features", self.features.to_string(), expected);
        }
        if !(1..=16).contains(&self.digits) {
            return refuse("digits", self.digits.to_string(), "1 to 16");
        }
        match self.penalty {
            Penalty::Absolute { alpha } if !(alpha.is_finite() && alpha > 0.0) => {
                refuse("penalty", alpha.to_string(), "a finite alpha > 0")
            }
            Penalty::Share { share } if !(share > 0.0 && share <= 1.0) => {
                refuse("penalty", share.to_string(), "a share above 0, at most 1")
            }
            _ => Ok(()),
        }
    }
}

/// The result of a stage: its polynomial, whose variables it fixes, and the remaining assignments of these.
/// In a code, bit j is set where the j-th variable is −1.
#[derive(Debug, Clone, PartialEq)]
pub struct Restriction {
    /// The features with their weights.
    pub polynomial: Polynomial,
    /// The variables that are fixed, ascending.
    pub variables: Vec<usize>,
    /// Their remaining assignments, the lowest first.
    pub codes: Vec<u32>,
}

/// A drawn configuration: its binary digits, `true` for −1, and the position within the last digit.
#[derive(Debug, Clone)]
struct Encoded {
    minus: Vec<bool>,
    rest: Vec<f64>,
}

/// Harmonica.
pub struct Harmonica {
    space: Space,
    settings: HarmonicaSettings,
    digits: Vec<u32>,
    base: Box<dyn Tuner>,
    asked: u64,
    /// Samples of the current stage: digits as asked, and values as told.
    sampled: BTreeMap<u64, Vec<bool>>,
    told: BTreeMap<u64, f64>,
    done: usize,
    found: Vec<Restriction>,
    /// The base tuner's own suggestions by our numbers, and the restricted configurations of its
    /// configurations.
    suggested: BTreeMap<u64, Suggestion>,
    moved: BTreeMap<Vec<u64>, Vec<f64>>,
}

/// Number of binary digits that distinguish a domain's values, at most `most` for numbers.
fn digits(domain: Domain, most: u32) -> u32 {
    let needed = |values: u64| u64::BITS - (values - 1).leading_zeros();
    match domain {
        Domain::Float { .. } => most,
        Domain::Int { .. } => needed(domain.values().unwrap_or(1)).min(most),
        // A position in [0, 1] has 53 digits.
        Domain::Categorical { choices } => needed(choices as u64).min(52),
    }
}

impl Harmonica {
    /// Harmonica with random search as the base tuner.
    ///
    /// ```
    /// use numerics::space::{Domain, Parameter, Space};
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{harmonica::{Harmonica, HarmonicaSettings}, minimise::minimise};
    ///
    /// // Eight switches, two of which matter, and only together.
    /// let switch = |i| Parameter { name: format!("s{i}"), domain: Domain::Categorical { choices: 2 } };
    /// let space = Space::new((0..8).map(switch).collect())?;
    /// let mut tuner = Harmonica::new(space, HarmonicaSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 120, &mut rng, |s| (s.config[0] - s.config[3]).abs());
    /// assert_eq!(found.best().map(|best| best.value), Some(0.0));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range, or the space's parities of this degree are too many.
    pub fn new(space: impl Into<Space>, settings: HarmonicaSettings) -> Result<Self, Error> {
        let space = space.into();
        Self::with_base(space.clone(), settings, Box::new(Random::new(space)))
    }

    /// Harmonica with a base tuner on the same space. The base tuner minimises the restricted function: each
    /// of its configurations is moved into one of the restrictions, drawn once so that a promoted
    /// configuration stays the same, and it is told the value found there.
    ///
    /// # Errors
    /// As [`Harmonica::new`].
    pub fn with_base(
        space: Space,
        settings: HarmonicaSettings,
        base: Box<dyn Tuner>,
    ) -> Result<Self, Error> {
        settings.check()?;
        let digits: Vec<u32> = space.domains().map(|d| digits(d, settings.digits)).collect();
        let variables = digits.iter().sum::<u32>() as usize;
        let whole = Basis::new((0..variables).collect(), settings.degree);
        whole.map_err(|_| Error::Setting {
            key: "degree",
            value: settings.degree.to_string(),
            expected: "at most 2^32 parities: a lower degree, fewer parameters or fewer digits",
        })?;
        Ok(Self {
            space,
            settings,
            digits,
            base,
            asked: 0,
            sampled: BTreeMap::new(),
            told: BTreeMap::new(),
            done: 0,
            found: Vec::new(),
            suggested: BTreeMap::new(),
            moved: BTreeMap::new(),
        })
    }

    /// The results of the finished stages.
    pub fn restrictions(&self) -> &[Restriction] {
        &self.found
    }

    fn encode(&self, unit: &[f64]) -> Encoded {
        let (mut minus, mut rest) = (Vec::new(), Vec::new());
        for (&u, &digits) in unit.iter().zip(&self.digits) {
            let scaled = u * (1_u64 << digits) as f64;
            let code = (scaled as u64).min((1 << digits) - 1);
            minus.extend((0..digits).rev().map(|k| code >> k & 1 == 1));
            rest.push(scaled - code as f64);
        }
        Encoded { minus, rest }
    }

    fn config(&self, encoded: &Encoded) -> Vec<f64> {
        let mut minus = encoded.minus.iter();
        let unit = self.digits.iter().zip(&encoded.rest).map(|(&digits, rest)| {
            let own = minus.by_ref().take(digits as usize);
            let code = own.fold(0_u64, |code, &bit| 2 * code + u64::from(bit));
            (code as f64 + rest) / (1_u64 << digits) as f64
        });
        let unit: Vec<f64> = unit.collect();
        self.space.from_unit(&unit)
    }

    /// Fixes the variables of all stages, each by one of its assignments at random.
    fn restrict(&self, encoded: &mut Encoded, rng: &mut ChaCha12Rng) {
        for stage in &self.found {
            let code = stage.codes[rng.random_range(0..stage.codes.len())];
            for (j, &variable) in stage.variables.iter().enumerate() {
                encoded.minus[variable] = code >> j & 1 == 1;
            }
        }
    }

    /// The variables that no stage has fixed.
    ///
    /// DIFFERS: the authors' code keeps fixed variables in its basis, where columns then repeat each
    /// other and later stages contradict earlier ones.
    fn free(&self) -> Vec<usize> {
        let fixed = |v: &usize| self.found.iter().any(|s| s.variables.contains(v));
        let all = self.digits.iter().sum::<u32>() as usize;
        (0..all).filter(|v| !fixed(v)).collect()
    }

    /// PSR on the evaluated samples; an empty result if nothing can be learnt.
    fn learn(&self) -> Option<Restriction> {
        let values = self.told.values().copied();
        // A failed evaluation counts as the worst value of its stage.
        let worst = values.clone().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        if !worst.is_finite() {
            return None;
        }
        let samples: Vec<Vec<bool>> = self.sampled.values().cloned().collect();
        let earlier = |minus: &[bool]| -> f64 {
            match self.settings.residual {
                Residual::Restricted => 0.0,
                Residual::Subtracted => self.found.iter().map(|s| s.polynomial.value(minus)).sum(),
            }
        };
        let y: Vec<f64> = values
            .zip(&samples)
            .map(|(v, minus)| if v.is_finite() { v } else { worst } - earlier(minus))
            .collect();
        let basis = Basis::new(self.free(), self.settings.degree).ok()?;
        let design = Design::new(Signs::new(samples[0].len(), &samples), basis);
        let alpha = match self.settings.penalty {
            Penalty::Absolute { alpha } => alpha,
            Penalty::Share { share } => share * largest_alpha(&design, &y).ok()?,
        };
        let lasso = Lasso::new(SOLVER.0, SOLVER.1).ok()?;
        // If all values are equal α is 0, which the Lasso rejects.
        let polynomial = recover(&design, &y, &lasso, alpha, self.settings.features).ok()?;
        let codes = polynomial.minimisers(self.settings.restrictions).ok()?.codes;
        let variables = polynomial.variables();
        (!variables.is_empty()).then_some(Restriction { polynomial, variables, codes })
    }

    /// A configuration of the base tuner, moved into the restrictions.
    fn move_in(&mut self, config: &[f64], rng: &mut ChaCha12Rng) -> Vec<f64> {
        let key: Vec<u64> = config.iter().map(|v| v.to_bits()).collect();
        if let Some(moved) = self.moved.get(&key) {
            return moved.clone();
        }
        let mut unit = self.space.to_unit(config);
        // A discrete value covers a whole interval, not only its midpoint.
        for (u, domain) in unit.iter_mut().zip(self.space.domains()) {
            if let Some(values) = domain.values() {
                *u = (*u + (rng.random::<f64>() - 0.5) / values as f64).clamp(0.0, 1.0);
            }
        }
        let mut encoded = self.encode(&unit);
        self.restrict(&mut encoded, rng);
        let moved = self.config(&encoded);
        self.moved.insert(key, moved.clone());
        moved
    }
}

impl Tuner for Harmonica {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let (id, fidelity, config);
        if self.done < self.settings.stages {
            if self.sampled.len() == self.settings.samples {
                return None;
            }
            let mut encoded = self.encode(&self.space.draw_unit(rng));
            self.restrict(&mut encoded, rng);
            (id, fidelity, config) = (self.asked, Fidelity::FULL, self.config(&encoded));
            self.sampled.insert(id, encoded.minus);
        } else {
            let own = self.base.ask(rng)?;
            (id, fidelity, config) = (self.asked, own.fidelity, self.move_in(&own.config, rng));
            self.suggested.insert(id, own);
        }
        self.asked += 1;
        Some(Suggestion { id, config, fidelity })
    }

    fn tell(&mut self, trial: Trial) {
        let id = trial.suggestion.id;
        if let Some(suggestion) = self.suggested.remove(&id) {
            self.base.tell(Trial { suggestion, value: trial.value });
        } else if self.sampled.contains_key(&id) {
            self.told.insert(id, trial.value);
            if self.told.len() == self.settings.samples {
                self.found.extend(self.learn());
                self.sampled.clear();
                self.told.clear();
                self.done += 1;
            }
        }
    }
}

#[cfg(test)]
#[path = "harmonica_tests.rs"]
mod tests;
