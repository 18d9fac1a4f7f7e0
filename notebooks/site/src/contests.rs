//! The values of contests, block by block, and where every tuner stands in them.

use std::collections::BTreeMap;

use pipeline::artifacts::Artifacts;

use crate::{
    budgets,
    drawing::{
        curves,
        frame::Frame,
        ranks::{self, Block},
    },
    error::Result,
    names::Names,
    sources::{CONTESTS, CURVES, Contest, Curves, Table},
};

impl Contest {
    /// The paper, and what the contest was about where it has several.
    #[must_use]
    pub fn name(&self, names: &Names) -> String {
        let paper = names.name(self.paper);
        if self.about.is_empty() { paper.to_owned() } else { format!("{paper}, {}", self.about) }
    }
}

/// The values of a contest, block by block, smaller is better; empty where its tables are not there.
/// Of several values of a method the mean of what each repeat reached.
///
/// # Errors
/// When a table lacks a column.
pub fn blocks(artifacts: &Artifacts, contest: &Contest) -> Result<Vec<(String, Block)>> {
    let mut all = Vec::new();
    for table in contest.tables {
        all.extend(within(artifacts, contest, table)?);
    }
    if contest.budgets {
        for (_, block) in &mut all {
            let names = budgets::common(block.keys().map(String::as_str));
            *block = block.iter().map(|(name, value)| (names[name].clone(), *value)).collect();
        }
    }
    Ok(all)
}

fn within(artifacts: &Artifacts, contest: &Contest, table: &Table) -> Result<Vec<(String, Block)>> {
    // Curves hold steps: what counts is the end.
    let own = |source: &&Curves| {
        (source.stage, source.output, source.value) == (table.stage, table.output, table.value)
    };
    if let Some(source) = CURVES.iter().find(own) {
        let block = |p: curves::Panel| {
            (p.problem.clone(), p.curves.keys().map(|m| (m.clone(), p.last(m))).collect())
        };
        return Ok(curves::panels(artifacts, source)?.into_iter().map(block).collect());
    }
    let Some(frame) = Frame::find(artifacts, table.stage, table.output)? else {
        return Ok(Vec::new());
    };
    let names = table.method.iter().map(|column| frame.label(column));
    let names = names.collect::<Result<Vec<_>>>()?;
    let (block, value) = (frame.label(table.block)?, frame.number(table.value)?);
    let within = frame.problems(&table.within)?;
    let keep = curves::kept(&frame, table.only)?;
    let mut sums: BTreeMap<String, BTreeMap<String, (f64, f64)>> = BTreeMap::new();
    for r in (0..frame.rows()).filter(|r| keep[*r]) {
        let method = names.iter().map(|column| column[r].as_str()).collect::<Vec<_>>().join(" ");
        let block = format!("{} {}", within[r], block[r]).trim().to_owned();
        let sum = sums.entry(block).or_default().entry(method).or_default();
        *sum = (sum.0 + value[r], sum.1 + 1.0);
    }
    let sign = if contest.more { -1.0 } else { 1.0 };
    let mean = |(method, (sum, n)): (String, (f64, f64))| (method, sign * sum / n);
    Ok(sums.into_iter().map(|(b, own)| (b, own.into_iter().map(mean).collect())).collect())
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
        let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for (_, block) in blocks(artifacts, contest)?.iter().filter(|(_, block)| block.len() > 1) {
            let worst = (block.len() - 1) as f64;
            for (method, rank) in ranks::ranks(block) {
                let sum = sums.entry(method.to_owned()).or_default();
                *sum = (sum.0 + (rank - 1.0) / worst, sum.1 + 1);
            }
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
