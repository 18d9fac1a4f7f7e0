//! The table of what a paper prints of its figures, so that a reader has it beside ours: the stage `ID/figures/printed`.

use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{cell::FiniteOrNull, port::Out, row::Row};

/// A point of a figure, or a number that the paper's text gives of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The figure, such as `fig-4`.
    pub figure: String,
    /// What it is a point of, by our name where we have it too.
    pub series: String,
    /// Where along the axis; `None` if that is not given.
    pub x: Option<f64>,
    /// How high, in the paper's unit; `None` if that is not given.
    pub y: Option<f64>,
    /// The paper's words, and where they stand.
    pub words: String,
}

/// A point as shown to a reader.
#[derive(Row)]
pub struct Shown {
    /// the figure of the paper
    figure: String,
    /// what it is a point of
    series: String,
    /// where along the axis, in the paper's unit
    #[row(with = FiniteOrNull)]
    x: f64,
    /// how high, in the paper's unit
    #[row(with = FiniteOrNull)]
    y: f64,
    /// the paper's words, and where they stand
    words: String,
}

/// Writes the points as a table.
#[derive(Serialize, Deserialize)]
pub struct Printed {
    /// The points in the order of the table.
    pub points: Vec<Point>,
}

impl Printed {
    /// The points.
    pub const MAIN: Out<Shown> = Out::table("main");
}

impl Stage for Printed {
    const KIND: &'static str = "papers/printed";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let row = |point: &Point| Shown {
            figure: point.figure.clone(),
            series: point.series.clone(),
            x: point.x.unwrap_or(f64::NAN),
            y: point.y.unwrap_or(f64::NAN),
            words: point.words.clone(),
        };
        let rows: Vec<Shown> = self.points.iter().map(row).collect();
        Self::MAIN.write(cx, &rows)
    }
}
