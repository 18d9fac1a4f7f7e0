//! SQL over all artifacts, by `DuckDB`. Its Python package, which the notebooks' environment has, is there within seconds; as
//! a crate it would be compiled for longer than the whole pipeline, and `DataFusion` takes twenty minutes of CPU time.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use pipeline::absence::Absence;
use serde_json::{Value, json};

use crate::{
    Notebook,
    error::{Error, Result},
    source::Source,
    table::Table,
};

const SCRIPT: &str = include_str!("sql.py");
/// The environment's Python below a checkout.
const PYTHON: &str = ".venv/bin/python";
/// The table that lists all artifacts, a file of the store.
const INDEX: (&str, &str) = ("artifacts", "index.parquet");

/// The names in double quotes of a query, in order, each once.
fn names(query: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = query.chars().peekable();
    while let Some(open) = rest.next() {
        if open != '"' && open != '\'' {
            continue;
        }
        let mut inside = String::new();
        while let Some(c) = rest.next() {
            // Doubled, it is part of the name or text.
            if c == open && rest.next_if_eq(&open).is_none() {
                break;
            }
            inside.push(c);
        }
        if open == '"' && !names.contains(&inside) {
            names.push(inside);
        }
    }
    names
}

/// The tables of a query, as the script wants them.
struct Tables {
    given: Vec<Value>,
    names: Vec<String>,
    absent: Vec<Absence>,
}

impl Tables {
    /// What the names of a query stand for; those without a `/` are columns.
    fn of(query: &str, source: &dyn Source, store: &Path) -> Result<Self> {
        let mut tables = Self { given: Vec::new(), names: Vec::new(), absent: Vec::new() };
        for name in names(query).into_iter().filter(|name| name.contains('/')) {
            let (stages, output) = name.split_once(':').unwrap_or((&name, "main"));
            let pattern = stages.contains('*');
            let stages = if pattern { source.stages(stages) } else { vec![stages.to_owned()] };
            if stages.is_empty() {
                return Err(Error::Sql(format!("no stage with a result matches `{name}`")));
            }
            let mut parts = Vec::new();
            for stage in stages {
                let absence = source.absence(&stage);
                if !absence.is_empty() {
                    tables.absent.extend(absence);
                    continue;
                }
                // Its content is checked.
                source.table(&stage, output)?;
                parts.push(json!({ "stage": stage, "path": source.path(&stage, output)? }));
            }
            if !parts.is_empty() {
                tables.given.push(json!({ "name": name, "pattern": pattern, "parts": parts }));
            }
            tables.names.push(name);
        }
        let index = store.join(INDEX.1);
        if index.is_file() {
            let parts = [json!({ "stage": INDEX.0, "path": index })];
            tables.given.push(json!({ "name": INDEX.0, "pattern": false, "parts": parts }));
        }
        Ok(tables)
    }

    /// Whether a table of the query has no row at all, since its data are absent.
    fn lack_one(&self) -> bool {
        let given = |name: &String| self.given.iter().any(|table| table["name"] == name.as_str());
        !self.names.iter().all(given)
    }
}

/// The Python of the checkout that `from` lies in.
fn python(from: &Path) -> Result<PathBuf> {
    let found = from.ancestors().map(|dir| dir.join(PYTHON)).find(|path| path.is_file());
    found.ok_or_else(|| {
        let why = "SQL needs the notebooks' Python: `scripts/setup.sh` installs it into .venv";
        Error::Sql(why.to_owned())
    })
}

/// What the script answers to a query over these tables.
fn ask(python: &Path, query: &str, tables: &[Value], name: &str) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    let answer = folder.path().join("answer.parquet");
    let mut command = Command::new(python);
    command.args(["-I", "-c", SCRIPT]).arg(&answer);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        let asked = json!({ "query": query, "tables": tables });
        // Where it ends before it has read all, its own words say why.
        let _ = input.write_all(asked.to_string().as_bytes());
    }
    let said = child.wait_with_output()?;
    if !said.status.success() {
        return Err(Error::Sql(String::from_utf8_lossy(&said.stderr).trim().to_owned()));
    }
    let batch = pipeline::table::read(&answer).map_err(Error::store)?;
    Table::from_batch(&batch, name, "main", "")
}

impl Notebook {
    /// The answer to a query. A stage is a table, in double quotes: `"hoag/claims"`; `"hoag/claims:findings"` is another
    /// output of it, and `"*/claims"` all rows of the stages that match, with a column `stage`; `artifacts` lists what
    /// there is. The dialect is that of `DuckDB`. An answer has numbers, flags and texts.
    ///
    /// ```no_run
    /// # fn cell() -> prelude::Result<()> {
    /// # let nb = prelude::open()?;
    /// nb.sql(r#"SELECT verdict, count(*) AS claims FROM "*/claims" GROUP BY verdict"#)?.head(9)
    /// # ;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the query is wrong, a stage that it names has no result or a corrupt one, or Python is not installed.
    pub fn sql(&self, query: &str) -> Result<Table> {
        let store = self.report.parent().unwrap_or(&self.report);
        let tables = Tables::of(query, self.source.as_ref(), store)?;
        let over =
            if tables.names.is_empty() { INDEX.0.to_owned() } else { tables.names.join(", ") };
        let name = format!("SQL over {over}");
        if tables.lack_one() {
            return Ok(Table::missing(&name, "main", tables.absent));
        }
        let table = ask(&python(&std::env::current_dir()?)?, query, &tables.given, &name)?;
        Ok(table.without(tables.absent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_double_quotes_are_found_and_texts_are_not() {
        let query =
            r#"SELECT "a b", 'it''s "no/name"' FROM "x/y:z" JOIN "*/c""d" USING (id) -- "x/y:z"#;
        assert_eq!(names(query), ["a b", "x/y:z", "*/c\"d"]);
        assert_eq!(names("SELECT 1"), [""; 0]);
        assert_eq!(names("SELECT \"open"), ["open"]);
    }

    #[test]
    fn without_python_the_message_says_what_installs_it() {
        let checkout = tempfile::tempdir().unwrap();
        let notebooks = checkout.path().join("notebooks");
        std::fs::create_dir(&notebooks).unwrap();
        let missing = python(&notebooks).unwrap_err().to_string();
        assert!(missing.contains("scripts/setup.sh"), "{missing}");
        std::fs::create_dir_all(checkout.path().join(".venv/bin")).unwrap();
        std::fs::write(checkout.path().join(PYTHON), "").unwrap();
        assert_eq!(python(&notebooks).unwrap(), checkout.path().join(PYTHON));
    }
}
