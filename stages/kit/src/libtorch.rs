//! Functions that only the program with libtorch provides. Both programs are built from this library and have
//! the same stages. The code that trains networks is in the crate `nets`, which depends on this one:
//! `retune-torch` fills in these functions when it starts, and `retune`, which does not have them, needs no
//! libtorch.

use std::sync::OnceLock;

use pipeline::stage::Stop;

/// Names the module of the crate `nets` that provides a function. The compiler ignores it; code digests
/// (`codehash`) follow it, so that an edit there reruns the stages that are executed there.
#[macro_export]
macro_rules! carried_out_by {
    ($module:path) => {};
}
pub use carried_out_by;

/// A slot for one such function.
pub struct Slot<F>(OnceLock<F>);

impl<F: Copy> Slot<F> {
    /// An empty slot.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Fills it in. The first function stays.
    pub fn fill(&self, function: F) {
        self.0.get_or_init(|| function);
    }

    /// The function.
    ///
    /// # Errors
    /// If this program has none: its stages can be planned, but not computed here.
    pub fn get(&self) -> Result<F, Stop> {
        let function = self.0.get().copied();
        function.ok_or_else(|| Stop::Unavailable("needs the program retune-torch".to_owned()))
    }
}

impl<F: Copy> Default for Slot<F> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_slot_says_which_program_has_it() {
        let slot: Slot<fn(i32) -> i32> = Slot::new();
        let Err(Stop::Unavailable(why)) = slot.get() else { panic!("there is no function yet") };
        assert!(why.contains("retune-torch"), "{why}");
        slot.fill(|x| x + 1);
        assert_eq!(slot.get().unwrap()(1), 2);
    }
}
