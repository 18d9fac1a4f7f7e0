//! Configs: TOML with profiles, overrides from the command line, and errors that name file, line and key. Independent
//! of what the values mean: an experiment reads them into its own types.
//!
//! The top level of the file holds the values; `[profiles.NAME]` holds what that profile changes. These changes are
//! applied after those of the profile that it names with `inherits`.

mod bounds;
mod message;
mod profiles;

use std::{
    collections::HashMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::error::{Error, Result, suggestion};

/// One experiment's config under one profile.
#[derive(Clone, Debug)]
pub struct Config {
    file: PathBuf,
    profile: String,
    values: Table,
    lines: HashMap<String, Origin>,
}

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Line(usize),
    CommandLine,
}

/// A `--set key=value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Dotted key.
    pub key: String,
    /// Its new value.
    pub value: Value,
}

impl std::str::FromStr for Override {
    type Err = String;

    /// Reads `section.key=value`; a value that is not valid TOML is taken as a string.
    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
        if key.trim().is_empty() {
            return Err("expected KEY=VALUE".to_owned());
        }
        let parsed = format!("v = {}", value.trim()).parse::<Table>().ok();
        let value = parsed
            .and_then(|mut table| table.remove("v"))
            .unwrap_or_else(|| Value::String(value.to_owned()));
        Ok(Self { key: key.trim().to_owned(), value })
    }
}

impl Config {
    /// Reads `file` under `profile`.
    ///
    /// # Errors
    /// When the file is missing or not valid TOML, or has no such profile.
    pub fn read(file: &Path, profile: &str) -> Result<Self> {
        let text = fs::read_to_string(file).map_err(|e| Error::io("read", file, &e))?;
        Self::parse(file, &text, profile)
    }

    /// Reads the text of `file` under `profile`.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use pipeline::config::Config;
    ///
    /// #[derive(serde::Deserialize)]
    /// #[serde(deny_unknown_fields)]
    /// struct Mine {
    ///     splits: usize,
    /// }
    ///
    /// let text = "splits = 10\n[profiles.smoke]\nsplits = 2\n[profiles.paper]\n";
    /// let config = Config::parse(Path::new("mine.toml"), text, "smoke")?;
    /// assert_eq!(config.get::<Mine>()?.splits, 2);
    /// let mut config = Config::parse(Path::new("mine.toml"), text, "paper")?;
    /// config.set(&"splits=5".parse().expect("KEY=VALUE"))?;
    /// assert_eq!(config.get::<Mine>()?.splits, 5);
    ///
    /// let wrong = Config::parse(Path::new("mine.toml"), "\nsplits = true\n[profiles.smoke]", "smoke")?;
    /// let error = wrong.get::<Mine>().err().expect("it is no number");
    /// assert!(error.to_string().starts_with("mine.toml:2: "), "{error}");
    /// # Ok::<(), pipeline::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn parse(file: &Path, text: &str, profile: &str) -> Result<Self> {
        let syntax = |message: &str, span: Option<Range<usize>>| {
            let line = span.map_or(1, |span| line_of(text, span.start));
            Error::usage(format!("{}:{line}: {}", file.display(), message.replace('\n', "; ")))
        };
        let mut values: Table = toml::from_str(text).map_err(|e| syntax(e.message(), e.span()))?;
        let document = toml_edit::Document::parse(text.to_owned())
            .map_err(|e| syntax(e.message(), e.span()))?;
        let mut lines = HashMap::new();
        record_lines(document.as_table(), "", text, &mut lines);

