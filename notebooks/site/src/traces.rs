//! Lists the traces along which a reader can move: one run of each method, step by step. Besides `sources`, the
//! only module of this crate that names papers. A missing table is left out.

use figures::Scale;

/// A curve that traces move over.
pub struct Ground {
    /// The stage of its table, which has the same columns for problem and places.
    pub stage: &'static str,
    /// The column of heights.
    pub height: &'static str,
    /// A column that must be empty for a problem to have a curve: a second coordinate.
    pub without: &'static str,
}

/// A table with the steps of runs.
pub struct Traces {
    /// The paper.
    pub paper: &'static str,
    /// The stage.
    pub stage: &'static str,
    /// Its output.
    pub output: &'static str,
    /// The title of the figure, after the paper's name.
    pub title: &'static str,
    /// Only rows in which these text columns have these values count.
    pub only: &'static [(&'static str, &'static str)],
    /// The column with the problem: a panel each.
    pub problem: &'static str,
    /// The column with the method.
    pub method: &'static str,
    /// The column with the repeat, of which the first is shown.
    pub repeat: Option<&'static str>,
    /// The column by which steps are ordered.
    pub order: &'static str,
    /// The column, the label and the scale across.
    pub across: (&'static str, &'static str, Scale),
    /// The same upwards.
    pub up: (&'static str, &'static str, Scale),
    /// What they move over.
    pub ground: Option<Ground>,
}

/// The tables of traces.
pub static TRACES: [Traces; 3] = [
    Traces {
        paper: "hoag",
        stage: "hoag/figures/convergence",
        output: "main",
        title: "λ over its landscape",
        only: &[("rules", "paper-half-L")],
        problem: "problem",
        method: "method",
        repeat: Some("split"),
        order: "step",
        across: ("lambda0", "first hyper-parameter λ", Scale::Linear),
        up: ("test_loss", "outer loss", Scale::Linear),
        ground: Some(Ground {
            stage: "hoag/figures/landscape",
            height: "outer",
            without: "lambda1",
        }),
    },
    Traces {
        paper: "stn",
        stage: "stn/text/figures/starts",
        output: "steps",
        title: "schedules of output dropout from different starts",
        only: &[],
        problem: "replicate",
        method: "value",
        repeat: None,
        order: "batches",
        across: ("batches", "training batches", Scale::Linear),
        up: ("at", "output dropout", Scale::Linear),
        ground: None,
    },
    Traces {
        paper: "compare",
        stage: "compare/anytime",
        output: "runs",
        title: "one search of each tuner",
        only: &[],
        problem: "task",
        method: "tuner",
        repeat: Some("run"),
        order: "evaluations",
        across: ("evaluations", "evaluations", Scale::Linear),
        up: ("normalised", "lowest normalised regret so far", Scale::Linear),
        ground: None,
    },
];
