//! The searches that a self-tuning network is compared with, and their search space.

use models::neural::self_tuning::{Control, Hyper, Range, Schedule};
use numerics::space::{Domain, Parameter, Space};
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::{GpEi, GpEiSettings},
    grid::Grid,
    multi_fidelity::{
        brackets::{Arithmetic, Budgets, Sizes},
        hyperband::{Hyperband, HyperbandSettings},
    },
    random::Random,
    tuner::{Error, Tuner},
};

/// Hyper-parameters that a grid moves together, and where it places them.
///
/// DIFFERS: a full grid in fifteen dimensions has at least 2¹⁵ points; the paper does not say which
/// it had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Group {
    /// Their names.
    pub names: Vec<String>,
    /// Shares of their ranges, from 0 to 1.
    pub levels: Vec<f64>,
}

/// Hyperband, in epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Brackets {
    /// Fewest epochs.
    pub minimum: u64,
    /// Factor between epochs, and share that goes on.
    pub eta: u64,
}

/// A search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "settings")]
pub enum Search {
    /// All points of a grid, the last group fastest.
    Grid(Vec<Group>),
    /// Random search.
    Random,
    /// Bayesian optimisation after Spearmint.
    GpEi(GpEiSettings),
    /// Hyperband: not in the paper.
    Hyperband(Brackets),
}

/// A search over hyper-parameters, with the bounds of their ranges.
pub struct Searcher {
    /// The tuner.
    pub tuner: Box<dyn Tuner>,
    space: Space,
    /// The groups of a grid, with the group of each hyper-parameter.
    groups: Option<(Vec<Group>, Vec<usize>)>,
}

/// The domain of a hyper-parameter in a search: its range with both ends, limited by `most` if that is given.
fn domain(hyper: &Hyper, most: f64) -> Domain {
    let (low, high) = hyper.range.ends();
    match hyper.range {
        Range::Whole { .. } => Domain::Int { low: 0, high: high.ceil() as i64 - 1, log: false },
        _ => Domain::Float { low, high: high.min(most), log: false },
    }
}

/// The space of these hyper-parameters; dropout reaches at most `dropouts`.
///
/// # Errors
/// If a range is invalid.
pub fn space(hypers: &[Hyper], dropouts: f64) -> Result<Space, Error> {
    let most = |name: &str| if name.contains("dropout") { dropouts } else { f64::INFINITY };
    let parameter = |hyper: &Hyper| Parameter {
        name: hyper.name.clone(),
        domain: domain(hyper, most(&hyper.name)),
    };
    Ok(Space::new(hypers.iter().map(parameter).collect())?)
}

impl Search {
    /// Its name in tables.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Grid(_) => "grid",
            Self::Random => "random",
            Self::GpEi(_) => "gp-ei",
            Self::Hyperband(_) => "hyperband",
        }
    }

    /// The search over these hyper-parameters; dropout reaches at most `dropouts`, trainings take `epochs`.
    ///
    /// # Errors
    /// If a setting or a range is invalid, or the groups of a grid are not a partition of the
    /// hyper-parameters.
    pub fn searcher(
        &self,
        hypers: &[Hyper],
        dropouts: f64,
        epochs: usize,
    ) -> Result<Searcher, Error> {
        let space = space(hypers, dropouts)?;
        let mut groups = None;
        let tuner: Box<dyn Tuner> = match self {
            Self::Grid(all) => {
                let places = places(all, hypers)?;
                let levels = |(i, group): (usize, &Group)| Parameter {
                    name: format!("group {i}"),
                    domain: Domain::Categorical { choices: group.levels.len() },
                };
                groups = Some((all.clone(), places));
                Box::new(Grid::new(Space::new(all.iter().enumerate().map(levels).collect())?, 2)?)
            }
            Self::Random => Box::new(Random::new(space.clone())),
            Self::GpEi(settings) => Box::new(GpEi::new(space.clone(), *settings)?),
            Self::Hyperband(Brackets { minimum, eta }) => {
                let budgets = Budgets {
                    minimum: *minimum,
                    maximum: epochs as u64,
                    eta: *eta,
                    arithmetic: Arithmetic::Exact,
                    sizes: Sizes::Paper,
                };
                let settings = HyperbandSettings { budgets, brackets: None };
                Box::new(Hyperband::new(space.clone(), settings)?)
            }
        };
        Ok(Searcher { tuner, space, groups })
    }
}

