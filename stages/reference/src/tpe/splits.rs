//! Checks the split of trials into those below and those above.

use tuners::bayesian::tpe_split::{Outcome, default_gamma, split};

use super::{Comparison, Error, Node, Understood, WORDS, number};

/// Checks one list of trials.
pub(super) fn check(case: &Node<'_>, file: &mut Comparison) -> Result<Understood, Error> {
    let Some(sign) = sign(&case.need("direction")?)? else {
        return Ok(Understood::Not(format!("{}/direction", case.at)));
    };
    let mut outcomes = Vec::new();
    for trial in case.need("trials")?.items()? {
        for (key, odd) in trial.given()? {
            if !TRIAL.contains(&key) && !WORDS.contains(&key) {
                file.ignored(&odd);
            }
        }
        match outcome(&trial, sign)? {
            Some(outcome) => outcomes.push(outcome),
            None => return Ok(Understood::Not(trial.at)),
        }
    }
    for (key, value) in case.given()? {
        match key {
            "direction" | "trials" => {}
            "expected" => {
                let division = Division::of(&outcomes);
                for (key, value) in value.given()? {
                    if !division.check(key, &value, file) && !WORDS.contains(&key) {
                        file.ignored(&value);
                    }
                }
            }
            _ if WORDS.contains(&key) => {}
            _ => file.ignored(&value),
        }
    }
    Ok(Understood::Yes)
}

/// 1 to minimise, −1 to maximise; `None` for another direction.
pub(super) fn sign(direction: &Node<'_>) -> Result<Option<f64>, Error> {
    Ok(match direction.text()? {
        "minimize" => Some(1.0),
        "maximize" => Some(-1.0),
        _ => None,
    })
}

/// What is known of a trial.
const TRIAL: [&str; 4] = ["number", "state", "value", "intermediate"];

/// The outcome of a trial; `None` if its state is not understood.
fn outcome(trial: &Node<'_>, sign: f64) -> Result<Option<Outcome>, Error> {
    Ok(match trial.need("state")?.text()? {
        "complete" => Some(Outcome::Complete(sign * number(&trial.need("value")?)?)),
        "pruned" => {
            let mut last: Option<(f64, f64)> = None;
            let reported = trial.get("intermediate").map(|node| node.members()).transpose()?;
            for (step, value) in reported.unwrap_or_default() {
                let step = step.parse::<f64>().ok().filter(|step| step.is_finite());
                let Some(step) = step else { return Ok(None) };
                if last.is_none_or(|(latest, _)| step > latest) {
                    last = Some((step, sign * number(&value)?));
                }
            }
            Some(Outcome::Pruned { last })
        }
        _ => None,
    })
}

/// Which trials are below, and which above.
pub(super) struct Division {
    pub(super) below: Vec<usize>,
    pub(super) above: Vec<usize>,
}

impl Division {
    /// The split by the default rule.
    pub(super) fn of(outcomes: &[Outcome]) -> Self {
        let (below, above) = split(outcomes, default_gamma(outcomes.len()));
        Self { below, above }
    }

    /// Compares the value of a key; returns whether the key was understood.
    pub(super) fn check(&self, key: &str, value: &Node<'_>, file: &mut Comparison) -> bool {
        match key {
            "n_below" => file.count(value, self.below.len()),
            "below" => file.counts(value, &self.below),
            "above" => file.counts(value, &self.above),
            _ => return false,
        }
        true
    }
}
