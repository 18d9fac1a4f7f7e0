//! The 60 binary variables of \[Hazan2018\] Table 2 by number and name.

use Effect::{Acts, Dummy, Inert};

/// Number of variables.
pub const COUNT: usize = 60;

/// Whether a variable can change a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It can, if the variables of which it is a detail select it.
    Acts,
    /// A setting of the authors' program that does not change what is computed.
    Inert,
    /// A dummy that the authors added.
    Dummy,
}

/// A binary variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its number in Table 2; its index in an assignment is one less.
    pub number: usize,
    /// Its name in Table 2.
    pub name: &'static str,
    /// Whether it can change a training.
    pub effect: Effect,
}

/// The variables in the order of Table 2: 31 options that act, 7 settings of the program, and 22 dummies.
pub const VARIABLES: [Variable; COUNT] = {
    let mut all = [Variable { number: 0, name: "Dummy variable", effect: Dummy }; COUNT];
    let mut i = 0;
    while i < COUNT {
        all[i].number = i + 1;
        if i < NAMES.len() {
            all[i].name = NAMES[i];
            all[i].effect = if i < ACTING { Acts } else { Inert };
        }
        i += 1;
    }
    all
};

/// Number of dummies, which are the last ones.
pub const DUMMIES: usize = COUNT - NAMES.len();

/// Number of variables that act, which are the first ones.
const ACTING: usize = 31;

const NAMES: [&str; 38] = [
    "Weight initialization",
    "Weight initialization (Detail 1)",
    "Optimization method",
    "Initial learning rate",
    "Initial learning rate (Detail 1)",
    "Initial learning rate (Detail 2)",
    "Learning rate drop",
    "Learning rate first drop time",
    "Learning rate second drop time",
    "Use momentum",
    "Momentum rate",
    "Initial residual link weight",
    "Tune residual link weight",
    "Tune time of residual link weight",
    "Resblock first activation",
    "Resblock second activation",
    "Resblock third activation",
    "Convolution bias",
    "Activation",
    "Activation (Detail 1)",
    "Use dropout",
    "Dropout rate",
    "Dropout rate (Detail 1)",
    "Batch norm",
    "Batch norm tuning",
    "Resnet shortcut type",
    "Resnet shortcut type (Detail 1)",
    "Weight decay",
    "Weight decay parameter",
    "Batch Size",
    "Batch Size (Detail 1)",
    "Optnet",
    "Share gradInput",
    "Backend",
    "cudnn running state",
    "cudnn running state (Detail 1)",
    "nthreads",
    "nthreads (Detail 1)",
];
