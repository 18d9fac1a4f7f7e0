//! The config of HOAG, typed and checked.

use std::collections::BTreeMap;

use kit::{claims::again::Again, paper::Values, ranges::Ranges};
use models::bilevel::kernel_ridge::Distance;
use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::gradient::hoag_rules::HoagRules;

use super::{
    problem::{Model, Scaling},
    stages::{gradient_error::GradientErrorValues, landscape::LandscapeValues},
    verdicts::evidence::Size,
};

/// `configs/hoag.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HoagConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// The variant of the method whose verdicts count, fixed before any result.
    pub headline: String,
    /// The other variants, shown beside it.
    pub variants: Vec<String>,
    /// The variant whose L becomes constant, as Theorem 2 assumes.
    pub theorem_2: String,
    /// Problems by name.
    #[range(inside)]
    pub problems: BTreeMap<String, Problem>,
    /// Black-box methods.
    #[range(inside)]
    pub black_box: BlackBox,
    /// Theorem 1.
    #[range(inside)]
    pub gradient_error: GradientErrorValues,
    /// Figure 4.
    #[range(inside)]
    pub landscape: LandscapeValues,
}

/// One bilevel problem on one data set.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Problem {
    /// Id in the data registry.
    pub data_set: String,
    /// The model whose hyper-parameters are tuned.
    pub model: Model,
    /// How features are scaled.
    pub scaling: Scaling,
    /// The distance in the kernel: squared as in the authors' code, or not, as the paper prints it.
    #[serde(default)]
    pub distance: Distance,
    /// The problem of the paper that this is another reading of.
    pub reading_of: Option<String>,
    /// Whether the paper has this problem.
    pub in_paper: bool,
    /// Rows used, drawn at random for each split; 0 for all.
    pub rows: usize,
    /// Rows used by the long runs of Theorem 2, likewise.
    #[serde(default)]
    pub long_rows: usize,
    /// Random splits.
    #[range(at_least = 1)]
    pub splits: u64,
    /// Splits on which the other variants run.
    pub variant_splits: u64,
    /// Splits on which the long runs of Theorem 2 are made.
    pub long_splits: u64,
    /// Methods compared.
    pub methods: Vec<String>,
    /// Outer iterations of gradient methods.
    #[range(at_least = 1)]
    pub outer_iterations: usize,
    /// Outer iterations of the long runs.
    pub long_iterations: usize,
    /// Evaluations of random search and SMBO.
    #[range(at_least = 4)]
    pub evaluations: usize,
    /// Whether Theorem 1 and Figure 4 are computed on it.
    pub detail: bool,
    /// Memory of one stage, MiB.
    pub memory_mib: u64,
}

/// Settings of grid, random search, SMBO and Iterdiff.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BlackBox {
    /// Points of the grid in each dimension.
    #[range(at_least = 2)]
    pub grid_points: usize,
    /// The box is [−bound, bound]ˢ.
    #[range(above = 0)]
    pub bound: f64,
    /// Inner solves stop at this gradient norm, relative to that at the origin.
    #[range(above = 0, below = 1)]
    pub tolerance: f64,
    /// Inner iterations that Iterdiff unrolls, at most.
    pub unrolled: usize,
}

/// Methods that a problem can name.
pub const METHODS: [&str; 8] = [
    "hoag-exponential",
    "hoag-quadratic",
    "hoag-cubic",
    "hoag-exact",
    "iterdiff",
    "grid",
    "random",
    "smbo",
];

impl HoagConfig {
    /// The parts of a problem whose size differs from that in the config at the paper's scale.
    pub fn reduced(&self, problem: &Problem, paper: &Self, name: &str) -> Vec<Size> {
        let whole = paper.problems.get(name);
        let same = |part: &dyn Fn(&Problem) -> usize| whole.map(part) == Some(part(problem));
        let data = |p: &Problem| (p.data_set.clone(), p.model, p.scaling, p.distance);
        let own = whole.map(data) == Some(data(problem));
        let unchanged = [
            (Size::Rows, own && same(&|p| p.rows)),
            (Size::Iterations, same(&|p| p.outer_iterations)),
            (Size::Rivals, same(&|p| p.evaluations) && self.black_box == paper.black_box),
            (Size::Long, own && same(&|p| p.long_rows) && same(&|p| p.long_iterations)),
            (Size::GradientError, self.gradient_error == paper.gradient_error),
            (Size::Landscape, self.landscape == paper.landscape),
        ];
        unchanged.into_iter().filter(|(_, unchanged)| !unchanged).map(|(size, _)| size).collect()
    }
}

