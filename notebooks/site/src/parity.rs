//! The page "ours against theirs": each tuner of ours beside the package that it follows, also where ours loses, from
//! the stages that compare them.

use std::collections::BTreeMap;

use askama::Template;
use pipeline::artifacts::Artifacts;

use crate::{drawing::frame::Frame, error::Result, filters, pages::Nav};

/// The stage that compares them by evaluations, on tables.
const STAGE: &str = "compare/parity";

/// The stages that compare them on parts of the data, one for each collection of learning curves.
const ON_PARTS: &str = "compare/multi-fidelity/";

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
    /// Mean losses at the end.
    pub losses: [f64; 2],
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

/// Pairs that one stage compares.
#[derive(Debug, PartialEq)]
pub struct Pairs {
    pub stage: String,
    pub key: String,
    /// Number of tasks.
    pub tasks: f64,
    /// Number of tuners in the field.
    pub field: f64,
    /// Difference of mean ranks that does not matter.
    pub margin: f64,
    pub rows: Vec<Row>,
}

impl Pairs {
    /// Those of a stage that has a result, with its columns for the number of tasks and for the loss at the end.
    fn of(artifacts: &Artifacts, stage: &str, tasks: &str, loss: &str) -> Result<Option<Self>> {
        let Some(main) = Frame::find(artifacts, stage, "main")? else { return Ok(None) };
        let key = artifacts.key(stage).map(|key| key.to_string()).unwrap_or_default();
        let first = |column| -> Result<f64> {
            Ok(main.number(column)?.first().copied().unwrap_or(f64::NAN))
        };
        Ok(Some(Self {
            stage: stage.to_owned(),
            key,
            tasks: first(tasks)?,
            field: first("field")?,
            margin: first("margin")?,
            rows: rows(&main, loss)?,
        }))
    }

    /// How many pairs came out so.
    pub fn found(&self, what: &str) -> usize {
        self.rows.iter().filter(|row| row.found == what).count()
    }
}

/// The page.
#[derive(Template)]
#[template(path = "parity.html")]
pub struct ParityPage {
    pub nav: Nav,
    /// On tables of recorded trainings.
    pub tables: Option<Pairs>,
    pub tasks: Vec<String>,
    /// All tuners on these tables, the best first.
    pub field: Vec<Placed>,
    /// On parts of the data first.
    pub parts: Vec<Pairs>,
}

impl ParityPage {
    /// The page, if one of the stages has a result.
    ///
    /// # Errors
    /// If a table lacks a column.
    pub fn new(artifacts: &Artifacts, nav: Nav) -> Result<Option<Self>> {
        let tables = Pairs::of(artifacts, STAGE, "tasks", "normalised")?;
        let (tasks, field) = match &tables {
            Some(_) => field(&Frame::read(artifacts, STAGE, "field")?)?,
            None => (Vec::new(), Vec::new()),
        };
        let mut parts = Vec::new();
        for (stage, _) in artifacts.keys() {
            if stage.starts_with(ON_PARTS) && stage.ends_with("/parity") {
                parts.extend(Pairs::of(artifacts, &stage, "data_sets", "excess")?);
            }
        }
        if tables.is_none() && parts.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { nav, tables, tasks, field, parts }))
    }
}

/// The pairs; `loss` and `their_LOSS` are the columns of the losses at the end.
fn rows(main: &Frame, loss: &str) -> Result<Vec<Row>> {
    let text = |column: &str| main.text(column);
    let number = |column: &str| main.number(column);
    let (ours, theirs, package) = (text("ours")?, text("theirs")?, text("package")?);
    let (runs, ranks) =
        ([number("runs")?, number("their_runs")?], [number("rank")?, number("their_rank")?]);
    let ends = [number("difference")?, number("low")?, number("high")?];
    let losses = [number(loss)?, number(&format!("their_{loss}"))?];
    let (p, found) = (number("p_equivalent")?, text("found")?);
    let row = |i: usize| Row {
        ours: ours[i].clone(),
        theirs: theirs[i].clone(),
        package: package[i].clone(),
        runs: [runs[0][i], runs[1][i]],
        ranks: [ranks[0][i], ranks[1][i]],
        difference: [ends[0][i], ends[1][i], ends[2][i]],
        p: p[i],
        losses: [losses[0][i], losses[1][i]],
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
