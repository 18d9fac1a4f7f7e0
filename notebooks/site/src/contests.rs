//! Contests of methods as their stages tell them: the values, block by block, who stands where, and what does not differ.
//! Reads; the ranks and the test are the stages' business.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::artifacts::Artifacts;

use crate::{
    drawing::{frame::Frame, ranks::Block},
    error::Result,
    names::Names,
    sources::{CONTESTS, Contest},
};

impl Contest {
    /// The paper, and what the contest was about where it has several.
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
    /// Methods that some blocks lack, and so are left out.
    pub partial: Vec<String>,
    /// Average ranks further apart than this differ.
    pub critical: f64,
    /// The longest runs of methods that do not differ, as first and last place in the order.
    pub cliques: Vec<(usize, usize)>,
}

/// Blocks by name, with the value of each method.
pub type Blocks = Vec<(String, Block)>;

/// The values of a contest, block by block, and its standing; none where it has no result, or too few blocks or
/// methods to compare.
///
/// # Errors
/// When a table lacks a column.
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

/// Where one tuner stands in one contest.
pub struct Stand {
    /// The paper.
    pub paper: &'static str,
    /// The contest.
    pub contest: String,
    /// The tuner.
    pub method: String,
    /// Its mean relative rank: 0 where it is best everywhere, 1 where it is worst everywhere.
    pub relative: f64,
    /// In how many data sets, problems or functions.
    pub blocks: usize,
}

/// Every tuner of every contest, the best first. Data sets and rivals differ from contest to contest:
/// the numbers of one contest can be compared with each other only.
///
/// # Errors
/// When a table lacks a column.
pub fn stands(artifacts: &Artifacts, names: &Names) -> Result<Vec<Stand>> {
    let mut stands = Vec::new();
    for contest in &CONTESTS {
        let Some(main) = Frame::find(artifacts, contest.stage, "main")? else { continue };
        let ranks = main.text("method")?.into_iter().zip(main.number("relative_rank")?);
        let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for (method, rank) in ranks.filter(|(_, rank)| rank.is_finite()) {
            let sum = sums.entry(method).or_default();
            *sum = (sum.0 + rank, sum.1 + 1);
        }
        let stand = |(method, (sum, blocks)): (String, (f64, usize))| Stand {
            paper: contest.paper,
            contest: contest.name(names),
            method,
            relative: sum / blocks as f64,
            blocks,
        };
        stands.extend(sums.into_iter().map(stand));
    }
    stands.sort_by(|a, b| {
        a.relative
            .total_cmp(&b.relative)
            .then_with(|| (&a.contest, &a.method).cmp(&(&b.contest, &b.method)))
    });
    Ok(stands)
}
