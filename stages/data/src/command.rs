//! The subcommands of `retune data`: `list`, `fetch`, `where`. They return text; the program prints it.

use std::path::PathBuf;

use clap::Subcommand;

use super::catalogue::{data_sets, find};
use super::error::Unavailable;
use super::fetch::{cached, fetch, source_name, unknown};
use super::places::Places;
use super::registry::{DataSet, Loader};

/// What `retune data` can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum DataCommand {
    /// List all data sets: size, licence, and whether they are in the cache.
    List,
    /// Fetch data sets into the cache (all of them if none is named).
    Fetch {
        /// Ids as `retune data list` shows them.
        #[arg(value_name = "ID")]
        ids: Vec<String>,
    },
    /// Show where the files of data sets lie or would come from.
    Where {
        /// An id as `retune data list` shows it; all data sets without.
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

/// Some of the requested data sets could not be obtained.
#[derive(Debug, thiserror::Error)]
#[error("{done}{}", missing.iter().map(|m| format!("{m}\n")).collect::<String>().trim_end())]
pub struct CommandError {
    /// The result for the others, as text.
    pub done: String,
    /// One for each data set that is missing.
    pub missing: Vec<Unavailable>,
}

impl From<Unavailable> for CommandError {
    fn from(one: Unavailable) -> Self {
        Self { done: String::new(), missing: vec![one] }
    }
}

/// One data set as `list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The id.
    pub id: &'static str,
    /// Rows × features, and classes if it has any; for a text its number of words; for a benchmark its number
    /// of configurations.
    pub size: String,
    /// Whether every file is in the cache with its pinned content.
    pub cached: bool,
    /// The packages of public registries that contain it, if there are any.
    pub packages: String,
    /// Display name.
    pub name: &'static str,
    /// Terms of use.
    pub licence: &'static str,
}

/// Carries out `command` and returns the text for the terminal.
///
/// # Errors
/// [`CommandError`] with what is missing. `fetch` tries every data set before it fails.
pub fn run(command: &DataCommand, places: &Places) -> Result<String, CommandError> {
    match command {
        DataCommand::List => Ok(list_text(&list(places))),
        DataCommand::Fetch { ids } => fetch_all(ids, places),
        DataCommand::Where { id: None } => {
            Ok(data_sets().iter().map(|entry| where_text(entry, places)).collect())
        }
        DataCommand::Where { id: Some(id) } => {
            Ok(where_text(find(id).ok_or_else(|| unknown(id))?, places))
        }
    }
}

/// All data sets as rows.
#[must_use]
pub fn list(places: &Places) -> Vec<Row> {
    data_sets().iter().map(|entry| row(entry, places)).collect()
}

fn row(entry: &DataSet, places: &Places) -> Row {
    Row {
        id: entry.id,
        size: size(entry),
        cached: where_cached(entry, places).iter().all(Option::is_some),
        packages: packages(entry),
        name: entry.name,
        licence: entry.licence,
    }
}

