//! The native part of the Python package: a study behind a lock. Everything that speaks Python is in
//! `retune_tuners/*.py`.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use pyo3::{
    create_exception,
    exceptions::{PyOSError, PyRuntimeError, PyValueError},
    prelude::*,
};
use serde_json::Value;
use tuners::{
    method::Method,
    multi_fidelity::{
        brackets::{Arithmetic, Budgets, Sizes},
        hyperband::HyperbandSettings,
    },
    space::{Parameter, Space},
    study::{Answer, Condition, Error, Mode, Outcome, Settings, State},
    tuner::Fidelity,
};

create_exception!(native, StudyError, PyRuntimeError, "A study refused a call.");

fn refused(error: Error) -> PyErr {
    match error {
        Error::File { .. } => PyOSError::new_err(error.to_string()),
        Error::Tuner(_) | Error::EmptyRound | Error::Condition { .. } => {
            PyValueError::new_err(error.to_string())
        }
        _ => StudyError::new_err(error.to_string()),
    }
}

fn invalid(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The kind of a method, as in configs.
fn kind(method: &Value) -> Option<&str> {
    method.get("kind").and_then(Value::as_str)
}

/// All methods with their published settings, for these budgets.
fn published(minimum: u64, maximum: u64, eta: u64) -> PyResult<Vec<Value>> {
    let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
    let budgets = Budgets { minimum, maximum, eta, arithmetic, sizes };
    let methods = Method::published(HyperbandSettings { budgets, brackets: None });
    methods.iter().map(|method| serde_json::to_value(method).map_err(invalid)).collect()
}

/// Puts the values of `wanted` in the place of those of `settings`; an object is gone into.
fn set(settings: &mut Value, wanted: &Value, at: &str) -> PyResult<()> {
    let (Value::Object(settings), Value::Object(wanted)) = (&mut *settings, wanted) else {
        *settings = wanted.clone();
        return Ok(());
    };
    for (key, value) in wanted {
        let Some(old) = settings.get_mut(key) else {
            let known: Vec<_> =
                settings.keys().filter(|k| *k != "kind").map(String::as_str).collect();
            let known = known.join(", ");
            return Err(invalid(format!("{at}.{key}: no such setting; there are: {known}")));
        };
        set(old, value, &format!("{at}.{key}"))?;
    }
    Ok(())
}

/// What Python has of a trial: number, configuration, divisor of the resource (0: a probe), number of the trial that
/// it continues.
type Row = (u64, Vec<f64>, u64, Option<u64>);

fn divisor(fidelity: Fidelity) -> u64 {
    match fidelity {
        Fidelity::Probe => 0,
        Fidelity::Part { divisor } => divisor,
    }
}

#[pyclass(frozen)]
struct Core(Mutex<tuners::study::Study>);

impl Core {
    fn study(&self) -> MutexGuard<'_, tuners::study::Study> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Core {
    #[new]
    #[pyo3(signature = (space, conditions, method, budgets, seed, round_size, path, note))]
    #[expect(clippy::too_many_arguments, reason = "one call from one place in Python")]
    fn new(
        py: Python<'_>,
        space: &str,
        conditions: &str,
        method: &str,
        budgets: (u64, u64, u64),
        seed: u64,
        round_size: Option<usize>,
        path: Option<PathBuf>,
        note: String,
    ) -> PyResult<Self> {
        let parameters: Vec<Parameter> = serde_json::from_str(space).map_err(invalid)?;
        let space = Space::new(parameters).map_err(invalid)?;
        let conditions: Vec<Condition> = serde_json::from_str(conditions).map_err(invalid)?;
        let wanted: Value = serde_json::from_str(method).map_err(invalid)?;
        let name = kind(&wanted).unwrap_or_default();
        let all = published(budgets.0, budgets.1, budgets.2)?;
        let Some(mut settings) = all.iter().find(|m| kind(m) == Some(name)).cloned() else {
            let names: Vec<_> = all.iter().filter_map(kind).collect();
            return Err(invalid(format!("method {name:?}: there are: {}", names.join(", "))));
        };
        set(&mut settings, &wanted, name)?;
        let method: Method = serde_json::from_value(settings).map_err(invalid)?;
        let mode = round_size.map_or(Mode::Asynchronous, |size| Mode::Rounds { size });
        let settings = Settings { seed, mode, note, conditions };
        let study = py.detach(|| match path {
            None => tuners::study::Study::new(space, method, settings),
            Some(path) => tuners::study::Study::open(&path, space, method, settings),
        });
        Ok(Self(Mutex::new(study.map_err(refused)?)))
    }

    /// A trial, `True` to wait, `False` if there are no more.
    fn ask(&self, py: Python<'_>, total: u64) -> PyResult<(Option<Row>, bool)> {
        let answer = py.detach(|| self.study().ask_below(total)).map_err(refused)?;
        Ok(match answer {
            Answer::Trial(trial) => {
                let divisor = divisor(trial.suggestion.fidelity);
                (Some((trial.id(), trial.suggestion.config, divisor, trial.continues)), false)
            }
            Answer::Wait => (None, true),
            Answer::Done => (None, false),
        })
    }

    fn tell(&self, py: Python<'_>, id: u64, value: Option<f64>, cost: Option<f64>) -> PyResult<()> {
        if cost.is_some_and(|cost| !(cost.is_finite() && cost >= 0.0)) {
            return Err(invalid("cost: expected a finite number, not negative"));
        }
        let outcome = Outcome { cost, ..value.unwrap_or(f64::NAN).into() };
        py.detach(|| self.study().tell(id, outcome)).map_err(refused)
    }

    fn give_back(&self, py: Python<'_>, id: u64) -> PyResult<()> {
        py.detach(|| self.study().give_back(id)).map_err(refused)
    }

    fn reclaim(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.study().reclaim()).map_err(refused)
    }

    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.study().refresh()).map_err(refused)
    }

    /// Each trial with its state, and its value if it has one.
    fn trials(&self) -> Vec<(Row, &'static str, Option<f64>)> {
        let study = self.study();
        let row = |record: &tuners::study::Record| {
            let suggestion = &record.suggestion;
            let divisor = divisor(suggestion.fidelity);
            let row = (suggestion.id, suggestion.config.clone(), divisor, record.continues);
            let state = match record.state {
                State::Ready | State::Back => "ready",
                State::Out => "running",
                State::Told(Outcome { value: None, .. }) => "failed",
                State::Told(_) => "complete",
            };
            (row, state, record.value())
        };
        study.trials().iter().map(row).collect()
    }

    /// Which parameters of a configuration are active.
    fn active(&self, config: Vec<f64>) -> Vec<bool> {
        self.study().active(&config)
    }

    fn best(&self) -> Option<u64> {
        self.study().best().map(|record| record.suggestion.id)
    }
}

/// The names of all methods, and their settings as JSON.
#[pyfunction]
fn methods() -> PyResult<Vec<(String, String)>> {
    let all = published(1, 81, 3)?;
    let named = all.iter().filter_map(|m| Some((kind(m)?.to_owned(), m.to_string())));
    Ok(named.collect())
}

#[pymodule]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Core>()?;
    module.add("StudyError", module.py().get_type::<StudyError>())?;
    module.add_function(wrap_pyfunction!(methods, module)?)
}
