//! Draws a graph of stages: layers from left to right, each block with its name, its state and time, and its hash.
//! Arrows over several layers pass between the blocks.

use std::collections::BTreeMap;

use figures::Drawing;

use crate::{
    drawing::dag::{Block, Blocks},
    words::{duration, short},
};

const HEIGHT: f64 = 58.0;
const GAP: f64 = 40.0;
const MARGIN: f64 = 8.0;
/// The share of its size at which a picture's smallest letters can still be read.
const SMALLEST: f64 = 0.7;

/// An item of a layer.
#[derive(Clone, Copy)]
enum Item {
    /// A block, by its number.
    Block(usize),
    /// A point where an arrow passes through.
    Pass,
}

impl Item {
    /// Its height, including the space below.
    fn height(self) -> f64 {
        match self {
            Self::Block(_) => HEIGHT + 16.0,
            Self::Pass => 13.0,
        }
    }
}

/// Items in layers, with links from each layer to the next.
struct Layout {
    items: Vec<Item>,
    columns: Vec<Vec<usize>>,
    steps: Vec<(usize, usize)>,
}

impl Layout {
    /// Arrows from one block share their points as far as they have a common path.
    fn of(graph: &Blocks) -> Self {
        let layers = graph.blocks.iter().map(|block| block.layer + 1).max().unwrap_or(0);
        let mut items: Vec<Item> = (0..graph.blocks.len()).map(Item::Block).collect();
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); layers];
        for (at, block) in graph.blocks.iter().enumerate() {
            columns[block.layer].push(at);
        }
        let mut passes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut steps = Vec::new();
        for &(a, b) in &graph.arrows {
            let mut from = a;
            let (first, end) = (graph.blocks[a].layer + 1, graph.blocks[b].layer);
            for (layer, column) in columns.iter_mut().enumerate().take(end).skip(first) {
                let mut new = false;
                let pass = *passes.entry((a, layer)).or_insert_with(|| {
                    items.push(Item::Pass);
                    column.push(items.len() - 1);
                    new = true;
                    items.len() - 1
                });
                if new {
                    steps.push((from, pass));
                }
                from = pass;
            }
            steps.push((from, b));
        }
        let mut layout = Self { items, columns, steps };
        layout.untangle();
        layout
    }

    fn height(&self, column: &[usize]) -> f64 {
        column.iter().map(|at| self.items[*at].height()).sum()
    }

    /// The vertical middle of every item; each column is centred on 0.
    fn middles(&self) -> Vec<f64> {
        let mut middles = vec![0.0; self.items.len()];
        for column in &self.columns {
            let mut top = -self.height(column) / 2.0;
            for at in column {
                let height = self.items[*at].height();
                middles[*at] = top + height / 2.0;
                top += height;
            }
        }
        middles
    }

    /// Places every item near the middle of its predecessors and of its successors, repeated a few times.
    fn untangle(&mut self) {
        for round in 0..12 {
            let middles = self.middles();
            let mut sums = vec![(0.0, 0.0); self.items.len()];
            for &(a, b) in &self.steps {
                let (own, other) = if round % 2 == 0 { (b, a) } else { (a, b) };
                let sum: &mut (f64, f64) = &mut sums[own];
                *sum = (sum.0 + middles[other], sum.1 + 1.0);
            }
            let wish = |at: usize| match sums[at] {
                (_, 0.0) => middles[at],
                (sum, n) => sum / n,
            };
            for column in &mut self.columns {
                column.sort_by(|a, b| wish(*a).total_cmp(&wish(*b)).then(a.cmp(b)));
            }
        }
    }
}

/// The lines of a block in the graph of the paper `paper`, without which its own stages' names are shorter; a block
/// without a result has two.
fn lines(block: &Block, paper: &str) -> Vec<String> {
    let own = |label: &str| label.strip_prefix(paper)?.strip_prefix('/').map(str::to_owned);
    let (label, state) = (block.label(), block.state());
    let name = own(&label).unwrap_or(label);
    match &block.key {
        Some(key) => {
            let time = format!("{} {}", state.sign(), duration(block.cpu_s));
            vec![name, time, short(key).to_owned()]
        }
        None => vec![name, format!("{} {}", state.sign(), state.word())],
    }
}

