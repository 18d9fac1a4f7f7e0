//! One colour and marker for each method, the same in every figure of every notebook. Draws nothing.

use kuva::prelude::MarkerShape;

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// The colour, `#rrggbb`.
    pub colour: &'static str,
    /// The marker: the second cue, for those who do not see the first.
    pub marker: MarkerShape,
}

const fn style(colour: &'static str, marker: MarkerShape) -> Style {
    Style { colour, marker }
}

/// The palette of Okabe and Ito (2008), which stays distinct under the common colour-vision
/// deficiencies; its yellow is left out (too pale on white) and a dark grey added.
const PALETTE: [Style; 8] = [
    style("#0072B2", MarkerShape::Circle),
    style("#E69F00", MarkerShape::Square),
    style("#009E73", MarkerShape::Triangle),
    style("#4D4D4D", MarkerShape::Diamond),
    style("#D55E00", MarkerShape::TriangleDown),
    style("#CC79A7", MarkerShape::Pentagon),
    style("#56B4E9", MarkerShape::Star),
    style("#000000", MarkerShape::Hexagon),
];

/// The series that have a fixed place in the palette, with their names in legends.
const KNOWN: [(&str, usize, &str); 10] = [
    ("hoag-exponential", 0, "HOAG, exponential ε"),
    ("hoag-quadratic", 1, "HOAG, quadratic ε"),
    ("hoag-cubic", 2, "HOAG, cubic ε"),
    ("hoag-exact", 3, "HOAG, exact"),
    ("smbo", 4, "SMBO (GP, EI)"),
    ("random", 5, "random search"),
    ("iterdiff", 6, "Iterdiff"),
    ("grid", 7, "grid search"),
    ("outer", 0, "objective (test part)"),
    ("validation", 4, "validation part"),
];

/// The look of `series`, the `position`-th of its figure: fixed for known series, else by position.
#[must_use]
pub fn of(series: &str, position: usize) -> Style {
    let known = KNOWN.iter().find(|(name, ..)| *name == series);
    PALETTE[known.map_or(position, |&(_, index, _)| index) % PALETTE.len()]
}

/// The name of `series` in legends.
#[must_use]
pub fn label(series: &str) -> String {
    let known = KNOWN.iter().find(|(name, ..)| *name == series);
    known.map_or_else(|| series.to_owned(), |&(_, _, label)| label.to_owned())
}

/// Where `series` stands in a legend: known ones first, in their fixed order.
#[must_use]
pub fn rank(series: &str) -> usize {
    KNOWN.iter().position(|(name, ..)| *name == series).unwrap_or(KNOWN.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_of_a_figure_never_look_alike() {
        let methods = &KNOWN[..8];
        for (i, (a, ..)) in methods.iter().enumerate() {
            for (b, ..) in &methods[..i] {
                assert_ne!(of(a, 0).colour, of(b, 0).colour);
                assert_ne!(of(a, 0).marker, of(b, 0).marker);
            }
        }
    }
}
