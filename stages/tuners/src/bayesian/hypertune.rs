//! HyperTune \[Joy2019\]: searches on small subsets of the data give a lower bound of the best model
//! complexity. From the simple end of the space up to there, performance on the whole data is assumed to
//! increase (Algorithm 1); a search on the whole data uses these signs (Algorithm 2).
//!
//! The parts can be used separately: subset searches are [`Directed`] without signs, and can run
//! concurrently; [`HyperTune::resume`] continues from their results. The tuner [`HyperTune`] runs them one
//! after the other.

use models::gp::monotone::SignSite;
use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::directed::{Directed, DirectedSettings};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// How complexity changes with each parameter, in the order of the space.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Directions {
    /// Bit d is set where models become more complex as parameter d grows (m = 1).
    pub rising: u64,
    /// Bit d is set where models become simpler as parameter d grows (m = −1).
    pub falling: u64,
}

impl Directions {
    /// From 1, −1 and 0 (does not affect complexity), one per parameter; those beyond 64 are 0.
    pub fn of(signs: &[i8]) -> Self {
        let bits = |wanted: i8| {
            let set = signs.iter().enumerate().take(64).filter(|(_, s)| **s == wanted);
            set.fold(0, |bits, (d, _)| bits | 1 << d)
        };
        Self { rising: bits(1), falling: bits(-1) }
    }

    /// Whether performance increases with parameter `d` up to the subset's optimum; `None` if the parameter
    /// does not affect complexity.
    pub fn rises(self, d: usize) -> Option<bool> {
        let has = |bits: u64| d < 64 && bits >> d & 1 == 1;
        if has(self.rising) { Some(true) } else { has(self.falling).then_some(false) }
    }
}

/// Settings of HyperTune.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HyperTuneSettings {
    /// Subset searches B; \[Joy2019\] has 5.
    pub searches: usize,
    /// A subset is 1/divisor of the resource.
    pub divisor: u64,
    /// Evaluations of a subset search.
    pub evaluations: usize,
    /// Points N at which the signs are taken to be known; each has a sign for every parameter with a
    /// direction. \[Joy2019\] does not state N.
    pub points: usize,
    /// What makes models more complex.
    pub directions: Directions,
    /// The searches.
    pub search: DirectedSettings,
}

impl Default for HyperTuneSettings {
    fn default() -> Self {
        Self {
            searches: 5,
            divisor: 10,
            evaluations: 15,
            points: 10,
            directions: Directions::default(),
            search: DirectedSettings::default(),
        }
    }
}

impl HyperTuneSettings {
    fn check(&self, space: &Space) -> Result<(), Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        for (key, count) in [("searches", self.searches), ("evaluations", self.evaluations)] {
            if count == 0 {
                return refuse(key, "0".to_owned(), "at least 1");
            }
        }
        if self.divisor == 0 {
            return refuse("divisor", "0".to_owned(), "at least 1");
        }
        let Directions { rising, falling } = self.directions;
        let ordered = |d: usize| {
            let domain = space.domains().nth(d);
            domain.is_some_and(|d| !matches!(d, Domain::Categorical { .. }))
        };
        let known = (0..64).all(|d| self.directions.rises(d).is_none() || ordered(d));
        if rising & falling != 0 || !known {
            let expected = "one direction at most for each parameter that is a number";
            return refuse("directions", format!("{rising:b}, {falling:b}"), expected);
        }
        Ok(())
    }
}

/// x̄*_s: the mean of the subsets' optima in the unit cube. `None` without optima.
pub fn mean_optimum(space: &Space, optima: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut mean = vec![0.0; space.dimensions()];
    for optimum in optima {
        for (m, u) in mean.iter_mut().zip(space.to_unit(optimum)) {
            *m += u / optima.len() as f64;
        }
    }
    (!optima.is_empty()).then_some(mean)
}

