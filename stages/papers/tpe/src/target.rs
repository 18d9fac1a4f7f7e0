//! What is minimised: a function, or a table of recorded trainings.

use data::benchmark::{Benchmark, Choices};
use kit::data_sets::benchmark_table;
use numerics::space::{Bounds, Domain, Error, Parameter, Space};
use pipeline::stage::{Context, Stop};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::function::Function;

/// Groups of targets over which the paper averages, in its order.
pub const GROUPS: [&str; 5] = ["5D", "10D", "30D", "HPOBench", "HPOlib"];
/// The functions among them.
pub const FUNCTIONS: [&str; 3] = ["5D", "10D", "30D"];
/// Tables without information: many of its configurations make no error at all.
pub const FLAT: &str = "hpobench-mlp-car";

/// A target, as a stage's parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Target {
    /// A function.
    Function {
        /// Which.
        function: Function,
        /// Number of dimensions.
        dimensions: usize,
        /// Whether its minimum is moved, by up to a quarter of the box in each dimension.
        shifted: bool,
    },
    /// A data set that is a tabular benchmark.
    Table {
        /// Its id.
        id: String,
    },
}

impl Target {
    /// Its name in tables and stages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Function { function, dimensions, shifted } => {
                let shifted = if *shifted { "-shifted" } else { "" };
                format!("{}{shifted}-{dimensions}d", function.name())
            }
            Self::Table { id } => id.clone(),
        }
    }

    /// The group over which it is averaged.
    #[must_use]
    pub fn group(&self) -> String {
        match self {
            Self::Function { dimensions, .. } => format!("{dimensions}D"),
            Self::Table { id } if id.starts_with("hpobench") => "HPOBench".to_owned(),
            Self::Table { .. } => "HPOlib".to_owned(),
        }
    }

    /// Whether it has categories, so that their kernels matter.
    #[must_use]
    pub fn categorical(&self) -> bool {
        self.group() == "HPOlib"
    }

    /// Reads the table if it is one, and draws the shift if there is one.
    ///
    /// # Errors
    /// If an artifact is corrupt or holds no benchmark.
    pub fn open(&self, cx: &Context) -> Result<Opened, Stop> {
        let failed = |e: Error| Stop::Failed(e.to_string());
        match self {
            Self::Function { function, dimensions, shifted } => {
                let radius = function.radius();
                let mut rng = cx.rng("shift")?;
                let drawn = |_| if *shifted { radius * rng.random_range(-0.5..0.5) } else { 0.0 };
                let shift: Vec<f64> = (0..*dimensions).map(drawn).collect();
                let space = Bounds::cube(*dimensions, radius).map_err(failed)?.into();
                Ok(Opened { space, loss: Loss::Function { function: *function, shift } })
            }
            Self::Table { .. } => {
                let table = benchmark_table::read(cx)?;
                let space = space(&table).map_err(failed)?;
                Ok(Opened { space, loss: Loss::Table { table, logs: self.categorical() } })
            }
        }
    }
}

/// The search space of a table: numbers are the places of their values, names are categories.
fn space(table: &Benchmark) -> Result<Space, Error> {
    let parameter = |one: &data::benchmark::Hyperparameter| Parameter {
        name: one.name.clone(),
        domain: match &one.choices {
            Choices::Ordered { values, .. } => {
                Domain::Int { low: 0, high: values.len() as i64 - 1, log: false }
            }
            Choices::Categories(names) => Domain::Categorical { choices: names.len() },
        },
    };
    Space::new(table.parameters.iter().map(parameter).collect())
}

/// A target that can be evaluated.
pub struct Opened {
    /// The search space.
    pub space: Space,
    loss: Loss,
}

enum Loss {
    Function { function: Function, shift: Vec<f64> },
    Table { table: Benchmark, logs: bool },
}

impl Opened {
    /// The loss of a configuration and, of a table, the mean over its recorded trainings: one of them is drawn.
    ///
    /// # Panics
    /// If the configuration is not in the space.
    pub fn evaluate(&self, config: &[f64], rng: &mut ChaCha12Rng) -> (f64, f64) {
        match &self.loss {
            Loss::Function { function, shift } => {
                let moved: Vec<f64> = config.iter().zip(shift).map(|(x, s)| x - s).collect();
                let value = function.value(&moved);
                (value, value)
            }
            Loss::Table { table, logs } => {
                let choices: Vec<usize> = config.iter().map(|&value| value as usize).collect();
                let number = table.number(&choices).expect("tuners stay inside the space");
                let trainings = &table.trainings[number];
                let drawn = trainings[rng.random_range(0..trainings.len())].loss;
                let mean = table.mean_loss(number);
                if *logs { (drawn.ln(), mean.ln()) } else { (drawn, mean) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn a_shifted_function_has_its_minimum_elsewhere() {
        let opened = |shift: Vec<f64>| Opened {
            space: Bounds::cube(2, 5.0).unwrap().into(),
            loss: Loss::Function { function: Function::Sphere, shift },
        };
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        assert_eq!(opened(vec![1.0, -2.0]).evaluate(&[1.0, -2.0], &mut rng), (0.0, 0.0));
        assert_eq!(opened(vec![0.0; 2]).evaluate(&[1.0, -2.0], &mut rng).0, 5.0);
    }

    #[test]
    fn a_table_gives_a_recorded_training() {
        let training = |loss| data::benchmark::Training { loss, seconds: 1.0 };
        let values = Choices::Ordered { values: vec![0.1, 1.0], log: true };
        let names = Choices::Categories(vec!["a".to_owned(), "b".to_owned()]);
        let named = |name: &str, choices| data::benchmark::Hyperparameter {
            name: name.to_owned(),
            choices,
        };
        let table = Benchmark {
            parameters: vec![named("rate", values), named("kind", names)],
            trainings: (1..5)
                .map(|i| vec![training(f64::from(i)), training(f64::from(3 * i))])
                .collect(),
        };
        let space = space(&table).unwrap();
        let opened = Opened { space, loss: Loss::Table { table, logs: true } };
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        for _ in 0..20 {
            let (drawn, mean) = opened.evaluate(&[1.0, 0.0], &mut rng);
            assert!([3.0_f64.ln(), 9.0_f64.ln()].contains(&drawn) && mean == 6.0_f64.ln());
        }
    }

    #[test]
    fn names_and_groups() {
        let shifted =
            Target::Function { function: Function::KTablet, dimensions: 30, shifted: true };
        assert_eq!(
            (shifted.name().as_str(), shifted.group().as_str()),
            ("k-tablet-shifted-30d", "30D")
        );
        let table = |id: &str| Target::Table { id: id.to_owned() };
        assert_eq!(table(FLAT).group(), "HPOBench");
        assert!(table("fcnet-protein-structure").categorical() && !table(FLAT).categorical());
    }
}
