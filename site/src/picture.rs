//! The picture of a graph of stages: layers from left to right, each block with its state, its time
//! and its hash. Knows neither store nor run.

use crate::{
    dag::Blocks,
    plot::Drawing,
    words::{duration, escape, short},
};

const ROW: f64 = 58.0;
const HEIGHT: f64 = 42.0;
const GAP: f64 = 46.0;
const MARGIN: f64 = 8.0;

/// Draws the blocks; `alt` says in words what there is to see.
#[must_use]
pub fn draw(graph: &Blocks, alt: &str) -> String {
    let layers = graph.blocks.iter().map(|block| block.layer + 1).max().unwrap_or(0);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); layers];
    for (at, block) in graph.blocks.iter().enumerate() {
        columns[block.layer].push(at);
    }
    untangle(graph, &mut columns);
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let full = rows(tallest);
    let mut places = vec![(0.0, 0.0, 0.0); graph.blocks.len()];
    let mut left = MARGIN;
    for column in &columns {
        let wide = column.iter().map(|at| width(&graph.blocks[*at].label())).fold(150.0, f64::max);
        // Shorter columns stand in the middle.
        let top = MARGIN + (full - rows(column.len())) / 2.0;
        for (row, at) in column.iter().enumerate() {
            places[*at] = (left, top + rows(row), wide);
        }
        left += wide + GAP;
    }
    let mut drawing = Drawing::new((left - GAP + MARGIN).max(120.0), full + 2.0 * MARGIN);
    for &(a, b) in &graph.arrows {
        let ((xa, ya, wide), (xb, yb, _)) = (places[a], places[b]);
        drawing.arrow("edge", (xa + wide, ya + HEIGHT / 2.0), (xb - 1.0, yb + HEIGHT / 2.0));
    }
    for (block, (x, y, wide)) in graph.blocks.iter().zip(places) {
        let state = block.state();
        let key = block.key.as_deref().map_or("no result", short);
        let label = block.label();
        drawing
            .open(&format!("class=\"block {}\"", escape(state.word())))
            .title(&format!("{label}: {}; CPU {}; {key}", block.told(), duration(block.cpu_s)))
            .rect("box", (x, y), (wide, HEIGHT))
            .text("name", (x + 9.0, y + 17.0), "start", &label)
            .text(
                "note",
                (x + 9.0, y + 33.0),
                "start",
                &format!("{} {} · {key}", state.sign(), duration(block.cpu_s)),
            )
            .close();
    }
    drawing.finish(alt, "class=\"dag\"")
}

#[expect(clippy::cast_precision_loss, reason = "a handful of rows")]
fn rows(count: usize) -> f64 {
    count as f64 * ROW
}

/// The width of a block that holds `label`.
#[expect(clippy::cast_precision_loss, reason = "a short text")]
fn width(label: &str) -> f64 {
    label.chars().count() as f64 * 6.9 + 20.0
}

/// Puts every block near the middle of what it reads and of what reads it, a few times over.
fn untangle(graph: &Blocks, columns: &mut [Vec<usize>]) {
    for round in 0..6 {
        let mut rank = vec![0.0; graph.blocks.len()];
        for column in columns.iter() {
            for (row, at) in column.iter().enumerate() {
                // Relative to the middle: columns differ in length.
                rank[*at] = rows(row) - rows(column.len()) / 2.0;
            }
        }
        let forth = round % 2 == 0;
        for column in columns.iter_mut() {
            let middle = |at: usize| {
                let near: Vec<f64> = graph
                    .arrows
                    .iter()
                    .filter_map(|&(a, b)| match (forth, a == at, b == at) {
                        (true, _, true) => Some(rank[a]),
                        (false, true, _) => Some(rank[b]),
                        _ => None,
                    })
                    .collect();
                #[expect(clippy::cast_precision_loss, reason = "a handful of arrows")]
                let count = near.len() as f64;
                if near.is_empty() { rank[at] } else { near.iter().sum::<f64>() / count }
            };
            let mut keyed: Vec<(f64, usize)> = column.iter().map(|at| (middle(*at), *at)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *column = keyed.into_iter().map(|(_, at)| at).collect();
        }
    }
}
