//! The budgets of the multi-fidelity tuners.

use tuners::multi_fidelity::{
    brackets::{Arithmetic, Budgets, Sizes},
    hyperband::HyperbandSettings,
};

/// The largest and smallest numbers of epochs of the multi-fidelity tuners have a ratio of 9, in steps of 3.
pub const FULL: HyperbandSettings = HyperbandSettings {
    budgets: Budgets {
        minimum: 1,
        maximum: 9,
        eta: 3,
        arithmetic: Arithmetic::Exact,
        sizes: Sizes::Code,
    },
    brackets: None,
};

/// A single budget, for DEHB without fidelities.
pub const ONE: HyperbandSettings =
    HyperbandSettings { budgets: Budgets { maximum: 1, ..FULL.budgets }, ..FULL };
