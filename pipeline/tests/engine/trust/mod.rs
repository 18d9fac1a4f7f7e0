//! How a store and a remote are checked: checks of everything, repairs, recomputations, signatures.

mod fsck;
mod recorded;
mod rerun;
mod share;
mod signed;
mod worth;
