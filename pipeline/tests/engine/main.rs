//! Tests of the engine through the toy program, one behaviour per module. They start processes, so they see exactly
//! what a user sees: exit codes, messages, events, files.

mod absence;
mod checkpoints;
mod cone;
mod corruption;
mod crew;
mod determinism;
mod edits;
mod errors;
mod estimate;
mod exits;
mod failures;
mod harm;
mod histories;
mod interrupt;
mod kills;
mod provenance;
mod refusals;
mod remote;
mod sandbox;
mod store;
mod terminal;
mod trust;
mod variables;
mod victims;
mod watch;
mod world;
