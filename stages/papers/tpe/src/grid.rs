//! A grid of TPE's components: which settings it has, which of them are tried, and which value of each component a
//! setting has.

use models::density::component_parzen::{Heuristic, Weighting};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use serde::{Deserialize, Serialize};
use tuners::bayesian::component_tpe::{ComponentTpeSettings, Splitting};

/// The probability of other categories in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "rule")]
pub enum CategoryWidth {
    /// Optuna's, which falls with the number of trials. (Without the braces, unknown keys beside the rule would pass.)
    Optuna {},
    /// This one.
    Fixed {
        /// The width, as a share of the choices.
        share: f64,
    },
}

/// The values of each component; the grid is their product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Grid {
    /// Whether parameters are modelled jointly.
    pub multivariate: Vec<bool>,
    /// How many trials are good.
    pub splitting: Vec<Splitting>,
    /// How trials are weighted.
    pub weighting: Vec<Weighting>,
    /// Whether there is a prior.
    pub prior: Vec<bool>,
    /// Where widths come from.
    pub heuristic: Vec<Heuristic>,
    /// Δ, the least width.
    pub minimum_width: Vec<f64>,
    /// α of the least width that falls with the number of trials; 0 for none, which is the paper's infinity.
    pub exponent: Vec<f64>,
    /// b, on targets with categories; elsewhere the first one counts.
    pub category_width: Vec<CategoryWidth>,
}

/// A component with the values that it has in a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// Its name.
    pub name: &'static str,
    /// The names of its values.
    pub levels: Vec<String>,
    /// The value of each setting; `None` where it has none, as factors of the other way of splitting.
    pub of: Vec<Option<usize>>,
}

impl Grid {
    /// The settings that are tried on targets with or without categories: all, or `draw` of them, drawn once.
    #[must_use]
    pub fn settings(&self, categorical: bool, draw: usize) -> Vec<ComponentTpeSettings> {
        let all = self.all(categorical);
        if draw >= all.len() {
            return all;
        }
        let mut rng = ChaCha12Rng::seed_from_u64(0);
        let mut kept = rand::seq::index::sample(&mut rng, all.len(), draw).into_vec();
        kept.sort_unstable();
        kept.into_iter().map(|i| all[i]).collect()
    }

    /// The number of settings.
    #[must_use]
    pub fn size(&self, categorical: bool) -> usize {
        self.all(categorical).len()
    }

