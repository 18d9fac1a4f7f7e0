//! Reads the comparisons of methods from their stages: the values block by block, the average ranks, and the
//! groups that do not differ. The ranks and the test are computed by the stages.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::artifacts::Artifacts;

use crate::{
    drawing::{frame::Frame, ranks::Block},
    error::Result,
    names::Names,
    sources::Contest,
};

impl Contest {
    /// The paper, and the name of the contest if the paper has several.
    #[must_use]
    pub fn name(&self, names: &Names) -> String {
        let paper = names.name(self.paper);
        if self.about.is_empty() { paper.to_owned() } else { format!("{paper}, {}", self.about) }
    }
}

/// The average ranks of the methods that took part in every block.
#[derive(Debug, PartialEq)]
pub struct Standing {
    /// Method and average rank, the best first.
    pub methods: Vec<(String, f64)>,
    /// Methods that are missing in some blocks and so are left out.
    pub partial: Vec<String>,
    /// The critical difference of average ranks.
    pub critical: f64,
    /// The largest groups of methods that do not differ, as first and last position in the order.
    pub cliques: Vec<(usize, usize)>,
}

/// Blocks by name, with the value of each method.
pub type Blocks = Vec<(String, Block)>;

/// The values of a contest, block by block, and its ranking; `None` if it has no result, or too few blocks or
/// methods to compare.
///
/// # Errors
/// If a table lacks a column.
pub fn met(artifacts: &Artifacts, contest: &Contest) -> Result<Option<(Blocks, Standing)>> {
    let Some(main) = Frame::find(artifacts, contest.stage, "main")? else { return Ok(None) };
    let (block, method, value) = (main.text("block")?, main.text("method")?, main.number("value")?);
    let mut blocks: BTreeMap<String, Block> = BTreeMap::new();
    for r in 0..main.rows() {
        blocks.entry(block[r].clone()).or_default().insert(method[r].clone(), value[r]);
    }
    let ranks = Frame::read(artifacts, contest.stage, "ranks")?;
    let (treatment, rank) = (ranks.text("treatment")?, ranks.number("average_rank")?);
    let Some(&critical) = ranks.number("critical_difference")?.first() else { return Ok(None) };
    let all: BTreeSet<String> = method.into_iter().collect();
    let partial = all.into_iter().filter(|method| !treatment.contains(method)).collect();
    let bars = Frame::read(artifacts, contest.stage, "bars")?;
    let place = |name: &String| treatment.iter().position(|method| method == name);
    let ends = bars.text("best")?.into_iter().zip(bars.text("worst")?);
    let cliques = ends.filter_map(|(best, worst)| Some((place(&best)?, place(&worst)?))).collect();
    let methods = treatment.iter().cloned().zip(rank).collect();
    Ok(Some((blocks.into_iter().collect(), Standing { methods, partial, critical, cliques })))
}
