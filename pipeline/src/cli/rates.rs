//! `rates`: how fast each kind of stage is according to the records, and whether records of two sizes agree with the
//! kind's formula of work.

use std::{collections::BTreeMap, fmt::Write};

use serde::Serialize;
use serde_json::json;

use super::{Session, args::Rates};
use crate::{
    error::{Error, Exit, Result},
    estimate::{
        fit::{MEASURABLE_S, Observation, disagreement},
        rate::Group,
        rates::{Sample, Samples},
    },
    machine::Machine,
    program::Program,
};

/// `--check` refuses a formula that is wrong by more than this factor between small and large stages.
const TOLERATED: f64 = 2.0;
/// How many of the smallest and of the largest stages of a group a table contains.
const ENDS: usize = 2;

/// One group.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    group: Group,
    records: usize,
    /// Whether they are from this machine.
    here: bool,
    /// The least and the most operations.
    operations: (f64, f64),
    /// CPU seconds per operation.
    constant_s: f64,
    /// The factor by which a record typically differs from it.
    spread: f64,
    /// The factor by which small and large differ; `None` unless there are two sizes.
    disagreement: Option<f64>,
}

pub(super) fn rates(session: &Session, args: &Rates) -> Result<()> {
    let store = session.store()?;
    let records = store.records()?;
    let samples = Samples::of(&session.registry.kinds, &records, &store);
    let groups: BTreeMap<&Group, &[Sample]> = samples.groups().collect();
    let row = |(group, own): (&&Group, &&[Sample])| {
        let rate = samples.rate(group)?;
        let chosen = own.iter().filter(|sample| sample.here == rate.here);
        Some(Row {
            group: (*group).clone(),
            records: rate.cpu.records,
            here: rate.here,
            operations: rate.cpu.works,
            constant_s: rate.cpu.constant_s,
            spread: rate.cpu.spread.exp(),
            disagreement: disagreement(&chosen.map(|s| samples.cpu(s)).collect::<Vec<_>>()),
        })
    };
    let rows: Vec<Row> = groups.iter().filter_map(row).collect();
    if args.json {
        session.print_json(&rows)?;
    } else if args.typical {
        let lines = groups.keys().filter_map(|group| samples.typical(group, &store));
        let lines: Vec<String> = lines.map(|line| json!(line).to_string() + "\n").collect();
        session.print(&lines.concat())?;
    } else if args.table {
        session.print(&table(&samples, &groups))?;
    } else {
        session.print_words(&words(&rows))?;
    }
    let wrong = |row: &&Row| row.disagreement.is_some_and(|factor| factor > TOLERATED);
    let wrong: Vec<String> = rows.iter().filter(wrong).map(|row| row.group.to_string()).collect();
    if args.check && !wrong.is_empty() {
        let said = format!("records of two sizes contradict the work of {}", wrong.join(", "));
        return Err(Error::new(Exit::Failed, said)
            .help(format!("a formula holds when they agree within a factor of {TOLERATED}")));
    }
    Ok(())
}

fn words(rows: &[Row]) -> String {
    let name = |row: &Row| row.group.to_string();
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let Row { records, here, operations: (least, most), constant_s, spread, .. } = row;
        let machines = if *here { "" } else { " of other machines" };
        let sizes = match row.disagreement {
            Some(factor) => format!("two sizes differ by {factor:.2}"),
            None => "not of two sizes".to_owned(),
        };
        let _ = writeln!(
            text,
            "{:width$} {records:>5} records{machines}, {least:.1e} to {most:.1e} operations, \
             {constant_s:.2e} CPU s each (× or ÷ {spread:.2}), {sizes}",
            name(row)
        );
    }
    text
}

/// Small and large stages of each group that has both, one per line: kind, variant, whether on a GPU, CPU seconds
/// without the start, sizes of the inputs that its formula asks for, parameters.
fn table(samples: &Samples, groups: &BTreeMap<&Group, &[Sample]>) -> String {
    let (machine, program) = (Machine::here(), Program::this());
    let mut text = format!(
        "# CPU seconds of stages, written by `rates --table`: retune {} ({} build) on {}\n",
        program.version, program.build, machine.processor
    );
    text.push_str("# kind\tvariant\tgpu\tcpu_s\tsizes\tparameters\n");
    for (group, own) in groups {
        let long = |sample: &&Sample| sample.here && samples.cpu(sample).seconds >= MEASURABLE_S;
        let mut all: Vec<&Sample> = own.iter().filter(long).collect();
        all.sort_by(|a, b| a.work.total_cmp(&b.work).then(a.record.name.cmp(&b.record.name)));
        let observed: Vec<Observation> = all.iter().map(|s| samples.cpu(s)).collect();
        if disagreement(&observed).is_none() {
            continue;
        }
        let last = all.len().saturating_sub(ENDS);
        for (_, sample) in all.iter().enumerate().filter(|(i, _)| *i < ENDS || *i >= last) {
            let sizes: BTreeMap<&str, [f64; 2]> = sample
                .sizes
                .iter()
                .map(|(role, size)| (role.as_str(), [size.rows, size.columns]))
                .collect();
            let params = sample.record.manifest.parts.iter().find(|(part, _)| part == "params");
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{:.3}\t{}\t{}",
                group.kind,
                group.variant,
                group.gpu,
                samples.cpu(sample).seconds,
                json!(sizes),
                params.map_or("", |(_, value)| value)
            );
        }
    }
    text
}