        let profiles = match values.remove("profiles") {
            None => Table::new(),
            Some(Value::Table(profiles)) => profiles,
            Some(_) => return Err(syntax("`profiles` must be a table", None)),
        };
        for (name, changes) in profiles::lineage(file, &profiles, profile)? {
            let prefix = format!("profiles.{name}.");
            let moved: Vec<_> = lines
                .iter()
                .filter_map(|(k, v)| Some((k.strip_prefix(&prefix)?.to_owned(), v.clone())))
                .collect();
            merge(&mut values, &changes);
            lines.extend(moved);
        }
        Ok(Self { file: file.to_owned(), profile: profile.to_owned(), values, lines })
    }

    /// The profiles that `file` has.
    ///
    /// # Errors
    /// When the file is missing or not valid TOML.
    pub fn profiles(file: &Path) -> Result<Vec<String>> {
        let text = fs::read_to_string(file).map_err(|e| Error::io("read", file, &e))?;
        let values: Table = toml::from_str(&text)
            .map_err(|e| Error::usage(format!("{}: {}", file.display(), e.message())).because(e))?;
        let profiles = values.get("profiles").and_then(Value::as_table);
        Ok(profiles.map(|table| table.keys().cloned().collect()).unwrap_or_default())
    }

    /// The profile that it was read under.
    #[must_use]
    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// The file that it was read from.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether `key` (dotted) has a value.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        let mut at = Some(&self.values);
        let mut parts = key.split('.').peekable();
        while let Some(part) = parts.next() {
            match at.and_then(|table| table.get(part)) {
                None => return false,
                Some(_) if parts.peek().is_none() => return true,
                Some(value) => at = value.as_table(),
            }
        }
        false
    }

    /// All dotted keys.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        fn walk(table: &Table, prefix: &str, keys: &mut Vec<String>) {
            for (name, value) in table {
                match value {
                    Value::Table(inner) => walk(inner, &format!("{prefix}{name}."), keys),
                    _ => keys.push(format!("{prefix}{name}")),
                }
            }
        }
        let mut keys = Vec::new();
        walk(&self.values, "", &mut keys);
        keys
    }

    /// Replaces the value of an existing key.
    ///
    /// # Errors
    /// When the config has no such key.
    pub fn set(&mut self, change: &Override) -> Result<()> {
        if !self.has(&change.key) {
            let keys = self.keys();
            let near = suggestion(&change.key, keys.iter().map(String::as_str));
            return Err(Error::usage(format!(
                "--set {}: {} has no such key{near}",
                change.key,
                self.file.display()
            )));
        }
        let mut table = &mut self.values;
        let (path, last) = change.key.rsplit_once('.').unwrap_or(("", &change.key));
        for part in path.split('.').filter(|part| !part.is_empty()) {
            match table.get_mut(part) {
                Some(Value::Table(inner)) => table = inner,
                _ => return Err(self.invalid(&change.key, "is inside a value that is no table")),
            }
        }
        let mut value = change.value.clone();
        // People write `--set x=1` for a float.
        if let (Some(Value::Float(_)), Value::Integer(whole)) = (table.get(last), &value) {
            let float = *whole as f64;
            value = Value::Float(float);
        }
        table.insert(last.to_owned(), value);
        self.lines.insert(change.key.clone(), Origin::CommandLine);
        Ok(())
    }

    /// Reads the values into an experiment's own type. Use `deny_unknown_fields` there.
    ///
    /// # Errors
    /// When a key is missing, unknown or of the wrong type; file, line and key are named.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T> {
        if let Some((key, expected)) = bounds::broken(&self.values, "") {
            return Err(self.invalid(&key, &expected));
        }
        let value = Value::Table(self.values.clone());
        serde_path_to_error::deserialize(value).map_err(|e| {
            let path = e.path().to_string();
            let message = e.inner().message().trim().replace('\n', "; ");
            // An unknown field is named in the message, not in the path to its table.
            let unknown = message
                .strip_prefix("unknown field `")
                .and_then(|rest| rest.split_once('`'))
                .map(|(name, _)| name.to_owned());
            let key = match unknown {
                Some(name) if path == "." => name,
                Some(name) if !path.ends_with(&name) => format!("{path}.{name}"),
                _ => path,
            };
            self.invalid(&key, &message::shortened(message))
        })
    }

    /// An error about the value of `key`.
    #[must_use]
    pub fn invalid(&self, key: &str, message: &str) -> Error {
        let mut place = None;
        // The nearest enclosing key with a known line: array elements have none of their own.
        let mut at = key.replace('[', ".").replace(']', "");
        loop {
            if let Some(found) = self.lines.get(&at) {
                place = Some(found);
                break;
            }
            match at.rfind('.') {
                Some(dot) => at.truncate(dot),
                None => break,
            }
        }
        let file = self.file.display();
        Error::usage(match place {
            Some(Origin::CommandLine) => format!("--set {key}: {message}"),
            Some(Origin::Line(line)) => format!("{file}:{line}: `{key}`: {message}"),
            None => format!("{file}: `{key}`: {message}"),
        })
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|&&b| b == b'\n').count() + 1
}

