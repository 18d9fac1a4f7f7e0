//! The engine on a real Slurm cluster of two nodes with two processors and one GPU each, which
//! `cargo xtask slurm` starts: the same artifacts as on this machine, whatever the cluster does.

mod cluster;
mod results;
mod trouble;
#[path = "../engine/world.rs"]
#[expect(dead_code, reason = "the engine's tests use the rest")]
mod world;
