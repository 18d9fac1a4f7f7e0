//! The budgets of the multi-fidelity tuners.

use tuners::multi_fidelity::{
    brackets::{Arithmetic, Budgets, Sizes},
    hyperband::HyperbandSettings,
};

/// Most and fewest epochs of the multi-fidelity tuners are as 9 to 1, in thirds.
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

/// One budget only: what DEHB makes of it where it is given no fidelities.
pub const ONE: HyperbandSettings =
    HyperbandSettings { budgets: Budgets { maximum: 1, ..FULL.budgets }, ..FULL };