fn record_lines(
    table: &toml_edit::Table,
    prefix: &str,
    text: &str,
    lines: &mut HashMap<String, Origin>,
) {
    for (name, item) in table {
        let key = format!("{prefix}{name}");
        let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
        if let Some(span) = span {
            lines.insert(key.clone(), Origin::Line(line_of(text, span.start)));
        }
        match item {
            toml_edit::Item::Table(inner) => record_lines(inner, &format!("{key}."), text, lines),
            toml_edit::Item::Value(toml_edit::Value::InlineTable(inner)) => {
                for (inner_name, _) in inner {
                    let place = lines.get(&key).cloned();
                    lines.extend(place.map(|place| (format!("{key}.{inner_name}"), place)));
                }
            }
            toml_edit::Item::ArrayOfTables(tables) => {
                for (i, inner) in tables.iter().enumerate() {
                    record_lines(inner, &format!("{key}.{i}."), text, lines);
                }
            }
            _ => {}
        }
    }
}

/// Tables merge key by key; everything else is replaced.
fn merge(base: &mut Table, changes: &Table) {
    for (name, value) in changes {
        match (base.get_mut(name), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => merge(inner, more),
            _ => {
                base.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    const TEXT: &str = "splits = 20\n\n[inner]\nmax = 100\nrule = \"a\"\n\n[profiles.paper]\n\
                        [profiles.desk]\nsplits = 10\n[profiles.desk.inner]\nmax = 7\n";

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Typed {
        splits: u32,
        inner: Inner,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        max: u32,
        rule: String,
    }

    fn read(text: &str, profile: &str) -> Result<Config> {
        Config::parse(Path::new("c.toml"), text, profile)
    }

    fn message(text: &str) -> String {
        read(text, "desk").and_then(|c| c.get::<Typed>()).expect_err("must be refused").to_string()
    }

    #[test]
    fn a_profile_changes_only_what_it_names() {
        let typed: Typed = read(TEXT, "desk").expect("parses").get().expect("fits");
        let inner = Inner { max: 7, rule: "a".into() };
        assert_eq!(typed, Typed { splits: 10, inner });
        let text = format!("{TEXT}[profiles.long]\ninherits = \"desk\"\nsplits = 30\n");
        let typed: Typed = read(&text, "long").expect("parses").get().expect("fits");
        assert_eq!((typed.splits, typed.inner.max), (30, 7));
        let wrong = read(&text.replace("max = 7", "max = true"), "long").expect("parses");
        let error = wrong.get::<Typed>().expect_err("it is no number").to_string();
        assert!(error.starts_with("c.toml:11: `inner.max`"), "{error}");
        let error = read(TEXT, "dsek").expect_err("no such profile");
        assert!(error.remedy().is_some_and(|help| help.contains("desk")));
    }

    #[test]
    fn what_is_refused_has_its_line_and_is_not_echoed_whole() {
        let huge = message(&TEXT.replace("max = 7", "max = 1000000000000"));
        assert_eq!(huge, "c.toml:11: `inner.max`: expected at most 1000000000");
        let long = message(&TEXT.replace("max = 7", &format!("max = \"{}\"", "x".repeat(1 << 20))));
        assert!(long.len() < 600 && long.ends_with('…'), "{} bytes", long.len());
    }

    #[test]
    fn errors_name_file_line_and_key() {
        let typo = TEXT.replace("rule =", "ruel =");
        assert!(message(&typo).starts_with("c.toml:5: `inner.ruel`: unknown field `ruel`"));
        let kind = TEXT.replace("max = 7", "max = \"x\"");
        assert!(
            message(&kind).starts_with("c.toml:11: `inner.max`: invalid type"),
            "{}",
            message(&kind)
        );
        assert!(message("splits = \n").starts_with("c.toml:1:"));
    }

    #[test]
    fn overrides_reach_existing_keys_only() {
        let mut config = read(TEXT, "desk").expect("parses");
        config.set(&"inner.max=9".parse().expect("well-formed")).expect("is there");
        assert_eq!(config.get::<Typed>().expect("fits").inner.max, 9);
        let error = config.set(&"inner.mix=9".parse().expect("well-formed"));
        assert!(error.expect_err("unknown").to_string().contains("did you mean `inner.max`?"));
        config.set(&"inner.max=-1".parse().expect("well-formed")).expect("is there");
        let error = config.get::<Typed>().expect_err("negative").to_string();
        assert!(error.starts_with("--set inner.max:"), "{error}");
    }
}