/// \[Joy2019\] Algorithm 1, lines 7 to 16: `points` points between the simple end of the space and
/// `centre` (in the unit cube), each with the signs of all parameters that have a direction.
///
/// DIFFERS: the paper draws all coordinates from [l, x̄*_s]. Where models become simpler as a
/// parameter grows, that is the complex end, at which its own argument says nothing of the sign; the
/// range is from x̄*_s to the upper end there.
pub fn sign_sites(
    space: &Space,
    directions: Directions,
    centre: &[f64],
    points: usize,
    rng: &mut ChaCha12Rng,
) -> Vec<SignSite> {
    let slots = space.slots();
    let mut sites = Vec::new();
    for _ in 0..points {
        let coordinate = |(d, &c): (usize, &f64)| {
            let u: f64 = rng.random();
            if directions.rises(d) == Some(false) { c + u * (1.0 - c) } else { u * c }
        };
        let unit: Vec<f64> = centre.iter().enumerate().map(coordinate).collect();
        let x = space.features(&unit);
        for (d, &dimension) in slots.iter().enumerate() {
            if let Some(rising) = directions.rises(d) {
                sites.push(SignSite { x: x.clone(), dimension, rising });
            }
        }
    }
    sites
}

/// HyperTune.
#[derive(Debug, Clone)]
pub struct HyperTune {
    space: Space,
    settings: HyperTuneSettings,
    /// The searches on the subsets, in order.
    searches: Vec<Directed>,
    told: usize,
    whole: Option<Directed>,
    asked: u64,
}

impl HyperTune {
    /// A tuner on a space. Suggestion i of the first B·(evaluations per search) is for subset
    /// ⌊i/evaluations⌋; the others are for the whole data.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{bayesian::hypertune::{HyperTune, HyperTuneSettings}, minimise::minimise};
    ///
    /// let mut tuner = HyperTune::new(Bounds::cube(1, 1.0)?, HyperTuneSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 6, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// // The first searches are on small subsets.
    /// assert!(found.trials[0].suggestion.fidelity.of(1.0) < 1.0);
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: HyperTuneSettings) -> Result<Self, Error> {
        let space = space.into();
        settings.check(&space)?;
        let search = Directed::new(space.clone(), settings.search)?;
        let searches = vec![search; settings.searches];
        Ok(Self { space, settings, searches, told: 0, whole: None, asked: 0 })
    }

    /// Algorithm 2 after subset searches that were run elsewhere and found `optima`. Without optima, or
    /// without directions, it has no signs.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn resume(
        space: Space,
        settings: HyperTuneSettings,
        optima: &[Vec<f64>],
        rng: &mut ChaCha12Rng,
    ) -> Result<Directed, Error> {
        settings.check(&space)?;
        let sites = mean_optimum(&space, optima).map_or_else(Vec::new, |centre| {
            sign_sites(&space, settings.directions, &centre, settings.points, rng)
        });
        Directed::with_sites(space, settings.search, sites)
    }

    /// Number of evaluations on subsets.
    fn small(&self) -> u64 {
        (self.settings.searches * self.settings.evaluations) as u64
    }
}

