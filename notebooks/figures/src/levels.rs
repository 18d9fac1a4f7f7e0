//! Computes filled level lines of a function on a grid: in each cell the part above a level, bounded by
//! straight lines between the edges.

use crate::{
    axis::{Axis, Point},
    drawing::Drawing,
};

/// The values of a function on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// The positions of the columns, ascending.
    pub x: Vec<f64>,
    /// The positions of the rows, ascending.
    pub y: Vec<f64>,
    /// The values, row by row.
    pub z: Vec<Vec<f64>>,
    /// The levels at which lines are drawn, ascending, the first below all values.
    pub at: Vec<f64>,
}

/// Points of the colour map viridis, from low to high.
const MAP: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// The colour at a position from 0 (low) to 1 (high), as `#rrggbb`.
#[must_use]
pub fn colour(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let low = (place.floor() as usize).min(MAP.len() - 2);
    let mix = |i: usize| {
        let (a, b) = (f64::from(MAP[low][i]), f64::from(MAP[low + 1][i]));
        (a + (place - low as f64) * (b - a)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

impl Levels {
    pub(crate) fn corners(&self) -> Vec<Point> {
        let ends = |of: &[f64]| of.first().copied().zip(of.last().copied());
        let (Some((left, right)), Some((low, high))) = (ends(&self.x), ends(&self.y)) else {
            return Vec::new();
        };
        vec![(left, low), (right, high)]
    }

    /// The colour of the area above each level.
    #[must_use]
    pub fn colours(&self) -> Vec<String> {
        let most = self.at.len().saturating_sub(1).max(1) as f64;
        (0..self.at.len()).map(|i| colour(i as f64 / most)).collect()
    }

    /// The parts of all cells where the function is at least `level`.
    fn above(&self, level: f64) -> Vec<Vec<Point>> {
        let mut parts = Vec::new();
        for j in 1..self.y.len() {
            for i in 1..self.x.len() {
                let corner = |i: usize, j: usize| (self.x[i], self.y[j], self.z[j][i]);
                let cell = [corner(i - 1, j - 1), corner(i, j - 1), corner(i, j), corner(i - 1, j)];
                let part = cut(&cell, level);
                if part.len() > 2 {
                    parts.push(part);
                }
            }
        }
        parts
    }
}

/// The part of a polygon, with values at its corners, where the value is at least `level`.
fn cut(cell: &[(f64, f64, f64)], level: f64) -> Vec<Point> {
    let mut part = Vec::new();
    for (at, &(x, y, z)) in cell.iter().enumerate() {
        let (u, v, w) = cell[(at + 1) % cell.len()];
        if z >= level {
            part.push((x, y));
        }
        if (z >= level) != (w >= level) {
            let share = (level - z) / (w - z);
            part.push((x + share * (u - x), y + share * (v - y)));
        }
    }
    part
}

pub(crate) fn draw(levels: &Levels, drawing: &mut Drawing, x: &Axis, y: &Axis) {
    for (level, colour) in levels.at.iter().zip(levels.colours()) {
        let place = |part: Vec<Point>| part.into_iter().map(|(a, b)| (x.place(a), y.place(b)));
        let parts = levels.above(*level).into_iter().map(|part| place(part).collect());
        drawing.filled(&colour, &parts.collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_cut_where_the_plane_through_it_has_the_level() {
        let cell = [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)];
        assert_eq!(cut(&cell, 0.25), [(0.25, 0.0), (1.0, 0.0), (1.0, 1.0), (0.25, 1.0)]);
        assert_eq!(cut(&cell, 0.0).len(), 4);
        assert!(cut(&cell, 1.5).is_empty());
    }

    #[test]
    fn the_map_goes_from_its_first_colour_to_its_last() {
        assert_eq!(
            (colour(-1.0), colour(0.5), colour(1.0)),
            ("#440154".into(), "#21908d".into(), "#fde725".into())
        );
    }

    #[test]
    fn what_lies_above_shrinks_from_level_to_level() {
        let z = (0..5).map(|j| (0..5).map(|i| f64::from(i * j)).collect()).collect();
        let places: Vec<f64> = (0..5).map(f64::from).collect();
        let levels = Levels { x: places.clone(), y: places, z, at: vec![0.0, 4.0, 8.0] };
        let counts: Vec<usize> = levels.at.iter().map(|&at| levels.above(at).len()).collect();
        assert!(counts[0] == 16 && counts[0] > counts[1] && counts[1] > counts[2], "{counts:?}");
        assert_eq!(levels.colours().len(), 3);
    }
}
