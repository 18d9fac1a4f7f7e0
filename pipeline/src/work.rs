//! How much work a stage is: elementary operations, as a formula of its parameters and of the sizes of its inputs.
//! Used only for estimates. The formulas are outside the modules of the stages, so that an edit of one changes no
//! code digest and reruns nothing.

use std::cell::Cell;

use crate::stage::Stage;

/// The constant part of the work of a stage that joins or judges tables, in rows.
pub const FIXED_ROWS: f64 = 500.0;

/// A stage whose work is known in advance.
///
/// ```
/// use pipeline::work::{Inputs, Size, Work};
/// # use pipeline::stage::{Context, Stage, Stop};
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Train {
///     epochs: usize,
/// }
/// # impl Stage for Train {
/// #     const KIND: &'static str = "train";
/// #     const MODULE: &'static str = module_path!();
/// #     fn run(&self, _: &mut Context) -> Result<(), Stop> { Ok(()) }
/// # }
///
/// impl Work for Train {
///     fn work(&self, inputs: &Inputs) -> f64 {
///         self.epochs as f64 * inputs.size("rows").rows
///     }
/// }
///
/// let sizes = |_: usize| Some(Size::new(1000, 20));
/// let inputs = Inputs::new(vec!["rows"], &sizes);
/// assert_eq!(Train { epochs: 3 }.work(&inputs), 3000.0);
/// ```
pub trait Work: Stage {
    /// Elementary operations, in any unit that is proportional to the time that the kind takes: floating-point
    /// operations of a network, rows × epochs, the number of joined items. Positive. By default that of a stage that
    /// joins, compares or judges tables.
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.joined()
    }

    /// What else decides how long an operation takes, such as the learner: each variant has a constant of its own.
    /// Empty if there is none.
    fn variant(&self) -> String {
        String::new()
    }

    /// Rows and columns of an output, if the parameters and inputs determine them; otherwise they are assumed to grow
    /// with the work, as in the records.
    fn writes(&self, _output: &str, _inputs: &Inputs) -> Option<Size> {
        None
    }
}

/// The size of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Its rows.
    pub rows: f64,
    /// Its columns; a column of byte strings of equal length counts with that length.
    pub columns: f64,
}

impl Size {
    /// A size from whole numbers.
    #[must_use]
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows: rows as f64, columns: columns as f64 }
    }
}

/// A function that gives the size of an input by its index.
type Look<'a> = dyn Fn(usize) -> Option<Size> + 'a;

/// The inputs of a stage as a formula sees them: their roles, and sizes that are looked up on demand.
pub struct Inputs<'a> {
    roles: Vec<&'a str>,
    look: &'a Look<'a>,
    missed: Cell<bool>,
}

impl<'a> Inputs<'a> {
    /// The inputs with these roles; `look` gives the size of an input by its index.
    #[must_use]
    pub fn new(roles: Vec<&'a str>, look: &'a Look<'a>) -> Self {
        Self { roles, look, missed: Cell::new(false) }
    }

    /// The number of inputs.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.roles.len() as f64
    }

    /// The roles.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().copied()
    }

    /// The number of roles with this prefix.
    #[must_use]
    pub fn count_of(&self, prefix: &str) -> f64 {
        self.roles.iter().filter(|role| role.starts_with(prefix)).count() as f64
    }

    fn at(&self, place: usize) -> Size {
        (self.look)(place).unwrap_or_else(|| {
            self.missed.set(true);
            Size { rows: 0.0, columns: 0.0 }
        })
    }

    /// The size of the input `role`: zero if there is none (it may be optional) or its size is not known;
    /// [`Inputs::complete`] distinguishes the two.
    #[must_use]
    pub fn size(&self, role: &str) -> Size {
        let place = self.roles.iter().position(|own| *own == role);
        place.map_or(Size { rows: 0.0, columns: 0.0 }, |place| self.at(place))
    }

    /// The rows of the input `role`.
    #[must_use]
    pub fn rows(&self, role: &str) -> f64 {
        self.size(role).rows
    }

    /// The rows × columns of the input `role`.
    #[must_use]
    pub fn cells(&self, role: &str) -> f64 {
        let Size { rows, columns } = self.size(role);
        rows * columns
    }

    /// The total rows of all inputs whose role has this prefix.
    #[must_use]
    pub fn rows_of(&self, prefix: &str) -> f64 {
        let places = (0..self.roles.len()).filter(|&place| self.roles[place].starts_with(prefix));
        places.map(|place| self.at(place).rows).sum()
    }

    /// The work of a stage that joins, compares or judges its inputs.
    #[must_use]
    pub fn joined(&self) -> f64 {
        FIXED_ROWS + 50.0 * self.count() + self.rows_of("")
    }

    /// Whether every size that was asked for was known.
    #[must_use]
    pub fn complete(&self) -> bool {
        !self.missed.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_told_apart_from_what_is_not_there() {
        let look = |place: usize| (place == 0).then(|| Size::new(3, 2));
        let inputs = Inputs::new(vec!["run 1", "run 2"], &look);
        assert_eq!((inputs.rows("run 1"), inputs.cells("run 1"), inputs.count()), (3.0, 6.0, 2.0));
        assert_eq!((inputs.rows("other"), inputs.complete()), (0.0, true));
        assert_eq!((inputs.rows_of("run "), inputs.complete()), (3.0, false));
    }
}
