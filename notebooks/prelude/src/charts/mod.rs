//! Charts of a table's rows: lines, points, dots with intervals, bars over bins, surfaces. Each is a panel of its own,
//! or, by [`series`], one of several.

pub mod bins;
pub mod dots;
pub mod figure;
pub mod lines;
pub mod points;
pub mod series;
pub mod surface;
