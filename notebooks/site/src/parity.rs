//! The page "ours against theirs": each tuner of ours beside the package that it follows, also where ours loses, from
//! the stage that compares them.

use std::collections::BTreeMap;

use askama::Template;
use pipeline::artifacts::Artifacts;

use crate::{drawing::frame::Frame, error::Result, filters, pages::Link};

/// The stage.
const STAGE: &str = "compare/parity";

/// The file of the page.
pub const FILE: &str = "parity.html";

/// A tuner of ours against a package.
#[derive(Debug, PartialEq)]
pub struct Row {
    pub ours: String,
    pub theirs: String,
    pub package: String,
    /// Runs of ours and of theirs on a task.
    pub runs: [f64; 2],
    /// Mean ranks.
    pub ranks: [f64; 2],
    /// Ours minus theirs, with its interval.
    pub difference: [f64; 3],
    /// p of equivalence.
    pub p: f64,
    /// Mean normalised regrets.
    pub regrets: [f64; 2],
    pub found: String,
}

/// A tuner in the field.
#[derive(Debug, PartialEq)]
pub struct Placed {
    pub tuner: String,
    pub origin: String,
    /// Mean over tasks of the rank.
    pub rank: f64,
    /// Mean over tasks of the normalised regret.
    pub regret: f64,
    /// Its rank on each task, in the order of the tasks.
    pub ranks: Vec<f64>,
}

/// The page.
#[derive(Template)]
#[template(path = "parity.html")]
pub struct ParityPage {
    pub nav: Vec<Link>,
    pub key: String,
    /// Difference of mean ranks that does not matter.
    pub margin: f64,
    pub rows: Vec<Row>,
    pub tasks: Vec<String>,
    /// All tuners, the best first.
    pub field: Vec<Placed>,
}

impl ParityPage {
    /// The page, if the stage has a result.
    ///
    /// # Errors
    /// If a table lacks a column.
    pub fn new(artifacts: &Artifacts, nav: Vec<Link>) -> Result<Option<Self>> {
        let Some(main) = Frame::find(artifacts, STAGE, "main")? else { return Ok(None) };
        let key = artifacts.key(STAGE).map(|key| key.to_string()).unwrap_or_default();
        let rows = rows(&main)?;
        let margin = main.number("margin")?.first().copied().unwrap_or(f64::NAN);
        let (tasks, field) = field(&Frame::read(artifacts, STAGE, "field")?)?;
        Ok(Some(Self { nav, key, margin, rows, tasks, field }))
    }

    /// How many pairs came out so.
    pub fn found(&self, what: &str) -> usize {
        self.rows.iter().filter(|row| row.found == what).count()
    }
}

fn rows(main: &Frame) -> Result<Vec<Row>> {
    let text = |column: &str| main.text(column);
    let number = |column: &str| main.number(column);
    let (ours, theirs, package) = (text("ours")?, text("theirs")?, text("package")?);
    let (runs, ranks) =
        ([number("runs")?, number("their_runs")?], [number("rank")?, number("their_rank")?]);
    let ends = [number("difference")?, number("low")?, number("high")?];
    let regrets = [number("normalised")?, number("their_normalised")?];
    let (p, found) = (number("p_equivalent")?, text("found")?);
    let row = |i: usize| Row {
        ours: ours[i].clone(),
        theirs: theirs[i].clone(),
        package: package[i].clone(),
        runs: [runs[0][i], runs[1][i]],
        ranks: [ranks[0][i], ranks[1][i]],
        difference: [ends[0][i], ends[1][i], ends[2][i]],
        p: p[i],
        regrets: [regrets[0][i], regrets[1][i]],
        found: found[i].clone(),
    };
    Ok((0..main.rows()).map(row).collect())
}

/// The tasks, and every tuner with its ranks on them.
fn field(frame: &Frame) -> Result<(Vec<String>, Vec<Placed>)> {
    let (task, tuner, origin) = (frame.text("task")?, frame.text("tuner")?, frame.text("origin")?);
    let (rank, regret) = (frame.number("rank")?, frame.number("normalised")?);
    let mut tasks: Vec<String> = Vec::new();
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for i in 0..frame.rows() {
        if !tasks.contains(&task[i]) {
            tasks.push(task[i].clone());
        }
        found.entry(&tuner[i]).or_default().push(i);
    }
    let mean =
        |of: &[f64], rows: &[usize]| rows.iter().map(|&i| of[i]).sum::<f64>() / rows.len() as f64;
    let placed = |(tuner, rows): (&str, Vec<usize>)| Placed {
        tuner: tuner.to_owned(),
        origin: origin[rows[0]].clone(),
        rank: mean(&rank, &rows),
        regret: mean(&regret, &rows),
        ranks: rows.iter().map(|&i| rank[i]).collect(),
    };
    let mut field: Vec<Placed> = found.into_iter().map(placed).collect();
    field.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    Ok((tasks, field))
}
