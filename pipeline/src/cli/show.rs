//! `show`: a stage's output for people, for spreadsheets, for scripts.

use arrow_array::RecordBatch;

use super::{Session, args::Show};
use crate::error::{Error, Result};

pub(super) fn show(session: &Session, args: &Show) -> Result<()> {
    let artifacts = session.results()?;
    if args.path {
        let path = artifacts.path(&args.stage, &args.output)?;
        return session.print(&format!("{}\n", path.display()));
    }
    let batch = artifacts.table(&args.stage, &args.output)?;
    let text = if args.csv {
        csv(&batch)
    } else if args.json {
        json(&batch)
    } else {
        pretty(&batch, args.rows)
    };
    session.print(
        &text.map_err(|e| Error::usage(format!("cannot show {}: {e}", args.stage)).because(e))?,
    )
}

type Text = Result<String, arrow_schema::ArrowError>;

fn csv(batch: &RecordBatch) -> Text {
    let mut bytes = Vec::new();
    arrow_csv::Writer::new(&mut bytes).write(batch)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn json(batch: &RecordBatch) -> Text {
    let mut writer = arrow_json::LineDelimitedWriter::new(Vec::new());
    writer.write(batch)?;
    writer.finish()?;
    Ok(String::from_utf8_lossy(&writer.into_inner()).into_owned())
}

fn pretty(batch: &RecordBatch, rows: usize) -> Text {
    let all = batch.num_rows();
    let shown = if rows == 0 { all } else { rows.min(all) };
    let table = arrow_cast::pretty::pretty_format_batches(&[batch.slice(0, shown)])?;
    let rest = if shown < all {
        format!("… {} more rows (--rows 0)\n", all - shown)
    } else {
        String::new()
    };
    Ok(format!("{table}\n{rest}"))
}
