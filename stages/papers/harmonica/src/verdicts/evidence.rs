//! The tables that verdicts rest on.

use kit::port::{In, Many};
use pipeline::stage::{Context, Stop};

use crate::tables::{
    averages::Average, contest::Played, dummies::Selected, features::Feature, noise::Estimated,
    race::Raced, recovery::Recovered, stability, table_1, times::Spent,
};

/// Random sparse polynomials.
pub const RECOVERY: In<Recovered> = In::new("recovery");
/// The time that optimisers spend.
pub const TIMES: In<Spent> = In::new("times");
/// Harmonica against noise, by rules.
pub const NOISE: Many<Estimated> = Many::new("noise ");
/// Features among dummies, by rules.
pub const DUMMIES: Many<Selected> = Many::new("dummies ");
/// Table 1 on synthetic functions, by rules.
pub const STABILITY: Many<stability::Moved> = Many::new("stability ");
/// Harmonica against its rivals on synthetic functions, by rules.
pub const CONTEST: Many<Played> = Many::new("contest ");
/// Table 1 on networks.
pub const TABLE_1: In<table_1::Moved> = In::new("network stability");
/// Table 3.
pub const FEATURES: In<Feature> = In::new("network features");
/// Figure 4.
pub const AVERAGES: In<Average> = In::new("network averages");
/// Figures 2 and 3.
pub const RACE: In<Raced> = In::new("network race");

/// The available tables, under one set of rules.
#[derive(Clone, Default)]
pub struct Evidence {
    /// See [`RECOVERY`].
    pub recovery: Option<Vec<Recovered>>,
    /// See [`TIMES`].
    pub times: Option<Vec<Spent>>,
    /// See [`NOISE`].
    pub noise: Option<Vec<Estimated>>,
    /// See [`DUMMIES`].
    pub dummies: Option<Vec<Selected>>,
    /// See [`STABILITY`].
    pub stability: Option<Vec<stability::Moved>>,
    /// See [`CONTEST`].
    pub contest: Option<Vec<Played>>,
    /// See [`TABLE_1`].
    pub table_1: Option<Vec<table_1::Moved>>,
    /// See [`FEATURES`].
    pub features: Option<Vec<Feature>>,
    /// See [`AVERAGES`].
    pub averages: Option<Vec<Average>>,
    /// See [`RACE`].
    pub race: Option<Vec<Raced>>,
}

impl Evidence {
    /// Reads the inputs that are available.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(cx: &Context, rules: &str) -> Result<Self, Stop> {
        Ok(Self {
            recovery: RECOVERY.read_if_there(cx)?,
            times: TIMES.read_if_there(cx)?,
            noise: NOISE.at(rules).read_if_there(cx)?,
            dummies: DUMMIES.at(rules).read_if_there(cx)?,
            stability: STABILITY.at(rules).read_if_there(cx)?,
            contest: CONTEST.at(rules).read_if_there(cx)?,
            table_1: TABLE_1.read_if_there(cx)?,
            features: FEATURES.read_if_there(cx)?,
            averages: AVERAGES.read_if_there(cx)?,
            race: RACE.read_if_there(cx)?,
        })
    }
}
