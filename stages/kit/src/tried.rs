//! The table of searches: every evaluation of each, with the lowest loss so far.

use crate::row::Row;

/// One evaluation.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Tried {
    /// what is tuned
    pub problem: String,
    /// the method
    pub method: String,
    /// number of the repeat
    pub repeat: u32,
    /// evaluations so far
    pub evaluation: usize,
    /// the loss of this one
    pub loss: f64,
    /// the lowest loss so far
    pub best: f64,
}

impl Tried {
    /// The rows of a run with these losses, in the order of evaluations.
    #[must_use]
    pub fn run(problem: &str, method: &str, repeat: u32, losses: &[f64]) -> Vec<Self> {
        let mut best = f64::INFINITY;
        let row = |(i, &loss): (usize, &f64)| {
            best = best.min(loss);
            let (problem, method) = (problem.to_owned(), method.to_owned());
            Self { problem, method, repeat, evaluation: i + 1, loss, best }
        };
        losses.iter().enumerate().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_so_far_never_rises_and_ignores_failures() {
        let rows = Tried::run("bowl", "random", 2, &[3.0, f64::NAN, 1.0, 2.0]);
        assert_eq!(rows.iter().map(|row| row.best).collect::<Vec<_>>(), [3.0, 3.0, 1.0, 1.0]);
        assert_eq!(rows.iter().map(|row| row.evaluation).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}