impl Values for HoagConfig {
    fn agree(&self, config: &Config) -> Result<()> {
        let refuse =
            |key: &str, expected: &str| Err(config.invalid(key, &format!("expected {expected}")));
        for (key, name) in [("headline", &self.headline), ("theorem-2", &self.theorem_2)]
            .into_iter()
            .chain(self.variants.iter().map(|name| ("variants", name)))
        {
            if HoagRules::preset(name).is_none() {
                return refuse(
                    key,
                    "one of paper, paper-half-L, paper-constant-L, code-2016, code-head",
                );
            }
        }
        for (name, problem) in &self.problems {
            let key = |field: &str| format!("problems.{name}.{field}");
            let known = data::find(&problem.data_set);
            let Some(entry) = known else {
                let ids: Vec<_> = data::data_sets().iter().map(|entry| entry.id).collect();
                return refuse(&key("data-set"), &format!("one of {}", ids.join(", ")));
            };
            if let Some(of) = &problem.reading_of
                && !self.problems.get(of).is_some_and(|of| of.in_paper && !problem.in_paper)
            {
                return refuse(&key("reading-of"), "a problem of the paper, and in-paper = false");
            }
            for (field, rows) in [("rows", problem.rows), ("long-rows", problem.long_rows)] {
                let all = entry.shape.rows;
                if rows != 0 && !(30..=all).contains(&rows) {
                    return refuse(&key(field), &format!("0 for all, or 30 to {all}"));
                }
            }
            if let Some(method) = problem.methods.iter().find(|m| !METHODS.contains(&m.as_str())) {
                return refuse(
                    &key("methods"),
                    &format!("among {}, not {method}", METHODS.join(", ")),
                );
            }
            if problem.model == Model::Multinomial && problem.methods.iter().any(|m| m == "grid") {
                return refuse(
                    &key("methods"),
                    "no grid: with a hyper-parameter per feature and class it has no end",
                );
            }
            for (field, some) in
                [("variant-splits", problem.variant_splits), ("long-splits", problem.long_splits)]
            {
                if some > problem.splits {
                    return refuse(&key(field), "at most as many as all splits");
                }
            }
        }
        Ok(())
    }

    fn roots(&mut self) -> (&mut u64, &mut Again) {
        (&mut self.root_seed, &mut self.again)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn reduced(profile: &str) -> BTreeMap<String, Vec<Size>> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/hoag.toml");
        let read = |profile| HoagConfig::read(&Config::read(&file, profile).unwrap()).unwrap();
        let (values, paper) = (read(profile), read("paper"));
        let of = |(name, problem): (&String, &Problem)| {
            (name.clone(), values.reduced(problem, &paper, name))
        };
        values.problems.iter().map(of).collect()
    }

    #[test]
    fn each_part_of_a_problem_has_a_size_of_its_own() {
        assert!(reduced("paper").values().all(Vec::is_empty));
        let desk = reduced("desk");
        // Ten splits instead of twenty are not a different size.
        assert_eq!(desk["parkinsons"], [Size::Long]);
        assert_eq!(desk["digits"], []);
        assert_eq!(desk["news20"], [Size::Rows, Size::Iterations, Size::Rivals]);
        for (name, reduced) in reduced("smoke") {
            for size in [Size::Iterations, Size::Rivals, Size::GradientError, Size::Landscape] {
                assert!(reduced.contains(&size), "{name}: {size:?}");
            }
        }
    }

    #[test]
    fn what_is_out_of_range_is_refused_by_its_key() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/hoag.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        for (from, to, key) in [
            ("headline = \"paper-half-L\"", "headline = \"half\"", "headline"),
            ("\"code-2016\", \"code-head\"]", "\"code-2017\"]", "variants"),
            ("data-set = \"digits\"", "data-set = \"digit\"", "problems.digits.data-set"),
            (
                "reading-of = \"parkinsons\"",
                "reading-of = \"digits\"",
                "problems.parkinsons-printed.reading-of",
            ),
            ("methods = [\"smbo\"]", "methods = [\"sbmo\"]", "parkinsons-printed.methods"),
            ("rows = 0", "rows = 29", "problems.news20.rows"),
            ("variant-splits = 20", "variant-splits = 21", "problems.news20.variant-splits"),
            ("evaluations = 30", "evaluations = 3", "problems.news20.evaluations"),
            ("grid-points = 10", "grid-points = 1", "black-box.grid-points"),
            ("tolerance = 1e-5", "tolerance = 1.0", "black-box.tolerance"),
            ("epsilons = [1e-1, 1e-2, ", "epsilons = [0.0, 1e-2, ", "gradient-error.epsilons"),
            ("points = 200", "points = 2", "landscape"),
        ] {
            assert!(text.contains(from), "{from}");
            let config = Config::parse(&file, &text.replacen(from, to, 1), "paper").unwrap();
            let error = HoagConfig::read(&config).unwrap_err().to_string();
            assert!(error.contains(key), "{key}: {error}");
        }
    }
}
