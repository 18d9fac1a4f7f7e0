//! Which components matter.

use kit::row::Row;

/// The importance of a component.
#[derive(Row, Clone, Debug)]
pub struct Importance {
    /// dimensions of the functions, or the benchmark
    pub group: String,
    /// evaluations
    pub evaluations: u32,
    /// the component
    pub component: String,
    /// its share of all components' importance for reaching the better half, in percent
    pub global: f64,
    /// the same for reaching the best settings from the better half, in percent
    pub local: f64,
}

/// How often a value of a component is among the best.
#[derive(Row, Clone, Debug)]
pub struct Mass {
    /// dimensions of the functions, or the benchmark
    pub group: String,
    /// evaluations
    pub evaluations: u32,
    /// the component
    pub component: String,
    /// its value
    pub value: String,
    /// share among the better half of the settings, the mean over targets
    pub half: f64,
    /// share among the best 5% of the settings, the mean over targets
    pub top: f64,
}
