//! `show`: outputs of stages, for people, for spreadsheets and for scripts.

mod fit;

use std::{fmt::Write, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use super::{Session, Tone, args::Show};
use crate::{
    artifacts::Artifacts,
    error::{Error, Result},
};

/// How many tables are shown to people at a time.
const TABLES: usize = 12;

pub(super) fn show(session: &Session, args: &Show) -> Result<()> {
    let refused = |error| session.unbuilt(std::slice::from_ref(&args.stage), error);
    let artifacts = session.results()?;
    let stages = artifacts.matching(&args.stage).map_err(refused)?;
    if let Some((stage, set)) = artifacts.overridden(&stages)? {
        session.note(&format!("note: what is shown of {stage} is of a run with {set}"));
    }
    if args.path {
        let mut text = String::new();
        for stage in present(session, &artifacts, &stages)? {
            let _ = writeln!(text, "{}", artifacts.path(stage, &args.output)?.display());
        }
        return session.print(&text);
    }
    let unshown =
        |e: ArrowError| Error::usage(format!("cannot show {}: {e}", args.stage)).because(e);
    if args.csv || args.json {
        let present = present(session, &artifacts, &stages)?;
        let batches = batches(&artifacts, &present, &args.output, stages.len() > 1)?;
        let text = if args.csv { csv(&batches) } else { json(&batches) };
        return session.print(&text.map_err(unshown)?);
    }
    let mut text = String::new();
    for stage in stages.iter().take(TABLES) {
        if let [one] = &stages[..] {
            let batch = artifacts.table(one, &args.output)?;
            text += &pretty(&batch, args.rows, session.width()).map_err(unshown)?;
            continue;
        }
        let _ = writeln!(text, "{}", Tone::Head.paint(stage));
        match artifacts.table(stage, &args.output) {
            Ok(batch) => {
                text += &pretty(&batch, args.rows, session.width()).map_err(unshown)?;
            }
            // The others are shown nevertheless.
            Err(error) => {
                let _ = writeln!(text, "  {error}");
            }
        }
    }
    if stages.len() > TABLES {
        let more = stages.len() - TABLES;
        let _ = writeln!(text, "and {more} more stages: `--csv` and `--json` have the rows of all");
    }
    session.print_words(&text)
}

/// Those of the stages that have a result. The others are named on standard error; it is an error if all are.
fn present<'a>(
    session: &Session,
    artifacts: &Artifacts,
    stages: &'a [String],
) -> Result<Vec<&'a String>> {
    let (present, absent): (Vec<_>, Vec<_>) =
        stages.iter().partition(|stage| artifacts.absence(stage).is_empty());
    if present.is_empty()
        && let Some(first) = absent.first()
    {
        artifacts.key(first)?;
    }
    for stage in absent {
        if let Err(error) = artifacts.key(stage) {
            session.note(&format!("left out: {error}"));
        }
    }
    Ok(present)
}

/// The tables of one output. Where `several` stages were asked for, they get a first column `stage` and otherwise have
/// the same columns.
fn batches(
    artifacts: &Artifacts,
    stages: &[&String],
    output: &str,
    several: bool,
) -> Result<Vec<RecordBatch>> {
    let read = |stage: &&String| artifacts.table(stage, output);
    let tables = stages.iter().map(read).collect::<Result<Vec<_>>>()?;
    if !several {
        return Ok(tables);
    }
    for (stage, table) in stages.iter().zip(&tables) {
        if table.schema().fields() != tables[0].schema().fields() {
            let message = format!("the tables of {} and {stage} have different columns", stages[0]);
            return Err(Error::usage(message).help("name stages of one kind"));
        }
    }
    let named = stages.iter().zip(&tables).map(|(stage, table)| {
        let name: ArrayRef = Arc::new(StringArray::from(vec![stage.as_str(); table.num_rows()]));
        let schema = table.schema();
        let own = schema.fields().iter().map(|field| field.name().clone());
        let columns = own.zip(table.columns().iter().cloned());
        RecordBatch::try_from_iter(std::iter::once(("stage".to_owned(), name)).chain(columns))
            .map_err(|e| Error::usage(format!("cannot show {stage}: {e}")).because(e))
    });
    named.collect()
}

type Text = Result<String, ArrowError>;

fn csv(batches: &[RecordBatch]) -> Text {
    let mut bytes = Vec::new();
    let mut writer = arrow_csv::Writer::new(&mut bytes);
    for batch in batches {
        writer.write(batch)?;
    }
    drop(writer);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn json(batches: &[RecordBatch]) -> Text {
    let mut writer = arrow_json::LineDelimitedWriter::new(Vec::new());
    for batch in batches {
        writer.write(batch)?;
    }
    writer.finish()?;
    Ok(String::from_utf8_lossy(&writer.into_inner()).into_owned())
}

/// The first `rows` of a table (0 means all), fitted to `width` characters if there is a limit.
fn pretty(batch: &RecordBatch, rows: usize, width: Option<usize>) -> Text {
    let all = batch.num_rows();
    let shown = if rows == 0 { all } else { rows.min(all) };
    let part = batch.slice(0, shown);
    let table = match width {
        Some(width) => fit::fitted(&part, width)?,
        None => format!("{}\n", arrow_cast::pretty::pretty_format_batches(&[part])?),
    };
    let rest = if shown < all {
        format!("… {} more rows (--rows 0)\n", all - shown)
    } else {
        String::new()
    };
    Ok(table + &rest)
}
