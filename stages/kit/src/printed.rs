//! The table of what a paper prints of its figures, so that a reader has it beside ours: the stage `ID/figures/printed`.

use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{port::Out, row::Row};

/// A point of a figure, or a number that the paper's text gives of it.
#[derive(Row, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// the figure of the paper
    pub figure: String,
    /// what it is a point of
    pub series: String,
    /// where along the axis, in the paper's unit
    pub x: Option<f64>,
    /// how high, in the paper's unit
    pub y: Option<f64>,
    /// the paper's words, and where they stand
    pub words: String,
}

/// Writes the points as a table.
#[derive(Serialize, Deserialize)]
pub struct Printed {
    /// The points in the order of the table.
    pub points: Vec<Point>,
}

impl Printed {
    /// The points.
    pub const MAIN: Out<Point> = Out::table("main");
}

impl Stage for Printed {
    const KIND: &'static str = "papers/printed";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        Self::MAIN.write(cx, &self.points)
    }
}