    fn all(&self, categorical: bool) -> Vec<ComponentTpeSettings> {
        let base = ComponentTpeSettings::default();
        let categories = if categorical { self.category_width.len() } else { 1 };
        let mut all = vec![base];
        let mut times = |count: usize, set: &dyn Fn(&mut ComponentTpeSettings, usize)| {
            let each = |one: &ComponentTpeSettings| {
                let varied = |i| {
                    let mut one = *one;
                    set(&mut one, i);
                    one
                };
                (0..count).map(varied).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(each).collect();
        };
        times(self.multivariate.len(), &|s, i| s.multivariate = self.multivariate[i]);
        times(self.splitting.len(), &|s, i| s.splitting = self.splitting[i]);
        times(self.weighting.len(), &|s, i| s.weighting = self.weighting[i]);
        times(self.prior.len(), &|s, i| s.kernels.prior = self.prior[i]);
        times(self.heuristic.len(), &|s, i| s.kernels.heuristic = self.heuristic[i]);
        times(self.minimum_width.len(), &|s, i| s.kernels.minimum_width = self.minimum_width[i]);
        times(self.exponent.len(), &|s, i| {
            s.kernels.exponent = Some(self.exponent[i]).filter(|exponent| *exponent > 0.0);
        });
        times(categories, &|s, i| {
            s.kernels.category_width = match self.category_width[i] {
                CategoryWidth::Optuna {} => None,
                CategoryWidth::Fixed { share } => Some(share),
            };
        });
        all
    }
}

/// Reads the value of a component from a setting; `None` where it has none.
type Level = fn(&ComponentTpeSettings) -> Option<String>;

/// The components, by name.
const COMPONENTS: [(&str, Level); 10] = [
    ("multivariate", |s| Some(on(s.multivariate))),
    ("prior", |s| Some(on(s.kernels.prior))),
    ("heuristic", |s| Some(format!("{:?}", s.kernels.heuristic).to_lowercase())),
    ("minimum width", |s| Some(s.kernels.minimum_width.to_string())),
    ("exponent", |s| Some(s.kernels.exponent.map_or("none".to_owned(), |a| a.to_string()))),
    ("splitting", |s| {
        let linear = matches!(s.splitting, Splitting::Linear { .. });
        Some(if linear { "linear" } else { "sqrt" }.to_owned())
    }),
    ("linear beta", |s| match s.splitting {
        Splitting::Linear { beta } => Some(beta.to_string()),
        Splitting::Sqrt { .. } => None,
    }),
    ("sqrt beta", |s| match s.splitting {
        Splitting::Sqrt { beta } => Some(beta.to_string()),
        Splitting::Linear { .. } => None,
    }),
    ("weighting", |s| Some(weighting(s.weighting).to_owned())),
    ("category width", |s| {
        Some(s.kernels.category_width.map_or("optuna".to_owned(), |b| b.to_string()))
    }),
];

fn on(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

fn weighting(weighting: Weighting) -> &'static str {
    match weighting {
        Weighting::Uniform => "uniform",
        Weighting::OldDecay => "old decay",
        Weighting::OldDrop => "old drop",
        Weighting::OldDropKeepsPrior => "old drop, prior kept",
        Weighting::ExpectedImprovement => "improvement",
    }
}

/// The components that differ between settings.
#[must_use]
pub fn factors(settings: &[ComponentTpeSettings]) -> Vec<Factor> {
    let factor = |&(name, level): &(&'static str, Level)| {
        let values: Vec<Option<String>> = settings.iter().map(level).collect();
        let mut levels: Vec<String> = Vec::new();
        for value in values.iter().flatten() {
            if !levels.contains(value) {
                levels.push(value.clone());
            }
        }
        let place = |value: &String| levels.iter().position(|level| level == value);
        let of = values.iter().map(|value| value.as_ref().and_then(place)).collect();
        Factor { name, levels, of }
    };
    COMPONENTS.iter().map(factor).filter(|factor| factor.levels.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid {
            multivariate: vec![true, false],
            splitting: vec![
                Splitting::Linear { beta: 0.1 },
                Splitting::Linear { beta: 0.2 },
                Splitting::Sqrt { beta: 0.5 },
            ],
            weighting: vec![Weighting::Uniform, Weighting::OldDrop],
            prior: vec![true],
            heuristic: vec![Heuristic::Scott],
            minimum_width: vec![0.01],
            exponent: vec![1.0, 0.0],
            category_width: vec![CategoryWidth::Fixed { share: 0.1 }, CategoryWidth::Optuna {}],
        }
    }

    #[test]
    fn the_grid_is_a_product() {
        let all = grid().settings(false, usize::MAX);
        assert_eq!((all.len(), grid().size(true)), (2 * 3 * 2 * 2, 48));
        let names: Vec<&str> = factors(&all).iter().map(|factor| factor.name).collect();
        // The other way of splitting has one value here, and is no choice.
        assert_eq!(names, ["multivariate", "exponent", "splitting", "linear beta", "weighting"]);
        let linear = &factors(&all)[3];
        assert_eq!(linear.of.iter().filter(|of| of.is_none()).count(), 8);
        assert_eq!(factors(&grid().settings(true, 99)).last().unwrap().levels, ["0.1", "optuna"]);
    }

    #[test]
    fn settings_are_drawn_once_for_all_targets() {
        let drawn = grid().settings(true, 20);
        assert_eq!(drawn, grid().settings(true, 20));
        let mut different = drawn.clone();
        different.dedup();
        assert_eq!((drawn.len(), different.len()), (20, 20));
        assert!(drawn.iter().all(|one| grid().settings(true, 99).contains(one)));
    }
}
