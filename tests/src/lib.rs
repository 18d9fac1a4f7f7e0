//! The whole tool as a user meets it.