/// The width of a block that holds these lines.
fn width(lines: &[String]) -> f64 {
    let count = |text: &String| text.chars().count() as f64;
    let notes = lines[1..].iter().map(count).fold(0.0, f64::max);
    (count(&lines[0]) * 7.9).max(notes * 7.0) + 20.0
}

/// Draws the blocks of the paper `paper`; `alt` describes the picture in words.
#[must_use]
pub fn draw(graph: &Blocks, paper: &str, alt: &str) -> String {
    let layout = Layout::of(graph);
    let full = layout.columns.iter().map(|column| layout.height(column)).fold(0.0, f64::max);
    let middles = layout.middles();
    // Left end, right end and middle of every item.
    let mut places = vec![(0.0, 0.0, 0.0); layout.items.len()];
    let mut left = MARGIN;
    for column in &layout.columns {
        let wide = |at: &usize| match layout.items[*at] {
            Item::Block(block) => width(&lines(&graph.blocks[block], paper)),
            Item::Pass => 0.0,
        };
        let right = left + column.iter().map(wide).fold(60.0, f64::max);
        for at in column {
            places[*at] = (left, right, MARGIN + full / 2.0 + middles[*at]);
        }
        left = right + GAP;
    }
    let across = (left - GAP + MARGIN).max(120.0);
    let mut drawing = Drawing::new(across, full + 2.0 * MARGIN);
    for &(a, b) in &layout.steps {
        let ((_, xa, ya), (xb, _, yb)) = (places[a], places[b]);
        drawing.arrow("edge", (xa, ya), (xb, yb));
    }
    for (item, (x, right, y)) in layout.items.iter().zip(&places) {
        let Item::Block(block) = item else {
            drawing.line("edge", (*x, *y), (*right, *y));
            continue;
        };
        let block = &graph.blocks[*block];
        let lines = lines(block, paper);
        let top = y - HEIGHT / 2.0;
        let title = format!("{}: {}", block.label(), block.told());
        drawing.open(&format!("class=\"block {}\"", block.state().class())).title(&title).rect(
            "box",
            (*x, top),
            (right - x, HEIGHT),
        );
        for (i, line) in lines.iter().enumerate() {
            let class = if i == 0 { "name" } else { "note" };
            drawing.text(class, (x + 9.0, top + 17.0 + 16.0 * i as f64), "start", line);
        }
        drawing.close();
    }
    // It shrinks to the page as far as it stays readable.
    let least = across * SMALLEST;
    drawing.finish(
        alt,
        &format!("class=\"dag\" style=\"max-width:{across:.0}px;min-width:{least:.0}px\""),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(layers: &[usize], arrows: &[(usize, usize)]) -> Blocks {
        let block = |layer: &usize| Block {
            name: "x".to_owned(),
            stages: 1,
            states: BTreeMap::new(),
            cpu_s: 0.0,
            key: None,
            layer: *layer,
        };
        let arrows = arrows.iter().copied().collect();
        Blocks { blocks: layers.iter().map(block).collect(), arrows }
    }

    #[test]
    fn a_long_arrow_passes_beside_the_blocks_between() {
        let layout = Layout::of(&graph(&[0, 1, 2], &[(0, 1), (1, 2), (0, 2)]));
        let column = &layout.columns[1];
        assert_eq!(column.len(), 2, "the block and the pass");
        let middles = layout.middles();
        assert!((middles[column[0]] - middles[column[1]]).abs() > HEIGHT / 2.0);
        assert_eq!(layout.steps.len(), 4);
    }

    #[test]
    fn blocks_stand_near_what_they_read() {
        // Crossed: 0 → 3, 1 → 2.
        let layout = Layout::of(&graph(&[0, 0, 1, 1], &[(0, 3), (1, 2)]));
        let middles = layout.middles();
        let same = |a: usize, b: usize| (middles[a] - middles[b]).abs() < 1e-9;
        assert!(same(0, 3) && same(1, 2), "{middles:?}");
    }

    #[test]
    fn a_block_is_named_within_its_paper() {
        let mut graph = graph(&[0], &[]);
        let block = &mut graph.blocks[0];
        block.name = "toy/run".to_owned();
        assert_eq!(lines(block, "toy")[0], "run");
        block.stages = 3;
        assert_eq!(lines(block, "toy")[0], "run × 3");
        assert_eq!(lines(block, "to")[0], "toy/run × 3", "another paper's");
        // The whole name is told where a pointer rests.
        assert!(draw(&graph, "toy", "").contains("<title>toy/run × 3"));
    }
}