/// The group of each hyper-parameter.
fn places(groups: &[Group], hypers: &[Hyper]) -> Result<Vec<usize>, Error> {
    let refuse =
        |key, value: &str, expected| Error::Setting { key, value: value.to_owned(), expected };
    for group in groups {
        let unknown = |name: &&String| hypers.iter().all(|hyper| hyper.name != **name);
        if let Some(name) = group.names.iter().find(unknown) {
            return Err(refuse("grid.names", name, "a hyper-parameter of the space"));
        }
        let fine = |level: &f64| (0.0..=1.0).contains(level);
        if group.levels.is_empty() || !group.levels.iter().all(fine) {
            let levels = format!("{:?}", group.levels);
            return Err(refuse("grid.levels", &levels, "shares from 0 to 1"));
        }
    }
    let place = |hyper: &Hyper| {
        let mut own = (0..groups.len()).filter(|&i| groups[i].names.contains(&hyper.name));
        match (own.next(), own.next()) {
            (Some(i), None) => Ok(i),
            _ => Err(refuse("grid", &hyper.name, "every hyper-parameter in one group")),
        }
    };
    hypers.iter().map(place).collect()
}

impl Searcher {
    /// The valid values of the tuner's suggestion, one per hyper-parameter.
    #[must_use]
    pub fn values(&self, config: &[f64]) -> Vec<f64> {
        match &self.groups {
            None => config.to_vec(),
            Some((groups, places)) => {
                let share = |&place: &usize| groups[place].levels[config[place] as usize];
                self.space.from_unit(&places.iter().map(share).collect::<Vec<_>>())
            }
        }
    }
}

/// Hyper-parameters that are fixed at these values, which can be ends of their ranges.
#[must_use]
pub fn fixed(values: &[f64]) -> Control {
    Control::Given(values.iter().map(|&value| Schedule::Listed(vec![value])).collect())
}

#[cfg(test)]
mod tests {
    use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

    use super::*;

    fn hypers() -> Vec<Hyper> {
        let hyper =
            |name: &str, range| Hyper { name: name.to_owned(), range, start: 0.05, shared: false };
        let interval = |high| Range::Interval { low: 0.0, high };
        vec![
            hyper("dropout-1", interval(0.9)),
            hyper("hue", interval(0.5)),
            hyper("cutout-length", Range::Whole { below: 25.0 }),
            hyper("dense-dropout-1", interval(0.5)),
        ]
    }

    fn groups(names: &[&[&str]], levels: &[f64]) -> Search {
        let group = |names: &&[&str]| Group {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            levels: levels.to_vec(),
        };
        Search::Grid(names.iter().map(group).collect())
    }

    fn asked(search: &Search, count: usize) -> Vec<Vec<f64>> {
        let mut searcher = search.searcher(&hypers(), 0.75, 9).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let all = (0..count).map_while(|_| searcher.tuner.ask(&mut rng)).collect::<Vec<_>>();
        all.iter().map(|suggestion| searcher.values(&suggestion.config)).collect()
    }

    #[test]
    fn searches_stay_within_the_ranges_of_the_paper() {
        for search in [Search::Random, Search::Hyperband(Brackets { minimum: 1, eta: 3 })] {
            let all = asked(&search, 200);
            let most = |i: usize| all.iter().map(|v| v[i]).fold(0.0, f64::max);
            assert!(most(0) <= 0.75 && most(0) > 0.6, "{}", most(0));
            assert!(most(1) <= 0.5 && most(3) <= 0.5);
            assert!(all.iter().all(|v| v[2].fract() == 0.0 && v[2] <= 24.0));
        }
    }

    #[test]
    fn a_grid_moves_groups_together() {
        let both: &[&str] = &["dropout-1", "dense-dropout-1"];
        let all = asked(&groups(&[both, &["hue", "cutout-length"]], &[0.0, 0.4]), 9);
        let expected = [
            vec![0.0, 0.0, 0.0, 0.0],
            vec![0.0, 0.2, 10.0, 0.0],
            vec![0.4 * 0.75, 0.0, 0.0, 0.2],
            vec![0.4 * 0.75, 0.2, 10.0, 0.2],
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn groups_are_a_partition() {
        let refused = |search: Search| search.searcher(&hypers(), 0.75, 9).is_err();
        let (three, four): (&[&str], &[&str]) =
            (&["dropout-1", "hue", "cutout-length"], &["dense-dropout-1"]);
        assert!(!refused(groups(&[three, four], &[0.5])));
        assert!(refused(groups(&[three], &[0.5])));
        assert!(refused(groups(&[three, four, four], &[0.5])));
        assert!(refused(groups(&[three, four, &["colour"]], &[0.5])));
        assert!(refused(groups(&[three, four], &[])));
        assert!(refused(groups(&[three, four], &[f64::NAN])));
    }
}
