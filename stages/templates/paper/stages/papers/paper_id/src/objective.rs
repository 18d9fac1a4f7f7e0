//! The objective that is tuned: Branin's function. Replace it by the paper's own problem, such as a learner
//! on a data set.

use std::f64::consts::PI;

use numerics::space::{Domain, Parameter, Space};

/// Its name in tables.
pub const NAME: &str = "branin";

/// The hyper-parameters.
#[must_use]
pub fn space() -> Space {
    let float = |name: &str, low, high| Parameter {
        name: name.to_owned(),
        domain: Domain::Float { low, high, log: false },
    };
    let space = Space::new(vec![float("x", -5.0, 10.0), float("y", 0.0, 15.0)]);
    space.expect("two intervals with names of their own")
}

/// The loss of a configuration: its minimum is 0.397887…, at three points of the space.
#[must_use]
pub fn loss(config: &[f64]) -> f64 {
    let (x, y) = (config[0], config[1]);
    let valley = y - 5.1 * x * x / (4.0 * PI * PI) + 5.0 * x / PI - 6.0;
    valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minima_are_where_they_are_said_to_be() {
        for at in [[-PI, 12.275], [PI, 2.275], [9.424_777_960_769_38, 2.475]] {
            assert!((loss(&at) - 0.397_887_357_729_739).abs() < 1e-12, "{at:?}");
            assert!(space().contains(&at));
        }
        // By hand: 36 + 10 (1 − 1/8π) + 10 at (0, 0).
        assert!((loss(&[0.0, 0.0]) - (56.0 - 10.0 / (8.0 * PI))).abs() < 1e-12);
    }
}
