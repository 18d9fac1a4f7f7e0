//! Parameters that matter only where others have certain values, as the width of a kernel only where there is a kernel.

use numerics::space::{Domain, Space};
use serde::{Deserialize, Serialize};

use super::Error;

/// A parameter is active only where another one is and has one of these values. Of several conditions of a parameter all
/// have to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The parameter.
    pub parameter: String,
    /// The other one: whole numbers or categories, before the parameter in the space.
    pub on: String,
    /// Its values: categories by index.
    pub values: Vec<i64>,
}

/// The conditions of a space, checked.
#[derive(Debug)]
pub(super) struct Conditions {
    space: Space,
    /// By parameter: the places of others, and their values.
    needs: Vec<Vec<(usize, Vec<f64>)>>,
}

impl Conditions {
    /// The conditions of a space.
    ///
    /// # Errors
    /// If a condition names what is not there, or a parameter that does not stand before its own.
    pub(super) fn new(space: Space, conditions: &[Condition]) -> Result<Self, Error> {
        let mut needs = vec![Vec::new(); space.dimensions()];
        for condition in conditions {
            let refuse = |expected| Error::Condition {
                parameter: condition.parameter.clone(),
                on: condition.on.clone(),
                expected,
            };
            let place = |name: &str| space.parameters().iter().position(|p| p.name == name);
            let own = place(&condition.parameter)
                .ok_or_else(|| refuse("the name of a parameter of the space"))?;
            let on = place(&condition.on)
                .filter(|on| *on < own)
                .ok_or_else(|| refuse("one on a parameter that stands before it in the space"))?;
            let domain = space.parameters()[on].domain;
            let values: Vec<f64> = condition.values.iter().map(|&value| value as f64).collect();
            let known = values.iter().all(|&value| domain.contains(value));
            if matches!(domain, Domain::Float { .. }) || !known || values.is_empty() {
                return Err(refuse("values of a category or of a whole number, at least one"));
            }
            needs[own].push((on, values));
        }
        Ok(Self { space, needs })
    }

    /// The space.
    pub(super) fn space(&self) -> &Space {
        &self.space
    }

    /// Which parameters of a configuration are active.
    pub(super) fn active(&self, config: &[f64]) -> Vec<bool> {
        let mut active: Vec<bool> = Vec::with_capacity(config.len());
        for needs in &self.needs {
            active.push(
                needs.iter().all(|(on, values)| active[*on] && values.contains(&config[*on])),
            );
        }
        active
    }

    /// Puts each parameter that is not active in the middle of its range: configurations that differ in nothing that
    /// matters become the same, and a tuner learns nothing of a value that nobody used.
    pub(super) fn settle(&self, config: &mut [f64]) {
        let active = self.active(config);
        for ((value, domain), active) in config.iter_mut().zip(self.space.domains()).zip(active) {
            if !active {
                *value = domain.from_unit(0.5);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::space::Parameter;

    fn space() -> Space {
        let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
        Space::new(vec![
            parameter("learner", Domain::Categorical { choices: 3 }),
            parameter("layers", Domain::Int { low: 1, high: 3, log: false }),
            parameter("units", Domain::Float { low: 0.0, high: 8.0, log: false }),
        ])
        .unwrap()
    }

    fn when(parameter: &str, on: &str, values: &[i64]) -> Condition {
        let (parameter, on) = (parameter.to_owned(), on.to_owned());
        Condition { parameter, on, values: values.to_vec() }
    }

    #[test]
    fn a_parameter_is_active_where_its_conditions_hold_all_the_way_up() {
        let conditions = [when("layers", "learner", &[1, 2]), when("units", "layers", &[2, 3])];
        let conditions = Conditions::new(space(), &conditions).unwrap();
        for (config, active, settled) in [
            ([1.0, 3.0, 1.0], [true, true, true], [1.0, 3.0, 1.0]),
            ([2.0, 1.0, 1.0], [true, true, false], [2.0, 1.0, 4.0]),
            ([0.0, 3.0, 1.0], [true, false, false], [0.0, 2.0, 4.0]),
        ] {
            assert_eq!(conditions.active(&config), active);
            let mut own = config;
            conditions.settle(&mut own);
            assert_eq!(own, settled);
            assert_eq!(conditions.active(&own), active, "settled values change nothing");
        }
    }

    #[test]
    fn conditions_that_cannot_be_are_refused() {
        for (condition, expected) in [
            (when("width", "learner", &[1]), "`width`"),
            (when("learner", "layers", &[1]), "before"),
            (when("units", "nothing", &[1]), "before"),
            (when("units", "units", &[1]), "before"),
            (when("units", "learner", &[3]), "values"),
            (when("units", "learner", &[]), "values"),
        ] {
            let error = Conditions::new(space(), &[condition]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
