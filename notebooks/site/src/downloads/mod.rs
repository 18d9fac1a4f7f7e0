//! What a reader can take away from a figure or a table: the tables behind it as Parquet (the artifact itself, byte
//! by byte) and as CSV, its numbers as CSV, its drawings as SVG, and how to cite it.

pub mod code;
pub mod offered;

use std::{fmt::Write as _, fs, path::Path};

use arrow_csv::Writer;
use pipeline::artifacts::Artifacts;

use self::{
    code::Code,
    offered::{Download, FOLDER, File, Offered, file},
};
use crate::{
    error::{Error, Result},
    figures::{Behind, Figure},
    names::{Named, Names},
    words::{anchor, short},
};

/// Larger tables are not copied: `retune show --csv` writes them.
const LARGEST: u64 = 4 << 20;
/// The program with its version.
const PROGRAM: &str = concat!("retune ", env!("CARGO_PKG_VERSION"));

/// The table `output` of `stage` as Parquet and CSV; nothing where there is none, or where it is too large.
///
/// # Errors
/// When the table cannot be read.
pub fn table(
    artifacts: &Artifacts,
    (stage, output): (&str, &str),
    files: &mut Vec<File>,
) -> Result<Vec<Download>> {
    let Ok(path) = artifacts.path(stage, output) else { return Ok(Vec::new()) };
    let size = fs::metadata(&path).map_err(|e| Error::io("read", &path, e))?.len();
    if size > LARGEST {
        return Ok(Vec::new());
    }
    let batch = artifacts.table(stage, output)?;
    let told = if output == "main" { stage.to_owned() } else { format!("{stage}, {output}") };
    let name = format!("{}-{output}", anchor(stage));
    let mut csv = Vec::new();
    Writer::new(&mut csv).write(&batch).map_err(|e| Error::Csv(told.clone(), e))?;
    let parquet = fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
    Ok(vec![
        file(&format!("{name}.csv"), format!("{told} (CSV)"), csv, files),
        file(&format!("{name}.parquet"), format!("{told} (Parquet)"), parquet, files),
    ])
}

/// A drawing of a page as a file of its own, with the rules for drawings in it.
pub fn drawing(name: &str, svg: &str, rules: &str, files: &mut Vec<File>) -> Download {
    let alone = figures::theme::alone_with(svg, rules);
    file(name, name.to_owned(), alone.into_bytes(), files)
}

/// The tables of a paper's verdicts.
///
/// # Errors
/// When one cannot be read.
pub fn claims(
    artifacts: &Artifacts,
    (paper, key): (&str, &str),
    (names, code): (&Names, &Code),
    files: &mut Vec<File>,
) -> Result<Offered> {
    let stage = format!("{paper}/claims");
    let mut offered = Vec::new();
    for output in ["main", "findings", "grounds", "places", "seeds"] {
        offered.extend(table(artifacts, (&stage, output), files)?);
    }
    Ok(Offered {
        files: offered,
        code: code.link(&stage, files).into_iter().collect(),
        cite: cite(names, &[(stage, key.to_owned())]),
    })
}

/// What belongs to a figure.
///
/// # Errors
/// When a table behind it cannot be read.
pub fn figure(
    artifacts: &Artifacts,
    figure: &Figure,
    (names, code): (&Names, &Code),
    rules: &str,
    files: &mut Vec<File>,
) -> Result<Offered> {
    let id = &figure.id;
    let numbers = file(
        &format!("figure-{id}.csv"),
        "the numbers (CSV)".to_owned(),
        csv(&figure.table).into_bytes(),
        files,
    );
    let mut offered = vec![numbers];
    for (i, svg) in figure.drawings.iter().enumerate() {
        let panel = figure.panels.get(i).map_or_else(String::new, |panel| format!("{panel}, "));
        let name = format!("figure-{id}-{}.svg", i + 1);
        let label = format!("the drawing ({panel}SVG)");
        offered.push(Download { name: label, ..drawing(&name, svg, rules, files) });
    }
    for (stage, _) in &figure.sources {
        for output in &figure.outputs {
            offered.extend(table(artifacts, (stage, output), files)?);
        }
    }
    let code = figure.sources.iter().filter_map(|(stage, _)| code.link(stage, files)).collect();
    Ok(Offered { files: offered, code, cite: cite(names, &figure.sources) })
}

/// How results of these stages are cited: the program, the stages, and the paper that they replicate.
fn cite(names: &Names, sources: &[(String, String)]) -> String {
    let mut told = format!("{PROGRAM}:");
    for (i, (stage, key)) in sources.iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(told, "{comma} artifact {stage}, key {}", short(key));
    }
    let paper = sources.first().and_then(|(stage, _)| stage.split('/').next());
    if let Some(Named { title, citation: Some(of), .. }) = paper.and_then(|id| names.named(id)) {
        let _ = write!(
            told,
            ". It replicates: {}. {title}. {}. arXiv:{}",
            of.authors, of.published, of.arxiv
        );
    }
    told.push('.');
    told
}

/// A table as CSV.
fn csv(table: &Behind) -> String {
    let quoted = |cell: &String| {
        if cell.contains(['"', ',', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    let rows = std::iter::once(&table.head).chain(&table.rows);
    let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    rows.map(line).collect()
}

/// Writes the files below `report`.
///
/// # Errors
/// When one cannot be written.
pub fn write(report: &Path, files: &[File]) -> Result<()> {
    let folder = report.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|e| Error::io("create", &folder, e))?;
    for (href, content) in files {
        let path = report.join(href);
        fs::write(&path, content).map_err(|e| Error::io("write", &path, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_and_quotes_stay_one() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let (head, rows) = (row(["a", "b"]), vec![row(["x, y", "say \"1\""])]);
        let table = Behind { caption: String::new(), head, rows };
        assert_eq!(csv(&table), "a,b\n\"x, y\",\"say \"\"1\"\"\"\n");
    }
}