impl Tuner for HyperTune {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let (small, each) = (self.small(), self.settings.evaluations as u64);
        let suggestion = if self.asked < small {
            let search = &mut self.searches[(self.asked / each) as usize];
            let fidelity = Fidelity::Part { divisor: self.settings.divisor };
            Suggestion { fidelity, ..search.ask(rng)? }
        } else {
            if self.whole.is_none() {
                if (self.told as u64) < small {
                    return None;
                }
                let best = |search: &Directed| search.best().map(|(config, _)| config);
                let optima: Vec<Vec<f64>> = self.searches.iter().filter_map(best).collect();
                let whole = Self::resume(self.space.clone(), self.settings, &optima, rng);
                self.whole = whole.ok();
            }
            self.whole.as_mut()?.ask(rng)?
        };
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, ..suggestion })
    }

    fn tell(&mut self, trial: Trial) {
        let (small, each) = (self.small(), self.settings.evaluations as u64);
        let id = trial.suggestion.id;
        let own = |id| {
            let suggestion = Suggestion { id, ..trial.suggestion.clone() };
            Trial { suggestion, value: trial.value }
        };
        if id < small {
            self.searches[(id / each) as usize].tell(own(id % each));
            self.told += 1;
        } else if let Some(whole) = &mut self.whole {
            whole.tell(own(id - small));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use numerics::space::Parameter;

    fn space() -> Space {
        let named = |name: &str, domain| Parameter { name: name.to_owned(), domain };
        Space::new(vec![
            named("kind", Domain::Categorical { choices: 3 }),
            named("cost", Domain::Float { low: 1e-3, high: 1e3, log: true }),
            named("alpha", Domain::Float { low: 1e-7, high: 1e-1, log: true }),
            named("rate", Domain::Float { low: 0.0, high: 2.0, log: false }),
        ])
        .unwrap()
    }

    #[test]
    fn directions_are_bits_and_are_checked() {
        let directions = Directions::of(&[0, 1, -1, 0]);
        assert_eq!(directions, Directions { rising: 0b10, falling: 0b100 });
        let rises: Vec<_> = (0..4).map(|d| directions.rises(d)).collect();
        assert_eq!(rises, [None, Some(true), Some(false), None]);
        let with = |directions| {
            let settings = HyperTuneSettings { directions, ..HyperTuneSettings::default() };
            HyperTune::new(space(), settings)
        };
        assert!(with(directions).is_ok());
        // A category, both directions at once, a parameter that does not exist.
        for bad in [
            Directions::of(&[1, 0, 0, 0]),
            Directions { rising: 2, falling: 2 },
            Directions::of(&[0, 0, 0, 0, 1]),
        ] {
            assert!(with(bad).unwrap_err().to_string().starts_with("directions"), "{bad:?}");
        }
    }

    #[test]
    fn signs_lie_between_the_simple_end_and_the_mean_optimum() {
        let space = space();
        // Both exponents at 0.5 and 0.75 of the unit interval.
        let optima =
            [vec![0.0, 1.0, 1e-4, 0.5], vec![2.0, 10.0_f64.powf(1.5), 10.0_f64.powf(-2.5), 1.5]];
        let centre = mean_optimum(&space, &optima).unwrap();
        assert!((centre[1] - 0.625).abs() < 1e-12 && (centre[2] - 0.625).abs() < 1e-12);
        assert!((centre[3] - 0.5).abs() < 1e-12);
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let directions = Directions::of(&[0, 1, -1, 0]);
        let sites = sign_sites(&space, directions, &centre, 200, &mut rng);
        assert_eq!(sites.len(), 400);
        let (mut lowest, mut highest) = (1.0_f64, 0.0_f64);
        for pair in sites.chunks(2) {
            assert_eq!(pair[0].x, pair[1].x);
            assert_eq!((pair[0].dimension, pair[0].rising), (3, true));
            assert_eq!((pair[1].dimension, pair[1].rising), (4, false));
            let x = &pair[0].x;
            assert!(x[3] <= 0.625 && x[4] >= 0.625 && x[5] <= 0.5, "{x:?}");
            (lowest, highest) = (lowest.min(x[3]), highest.max(x[4]));
        }
        assert!(lowest < 0.02 && highest > 0.98);
        assert_eq!(mean_optimum(&space, &[]), None);
    }

    #[test]
    fn subsets_come_first_each_with_a_search_of_its_own() {
        let settings = HyperTuneSettings {
            searches: 3,
            evaluations: 4,
            divisor: 7,
            directions: Directions::of(&[0, 1, -1, 0]),
            ..HyperTuneSettings::default()
        };
        let mut tuner = HyperTune::new(space(), settings).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let loss = |c: &[f64]| (c[1].log10() - 1.0).powi(2) + (c[2].log10() + 5.0).powi(2) + c[3];
        for id in 0..12 {
            let suggestion = tuner.ask(&mut rng).unwrap();
            assert_eq!(suggestion.fidelity, Fidelity::Part { divisor: 7 });
            // The last one is told late: there is no suggestion before.
            if id < 11 {
                let value = loss(&suggestion.config);
                tuner.tell(Trial { suggestion, value });
            } else {
                assert_eq!(tuner.ask(&mut rng), None);
                tuner.tell(Trial { suggestion, value: f64::NAN });
            }
        }
        assert!(tuner.searches.iter().all(|s| s.best().is_some()));
        let suggestion = tuner.ask(&mut rng).unwrap();
        assert_eq!((suggestion.id, suggestion.fidelity), (12, Fidelity::FULL));
    }
}