fn packages(entry: &DataSet) -> String {
    let found = entry.packages();
    if found.is_empty() {
        return "none".to_owned();
    }
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn size(entry: &DataSet) -> String {
    let shape = entry.shape;
    if let (Loader::Corpus(_), Some(words)) = (entry.loader, shape.classes) {
        return format!("{} words, {words} different", shape.rows);
    }
    if let Loader::Benchmark(_) = entry.loader {
        return format!("{} configurations of {}", shape.rows, shape.features);
    }
    if let Loader::Curves(_) = entry.loader {
        return format!("{} evaluations of {}", shape.rows, shape.features);
    }
    let classes = shape.classes.map_or_else(String::new, |n| format!(", {n} classes"));
    format!("{} x {}{classes}", shape.rows, shape.features)
}

/// For each file of the data set, its path if it is in the cache with its pinned content.
fn where_cached(entry: &DataSet, places: &Places) -> Vec<Option<PathBuf>> {
    entry
        .files
        .iter()
        .map(|file| file.variants.iter().find_map(|v| cached(entry, v, places)).map(|f| f.path))
        .collect()
}

fn list_text(rows: &[Row]) -> String {
    let width = |text: fn(&Row) -> &str| rows.iter().map(|r| text(r).len()).max().unwrap_or(0);
    let (ids, sizes, names) = (width(|r| r.id), width(|r| &r.size), width(|r| r.name));
    let from = width(|r| &r.packages);
    let mut text = format!(
        "{:ids$}  {:sizes$}  here  {:from$}  {:names$}  licence\n",
        "id", "size", "package", "name"
    );
    for row in rows {
        let here = if row.cached { "yes" } else { "no" };
        let Row { id, size, packages, name, licence, .. } = row;
        text += &format!(
            "{id:ids$}  {size:sizes$}  {here:4}  {packages:from$}  {name:names$}  {licence}\n"
        );
    }
    text
}

fn fetch_all(ids: &[String], places: &Places) -> Result<String, CommandError> {
    let all = || data_sets().iter().map(|entry| entry.id.to_owned()).collect();
    let ids: Vec<String> = if ids.is_empty() { all() } else { ids.to_vec() };
    let (mut done, mut missing) = (String::new(), Vec::new());
    for id in &ids {
        match fetch(id, places) {
            Ok(files) => {
                for file in files.by_role.values() {
                    done += &format!("{id}: {}\n", file.path.display());
                }
            }
            Err(error) => missing.push(error),
        }
    }
    if missing.is_empty() { Ok(done) } else { Err(CommandError { done, missing }) }
}

fn where_text(entry: &DataSet, places: &Places) -> String {
    let mut text =
        format!("{}: {}\n  see {}; cite {}\n", entry.id, entry.name, entry.page, entry.citation);
    for (file, path) in entry.files.iter().zip(where_cached(entry, places)) {
        let here = path.map_or_else(|| "not in the cache".into(), |p| p.display().to_string());
        text += &format!("  {}: {here}\n", file.role);
        for variant in file.variants {
            let bytes = variant.bytes.map_or_else(String::new, |n| format!(", {n} bytes"));
            text += &format!("    {}: {}{bytes}\n", variant.name, variant.pin);
            for source in variant.sources {
                text += &format!("      {}\n", source_name(source));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::registry::Source;
    use super::*;

    #[test]
    fn list_shows_every_data_set_and_none_here() {
        let cache = tempfile::tempdir().unwrap();
        let text = run(&DataCommand::List, &Places::cache_only(cache.path())).unwrap();
        assert_eq!(text.lines().count(), data_sets().len() + 1);
        let iris = text.lines().find(|line| line.starts_with("iris ")).unwrap();
        assert!(iris.contains(" 150 x 4, 3 classes "), "{text}");
        assert!(iris.contains(" pypi scikit-learn 1.9.1 "), "{text}");
        assert!(!text.contains("  yes  "));
    }

    #[test]
    fn fetch_tries_all_and_reports_what_is_missing() {
        let cache = tempfile::tempdir().unwrap();
        let places = Places::cache_only(cache.path());
        let command = DataCommand::Fetch { ids: vec!["iris".into(), "no-such".into()] };
        let error = run(&command, &places).unwrap_err();
        let ids: Vec<_> = error.missing.iter().map(|missing| missing.id.as_str()).collect();
        assert_eq!(ids, ["iris", "no-such"]);
        assert!(error.to_string().contains("put iris.csv (sha256 f13ffa8f"), "{error}");
    }

    #[test]
    fn where_does_not_take_a_wrong_file_for_the_data_set() {
        let cache = tempfile::tempdir().unwrap();
        fs::create_dir(cache.path().join("iris")).unwrap();
        fs::write(cache.path().join("iris/iris.csv"), "wrong").unwrap();
        let command = DataCommand::Where { id: Some("iris".into()) };
        let text = run(&command, &Places::cache_only(cache.path())).unwrap();
        assert!(text.contains("iris.csv: not in the cache"), "{text}");
        assert!(text.contains("pypi scikit-learn 1.9.1"));
    }

    /// The book's page on where data sets come from, generated from the catalogue.
    fn tables_of_the_book() -> String {
        let mut registries = "| data set | package |\n|---|---|\n".to_owned();
        let mut others =
            "| data set | files, as a mirror has them | page |\n|---|---|---|\n".to_owned();
        for entry in data_sets() {
            let Row { id, packages, .. } = row(entry, &Places::cache_only("nowhere"));
            if packages != "none" {
                registries += &format!("| `{id}` | {packages} |\n");
                continue;
            }
            let sources = entry.files.iter().flat_map(|file| file.variants).flat_map(|v| v.sources);
            let mut paths: Vec<&str> = Vec::new();
            for source in sources {
                if let Source::Mirror(path, _) = *source
                    && !paths.contains(&path)
                {
                    paths.push(path);
                }
            }
            others += &format!("| `{id}` | `{}` | {} |\n", paths.join("`, `"), entry.page);
        }
        format!("{registries}\n{OTHERS}\n\n{others}")
    }

    /// The text between the tables.
    const OTHERS: &str = "No package of a registry is known for the others. Their files are asked \
        of their publishers; where these cannot be reached, put them into a mirror under these paths:";

    #[test]
    fn the_book_says_where_every_data_set_comes_from() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/data.md");
        let book = fs::read_to_string(file).unwrap();
        let tables = tables_of_the_book();
        assert!(
            book.contains(&tables),
            "docs/book/src/data.md must have these tables:\n\n{tables}"
        );
    }
}
