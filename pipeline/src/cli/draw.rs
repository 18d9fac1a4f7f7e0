//! `graph`: the DAG as SVG, Graphviz or Mermaid, with sweeps folded and states coloured.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
};

use super::{
    Session,
    args::{Draw, Format},
    plan::word,
};
use crate::{
    error::Result,
    fold::{Arrow, Layers, folded},
    graph::Graph,
    plan::{Options, Plan, State},
};

/// One box: a stage, or a folded sweep.
struct Block {
    name: String,
    stages: usize,
    states: BTreeSet<&'static str>,
    layer: usize,
}

struct Picture {
    blocks: Vec<Block>,
    arrows: BTreeSet<Arrow>,
}

/// More boxes than this are folded by kind instead of by sweep.
const READABLE: usize = 48;

pub(super) fn graph(session: &Session, args: &Draw) -> Result<()> {
    let (graph, store) = (session.graph()?, session.store()?);
    let plan =
        Plan::new(&graph, &session.select(&graph, &args.targets)?, &store, Options::default())?;
    let picture = if args.all {
        Picture::new(&graph, &plan, |name, _| name.to_owned())
    } else {
        let fine = Picture::new(&graph, &plan, |name, _| folded(name));
        if fine.blocks.len() <= READABLE {
            fine
        } else {
            Picture::new(&graph, &plan, |_, kind| kind.to_owned())
        }
    };
    session.print(&match args.format {
        Format::Svg => picture.svg(),
        Format::Dot => picture.dot(),
        Format::Mermaid => picture.mermaid(),
    })
}

impl Picture {
    fn new(graph: &Graph, plan: &Plan, label: impl Fn(&str, &str) -> String) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut arrows = BTreeSet::new();
        let mut by_label = HashMap::new();
        let mut block_of = HashMap::new();
        for &id in graph.order() {
            let (node, state) = (&graph[id], plan.state(id));
            if matches!(state, State::Unwanted) {
                continue;
            }
            let name = label(&node.name, node.kind);
            let at = *by_label.entry(name.clone()).or_insert_with(|| {
                blocks.push(Block { name, stages: 0, states: BTreeSet::new(), layer: 0 });
                blocks.len() - 1
            });
            block_of.insert(id, at);
            blocks[at].stages += 1;
            blocks[at].states.insert(word(state));
            let from = node.inputs.iter().filter_map(|edge| block_of.get(&edge.from));
            arrows.extend(from.filter(|from| **from != at).map(|from| (*from, at)));
        }
        for (block, layer) in blocks.iter_mut().zip(Layers::new(by_label.len(), &arrows).of) {
            block.layer = layer;
        }
        Self { blocks, arrows }
    }

    fn dot(&self) -> String {
        let mut text =
            "digraph stages {\n  rankdir=LR; node [shape=box, style=filled];\n".to_owned();
        for (i, block) in self.blocks.iter().enumerate() {
            let (fill, _) = block.colours();
            let _ = writeln!(text, "  n{i} [label=\"{}\", fillcolor=\"{fill}\"];", block.label());
        }
        for (a, b) in &self.arrows {
            let _ = writeln!(text, "  n{a} -> n{b};");
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let mut text = "graph LR\n".to_owned();
        for (i, block) in self.blocks.iter().enumerate() {
            let _ = writeln!(text, "  n{i}[\"{}\"]", block.label());
        }
        for (a, b) in &self.arrows {
            let _ = writeln!(text, "  n{a} --> n{b}");
        }
        text
    }

    /// Layers from left to right; within a layer in graph order.
    fn svg(&self) -> String {
        const ROW: usize = 44;
        let mut rows: HashMap<usize, usize> = HashMap::new();
        let mut widths: HashMap<usize, usize> = HashMap::new();
        for block in &self.blocks {
            let wide = widths.entry(block.layer).or_default();
            *wide = (*wide).max(block.label().chars().count() * 7 + 24);
        }
        let layers = self.blocks.iter().map(|block| block.layer + 1).max().unwrap_or(0);
        let left = |layer: usize| -> usize {
            16 + (0..layer).map(|l| widths.get(&l).copied().unwrap_or(0) + 64).sum::<usize>()
        };
        let places: Vec<(usize, usize, usize)> = self
            .blocks
            .iter()
            .map(|block| {
                let row = rows.entry(block.layer).or_default();
                *row += 1;
                (left(block.layer), 48 + (*row - 1) * ROW, widths[&block.layer])
            })
            .collect();
        let width = left(layers);
        let height = 64 + rows.values().max().copied().unwrap_or(0) * ROW;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\" \
             aria-label=\"stages from left to right; an arrow leads from a stage to its readers\">\n"
        );
        let mut x = 16;
        for (name, fill, line) in LEGEND {
            let _ = writeln!(
                text,
                "<rect x=\"{x}\" y=\"12\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{fill}\" stroke=\"{line}\"/>\
                 <text x=\"{}\" y=\"24\" fill=\"#555\">{name}</text>",
                x + 20
            );
            x += 44 + name.len() * 7;
        }
        for &(a, b) in &self.arrows {
            let ((xa, ya, wa), (xb, yb, _)) = (places[a], places[b]);
            let (x1, y1, x2, y2) = (xa + wa, ya + 14, xb, yb + 14);
            // An arrow that leads back bends out on both sides and is dashed.
            let (bend, dash) =
                if x2 > x1 { ((x2 - x1) / 2, "") } else { (40, " stroke-dasharray=\"4 3\"") };
            let _ = writeln!(
                text,
                "<path d=\"M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}\" fill=\"none\" stroke=\"#888\" \
                 stroke-opacity=\".6\"{dash}/>",
                x1 + bend,
                x2.saturating_sub(bend)
            );
        }
        for (block, (x, y, w)) in self.blocks.iter().zip(places) {
            let (fill, line) = block.colours();
            let states: Vec<_> = block.states.iter().copied().collect();
            let _ = writeln!(
                text,
                "<g><title>{}: {}</title><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"28\" rx=\"5\" \
                 fill=\"{fill}\" stroke=\"{line}\"/><text x=\"{}\" y=\"{}\" fill=\"#222\">{}</text></g>",
                block.label(),
                states.join(", "),
                x + 10,
                y + 18,
                block.label()
            );
        }
        text + "</svg>\n"
    }
}

/// State, fill, outline: they also differ in lightness, for colour-blind readers.
const LEGEND: [(&str, &str, &str); 4] = [
    ("fresh", "#d7f0e4", "#2b8a64"),
    ("to run", "#ffe8b8", "#b07a10"),
    ("unavailable", "#e4e4e8", "#77777f"),
    ("failed", "#f6b7ad", "#a3261a"),
];

impl Block {
    fn label(&self) -> String {
        if self.stages == 1 {
            self.name.clone()
        } else {
            format!("{} × {}", self.name, self.stages)
        }
    }

    fn colours(&self) -> (&'static str, &'static str) {
        let at = if self.states.contains("failed") {
            3
        } else if self.states.iter().any(|state| ["stale", "waiting", "running"].contains(state)) {
            1
        } else if self.states.contains("fresh") {
            0
        } else {
            2
        };
        let (_, fill, line) = LEGEND[at];
        (fill, line)
    }
}
