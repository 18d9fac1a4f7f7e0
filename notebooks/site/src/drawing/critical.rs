//! Draws the critical-difference diagram of a ranking \[Demsar2006\]: methods on an axis of average ranks,
//! bars over those that do not differ.

use figures::{Axis, Drawing, Scale, style, words::number};

use crate::contests::Standing;

const WIDTH: f64 = 840.0;
const SIDE: f64 = 230.0;
const ROW: f64 = 20.0;

/// Draws the ranking of a contest called `title`.
#[must_use]
pub fn draw(standing: &Standing, title: &str) -> String {
    let methods = &standing.methods;
    let cliques = &standing.cliques;
    let half = methods.len().div_ceil(2);
    let axis = Axis::new(Scale::Linear, (1.0, methods.len() as f64), SIDE, WIDTH - SIDE);
    let line = 50.0;
    let below = line + 14.0 + cliques.len() as f64 * 9.0;
    let mut drawing = Drawing::new(WIDTH, below + half as f64 * ROW + 16.0);
    drawing.line("axis", (axis.place(1.0), line), (axis.place(methods.len() as f64), line));
    for (value, label) in axis.ticks(methods.len().min(10)) {
        let x = axis.place(value);
        drawing.line("axis", (x, line - 5.0), (x, line));
        drawing.text("tick", (x, line - 9.0), "middle", &label);
    }
    if standing.critical.is_finite() {
        let to = axis.place(1.0 + standing.critical);
        drawing.line("critical", (axis.place(1.0), 16.0), (to, 16.0));
        let label = format!("critical difference {}", number(standing.critical));
        drawing.text("tick", (to + 6.0, 20.0), "start", &label);
    }
    for (i, (first, last)) in cliques.iter().enumerate() {
        let y = line + 10.0 + i as f64 * 9.0;
        let (from, to) = (axis.place(methods[*first].1), axis.place(methods[*last].1));
        drawing.line("clique", (from - 3.0, y), (to + 3.0, y));
    }
    for (i, (method, rank)) in methods.iter().enumerate() {
        let x = axis.place(*rank);
        // The better half is on the left, best on top; the other half is on the right, worst on top.
        let (row, end, anchor) = if i < half {
            (i, SIDE - 26.0, "end")
        } else {
            (methods.len() - 1 - i, WIDTH - SIDE + 26.0, "start")
        };
        let y = below + row as f64 * ROW + 8.0;
        drawing.path("stem", &[(x, line), (x, y), (end, y)]);
        let label = format!("{} ({rank:.2})", style::label(method));
        let gap = if anchor == "end" { -5.0 } else { 5.0 };
        drawing.text("row", (end + gap, y + 4.0), anchor, &label);
    }
    let name = |place: usize| style::label(&methods[place].0);
    let told = methods.iter().map(|(method, rank)| format!("{} {rank:.2}", style::label(method)));
    let told: Vec<_> = told.collect();
    let groups = cliques.iter().map(|(a, b)| format!("{} to {}", name(*a), name(*b)));
    let groups: Vec<_> = groups.collect();
    let groups = if groups.is_empty() { "none".to_owned() } else { groups.join("; ") };
    let alt = format!(
        "{title}. Average ranks: {}. Groups without a difference: {groups}.",
        told.join(", ")
    );
    drawing.finish(&alt, "class=\"cd\"")
}
