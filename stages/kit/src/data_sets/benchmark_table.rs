//! A tabular benchmark as two tables, and back. Separate from loading, so that a change to a loader reruns the
//! loading and, if the tables are the same, nothing else.

use data::benchmark::{Benchmark, Choices, Hyperparameter, Training};
use pipeline::stage::{Context, Stop};

use crate::{port::In, row::Row};

/// The recorded trainings.
pub const TRAININGS: In<Recorded> = In::new("trainings");
/// The search space.
pub const SPACE: In<Choice> = In::new("space");

/// The scale of names without an order.
const CATEGORY: &str = "category";
/// The scale of numbers that are spaced on a logarithmic scale.
const LOG: &str = "log";
/// The scale of other numbers.
const LINEAR: &str = "linear";

/// A recorded training.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Recorded {
    /// number of the configuration; the last hyper-parameter changes fastest
    pub configuration: u32,
    /// number of the recorded seed
    pub seed: u32,
    /// on the validation part; lower is better
    pub loss: f64,
    /// time of training
    #[row(unit = "s")]
    pub seconds: f64,
}

/// A value of a hyper-parameter.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Choice {
    /// the hyper-parameter; configurations are numbered in the order of this table
    pub parameter: String,
    /// linear or log where the values are numbers in order, category where they are names
    pub scale: String,
    /// the value, or its name
    pub choice: String,
    /// the value; none for a name
    pub value: Option<f64>,
}

/// The rows of all trainings.
#[must_use]
pub fn recorded(table: &Benchmark) -> Vec<Recorded> {
    let mut rows = Vec::new();
    for (configuration, own) in (0..).zip(&table.trainings) {
        for (seed, one) in (0..).zip(own) {
            rows.push(Recorded { configuration, seed, loss: one.loss, seconds: one.seconds });
        }
    }
    rows
}

/// The rows of the search space.
#[must_use]
pub fn choices(table: &Benchmark) -> Vec<Choice> {
    let mut rows = Vec::new();
    for Hyperparameter { name, choices } in &table.parameters {
        let row = |scale: &str, choice: String, value| {
            let (parameter, scale) = (name.clone(), scale.to_owned());
            Choice { parameter, scale, choice, value }
        };
        match choices {
            Choices::Ordered { values, log } => {
                let scale = if *log { LOG } else { LINEAR };
                rows.extend(values.iter().map(|v| row(scale, v.to_string(), Some(*v))));
            }
            Choices::Categories(names) => {
                rows.extend(names.iter().map(|name| row(CATEGORY, name.clone(), None)));
            }
        }
    }
    rows
}

/// The hyper-parameters of these rows.
///
/// # Errors
/// If a row has another scale than those of its hyper-parameter, or a number has no value.
pub fn parameters(rows: &[Choice]) -> Result<Vec<Hyperparameter>, Stop> {
    let mut all = Vec::new();
    for own in rows.chunk_by(|a, b| a.parameter == b.parameter) {
        let name = &own[0].parameter;
        let refused = || Stop::Failed(format!("the values of `{name}` are of several kinds"));
        let scale = own[0].scale.as_str();
        if own.iter().any(|row| row.scale != scale) {
            return Err(refused());
        }
        let values: Option<Vec<f64>> = own.iter().map(|row| row.value).collect();
        let choices = match (scale, values) {
            (CATEGORY, _) => {
                Choices::Categories(own.iter().map(|row| row.choice.clone()).collect())
            }
            (LOG | LINEAR, Some(values)) => Choices::Ordered { values, log: scale == LOG },
            _ => return Err(refused()),
        };
        all.push(Hyperparameter { name: name.clone(), choices });
    }
    Ok(all)
}

/// The benchmark of these tables.
///
/// # Errors
/// If they contradict themselves or each other.
pub fn benchmark(space: &[Choice], rows: &[Recorded]) -> Result<Benchmark, Stop> {
    let by_configuration = rows.chunk_by(|a, b| a.configuration == b.configuration);
    let training = |row: &Recorded| Training { loss: row.loss, seconds: row.seconds };
    let trainings = by_configuration.map(|own| own.iter().map(training).collect()).collect();
    let table = Benchmark { parameters: parameters(space)?, trainings };
    let fault = |what: &str| Stop::Failed(format!("table of trainings: {what}"));
    table.fault().map_or(Ok(table), |what| Err(fault(what)))
}

/// The benchmark behind these inputs.
///
/// # Errors
/// If an artifact is corrupt or holds no benchmark.
pub fn read(cx: &Context) -> Result<Benchmark, Stop> {
    benchmark(&SPACE.read(cx)?, &TRAININGS.read(cx)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Benchmark {
        let values = Choices::Ordered { values: vec![0.1, 1.0], log: true };
        let names = Choices::Categories(vec!["a".to_owned(), "b".to_owned()]);
        let depth = Choices::Ordered { values: vec![1.0], log: false };
        let parameter = |name: &str, choices| Hyperparameter { name: name.to_owned(), choices };
        let training = |loss, seconds| Training { loss, seconds };
        Benchmark {
            parameters: vec![
                parameter("rate", values),
                parameter("kind", names),
                parameter("depth", depth),
            ],
            trainings: vec![
                vec![training(0.5, 1.0), training(0.25, 2.0)],
                vec![training(0.125, 3.0)],
                vec![training(4.0, 1.0)],
                vec![training(1.0, 1.0), training(2.0, 1.0), training(3.0, 1.0)],
            ],
        }
    }

    #[test]
    fn a_benchmark_comes_back_as_it_went() {
        let (space, rows) = (choices(&table()), recorded(&table()));
        assert_eq!(rows.len(), 7);
        assert_eq!(benchmark(&space, &rows).unwrap(), table());
    }

    #[test]
    fn tables_that_contradict_each_other_are_refused() {
        let (mut space, rows) = (choices(&table()), recorded(&table()));
        assert!(benchmark(&space, &rows[..4]).is_err(), "a configuration is missing");
        space[1].scale = CATEGORY.to_owned();
        let error = benchmark(&space, &rows).unwrap_err();
        assert!(matches!(&error, Stop::Failed(what) if what.contains("`rate`")), "{error:?}");
        space[1] = Choice { value: None, ..choices(&table())[1].clone() };
        assert!(benchmark(&space, &rows).is_err());
    }
}
