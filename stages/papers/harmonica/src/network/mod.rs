//! Harmonica on residual networks, \[Hazan2018\] sections 5.1 to 5.3 and A.3.
//!
//! ```text
//! data ─ cut ─┐
//! ask ─ trial … ─ told ─ ask ─ trial … ─ told ─ … (a search: rounds that follow each other)
//! told (all) ─ sampling, stability, race ─ claims
//! ```
//!
//! A round asks for as many configurations as the search can suggest without further results; each is trained
//! in a stage of its own (or a few in one). The next round replays the results of all earlier rounds to the
//! tuner. Searches that begin alike share their first rounds.

pub mod arms;
pub mod config;
pub mod cost;
pub mod expand;
pub mod found;
pub mod replay;
mod rounds;
pub mod rows;
pub mod search;
pub mod signs;
pub mod stages;
pub mod table_3;
pub mod train;

use pipeline::{code::Table, registry::Kinds};

/// Registers the stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::cut::Cut>(code)
        .add::<arms::gp_ei::AskGpEi>(code)
        .add::<arms::halving::AskHalving>(code)
        .add::<arms::harmonica::AskHarmonica>(code)
        .add::<arms::hyperband::AskHyperband>(code)
        .add::<arms::random::AskRandom>(code)
        .add::<stages::usual::Usual>(code)
        .add::<stages::transfer::Transfer>(code)
        .add::<stages::trial::Trial>(code)
        .add::<stages::sampling::Sampling>(code)
        .add::<stages::stability::TableOne>(code)
        .add::<stages::weights::Weights>(code)
        .add::<stages::race::Race>(code);
}
