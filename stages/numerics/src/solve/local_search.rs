//! Local maximisation of a function of a space's features over the real parameters; the other parameters stay
//! fixed.

use crate::{
    solve::projected_bfgs,
    space::{Bounds, Domain, Space},
};

/// The real parameters of a space.
#[derive(Debug, Clone)]
pub struct Climber<'a> {
    space: &'a Space,
    parameters: Vec<usize>,
    /// The feature that each of them becomes.
    slots: Vec<usize>,
    cube: Bounds,
}

impl<'a> Climber<'a> {
    /// `None` if no parameter is real.
    #[must_use]
    pub fn new(space: &'a Space) -> Option<Self> {
        let is_real = |domain: &(usize, Domain)| matches!(domain.1, Domain::Float { .. });
        let real = space.domains().enumerate().filter(is_real);
        let parameters: Vec<usize> = real.map(|(i, _)| i).collect();
        let all = space.slots();
        let slots = parameters.iter().map(|&p| all[p]).collect();
        let n = parameters.len();
        let cube = Bounds::new(vec![0.0; n], vec![1.0; n]).ok()?;
        Some(Self { space, parameters, slots, cube })
    }

    /// A local maximum of `goal` from a point of the unit cube: its value and the point. `goal` returns its
    /// value and its gradient with respect to all features.
    pub fn climb(
        &self,
        mut unit: Vec<f64>,
        tolerance: f64,
        iterations: usize,
        mut goal: impl FnMut(&[f64]) -> (f64, Vec<f64>),
    ) -> (f64, Vec<f64>) {
        let mut features = self.space.features(&unit);
        let start: Vec<f64> = self.parameters.iter().map(|&p| unit[p]).collect();
        let found = projected_bfgs::minimise(&start, &self.cube, tolerance, iterations, |x| {
            self.slots.iter().zip(x).for_each(|(&slot, &v)| features[slot] = v);
            let (value, gradient) = goal(&features);
            (-value, self.slots.iter().map(|&slot| -gradient[slot]).collect())
        });
        self.parameters.iter().zip(&found.x).for_each(|(&p, &v)| unit[p] = v);
        (-found.value, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    fn named(name: &str, domain: Domain) -> Parameter {
        Parameter { name: name.to_owned(), domain }
    }

    #[test]
    fn real_parameters_move_in_their_slots_and_others_stay() {
        let real = Domain::Float { low: 0.0, high: 1.0, log: false };
        let space = Space::new(vec![
            named("a", Domain::Categorical { choices: 3 }),
            named("b", Domain::Int { low: 0, high: 4, log: false }),
            named("c", real),
            named("d", real),
        ])
        .unwrap();
        let climber = Climber::new(&space).unwrap();
        assert_eq!(space.slots(), [0, 3, 4, 5]);
        assert_eq!((&climber.parameters[..], &climber.slots[..]), (&[2, 3][..], &[4, 5][..]));
        let goal = |x: &[f64]| {
            let value = -(x[4] - 0.3).powi(2) - (x[5] - 2.0).powi(2);
            (value, vec![9.0, 9.0, 9.0, 9.0, -2.0 * (x[4] - 0.3), -2.0 * (x[5] - 2.0)])
        };
        let (value, unit) = climber.climb(vec![0.5, 0.1, 0.9, 0.2], 1e-12, 100, goal);
        assert_eq!(unit[..2], [0.5, 0.1]);
        assert!((unit[2] - 0.3).abs() < 1e-6 && unit[3] == 1.0, "{unit:?}");
        assert!((value + 1.0).abs() < 1e-9);
        let none =
            Space::new(vec![named("b", Domain::Int { low: 0, high: 4, log: false })]).unwrap();
        assert!(Climber::new(&none).is_none());
    }
}
