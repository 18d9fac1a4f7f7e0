//! A new paper out of the files of `templates/paper`, and its entry in the registry. The tree of
//! the templates is that of the checkout, with `paper_id` where the name goes. Nothing is written
//! before everything is known to fit. Knows no paper.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pipeline::error::{Error, Result};

/// What stands for the name, in paths and contents, and in names of types.
const PLACEHOLDERS: [&str; 2] = ["paper_id", "PaperId"];

/// The templates, within the checkout.
const TEMPLATES: &str = "templates/paper";

/// The registry, within the checkout.
const REGISTRY: &str = "stages/src/papers/mod.rs";

/// Longest name: it is part of every stage's name.
const LONGEST: usize = 30;

/// Words that cannot be the name of a module.
const KEYWORDS: [&str; 39] = [
    "as", "async", "await", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct",
    "super", "trait", "true", "type", "use",
];

/// More of them, and heads of paths.
const RESERVED: [&str; 14] = [
    "abstract", "become", "override", "priv", "try", "typeof", "union", "unsafe", "unsized",
    "virtual", "where", "while", "yield", "std",
];

/// The files of a new paper, and the registry that knows it.
#[derive(Debug)]
pub struct Scaffold {
    checkout: PathBuf,
    /// Path within the checkout, content.
    files: Vec<(PathBuf, String)>,
    registry: String,
}

impl Scaffold {
    /// The paper called `name` in `checkout`.
    ///
    /// # Errors
    /// When the name is none, or taken, or the folder is no checkout.
    pub fn paper(checkout: &Path, name: &str) -> Result<Self> {
        check(name)?;
        let templates = checkout.join(TEMPLATES);
        let place = checkout.join(REGISTRY);
        if !(templates.is_dir() && place.is_file()) {
            let message = format!("{} is no checkout of retune", checkout.display());
            let help = format!(
                "it has no {TEMPLATES} and {REGISTRY}: go to the folder of the checkout, or name it \
                 with --checkout DIR"
            );
            return Err(Error::usage(message).help(help));
        }
        let mut files = Vec::new();
        collect(&templates, &templates, &mut files)?;
        let [id, kind] = PLACEHOLDERS;
        let filled = |text: &str| text.replace(id, name).replace(kind, &type_name(name));
        let files: Vec<_> = files
            .into_iter()
            .map(|(path, text)| (PathBuf::from(filled(&path.to_string_lossy())), filled(&text)))
            .collect();
        // A module beside the papers' folders has the name of a file.
        let module = PathBuf::from(format!("stages/src/papers/{name}.rs"));
        let folder = PathBuf::from(format!("stages/src/papers/{name}"));
        let all = || files.iter().map(|(path, _)| path).chain([&module, &folder]);
        if let Some(path) = all().find(|path| checkout.join(path).exists()) {
            return Err(Error::usage(format!("`{name}` is taken: there is {}", path.display()))
                .help("choose another name"));
        }
        let text = fs::read_to_string(&place).map_err(|e| Error::io("read", &place, &e))?;
        let registry = registered(&text, name)?;
        Ok(Self { checkout: checkout.to_owned(), files, registry })
    }

    /// What is written or changed, within the checkout.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path()).chain([Path::new(REGISTRY)])
    }

    /// Writes the files, and the registry when they are there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self) -> Result<()> {
        for (path, text) in &self.files {
            let path = self.checkout.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(|e| Error::io("make", folder, &e))?;
            }
            fs::write(&path, text).map_err(|e| Error::io("write", &path, &e))?;
        }
        let path = self.checkout.join(REGISTRY);
        fs::write(&path, &self.registry).map_err(|e| Error::io("write", &path, &e))
    }
}

/// Whether a name can be that of a module, a file and a stage.
fn check(name: &str) -> Result<()> {
    let first = name.starts_with(|c: char| c.is_ascii_lowercase());
    let others = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let word = KEYWORDS.contains(&name) || RESERVED.contains(&name);
    if first && name.chars().all(others) && name.len() <= LONGEST && !word {
        return Ok(());
    }
    Err(Error::usage(format!("`{name}` cannot be the name of a paper")).help(format!(
        "expected small letters, digits and underscores, beginning with a letter, at most {LONGEST}, \
         and no word of Rust; such as random_search"
    )))
}

/// `random_search` → `RandomSearch`.
fn type_name(name: &str) -> String {
    let capital = |part: &str| {
        let mut chars = part.chars();
        chars.next().map_or_else(String::new, |c| c.to_uppercase().to_string() + chars.as_str())
    };
    name.split('_').map(capital).collect()
}

/// All files below `folder`, by path within `root`.
fn collect(root: &Path, folder: &Path, found: &mut Vec<(PathBuf, String)>) -> Result<()> {
    let listed = |e| Error::io("list", folder, &e);
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(listed)?;
    entries.sort_by_key(fs::DirEntry::path);
    for path in entries.iter().map(fs::DirEntry::path) {
        if path.is_dir() {
            collect(root, &path, found)?;
        } else {
            let text = fs::read_to_string(&path).map_err(|e| Error::io("read", &path, &e))?;
            found.push((path.strip_prefix(root).unwrap_or(&path).to_owned(), text));
        }
    }
    Ok(())
}

/// The registry's text with one paper more: its module, and its entry among the papers, each in the
/// order of names.
fn registered(text: &str, name: &str) -> Result<String> {
    let kind = type_name(name);
    let entry = [
        "        Paper {".to_owned(),
        format!("            experiment: Box::new({name}::{kind}),"),
        format!("            kinds: {name}::kinds,"),
        format!("            schema: of::<{name}::config::{kind}Config>,"),
        format!("            name: \"{kind}\","),
        "            title: \"TITLE\",".to_owned(),
        "        },".to_owned(),
    ];
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let lines = inserted(lines, name, ("pub mod ", ";"), 0, &[format!("pub mod {name};")])?;
    // The experiment is an entry's first field, a line below its beginning.
    let lines = inserted(lines, name, ("            experiment: Box::new(", "),"), 1, &entry)?;
    Ok(lines.join("\n") + "\n")
}

/// `lines` with `new` before the first entry of a later name than `name`, or after the last. An entry
/// begins `above` lines before a line with a name between `marks`, and is as long as `new`.
fn inserted(
    mut lines: Vec<String>,
    name: &str,
    marks: (&str, &str),
    above: usize,
    new: &[String],
) -> Result<Vec<String>> {
    let own = |text: &str| {
        let inner = text.strip_prefix(marks.0)?.strip_suffix(marks.1)?;
        Some(inner.split(':').next().unwrap_or_default().to_owned())
    };
    let places: Vec<(usize, String)> =
        lines.iter().enumerate().filter_map(|(at, text)| Some((at, own(text)?))).collect();
    let Some((last, _)) = places.last() else {
        let (before, after) = marks;
        return Err(Error::usage(format!("{REGISTRY} has no line `{before}NAME{after}`"))
            .help("add the paper there by hand, as ARCHITECTURE.md says"));
    };
    let next = places.iter().find(|(_, other)| other.as_str() > name);
    let at = next.map_or(last + new.len(), |(at, _)| *at) - above;
    lines.splice(at..at, new.iter().cloned());
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn the_registry_gets_a_module_and_an_entry_in_their_order() {
        let text = fs::read_to_string(root().join(REGISTRY)).unwrap();
        let modules = |text: &str, mark: &str| -> Vec<String> {
            let found = text.lines().filter_map(|line| line.trim().strip_prefix(mark));
            found.map(|rest| rest.split([':', ';']).next().unwrap_or_default().to_owned()).collect()
        };
        for (name, kind) in [("aaa", "Aaa"), ("hoag_two", "HoagTwo"), ("zzz_9", "Zzz9")] {
            let new = registered(&text, name).unwrap();
            let entry = format!(
                "        Paper {{\n            experiment: Box::new({name}::{kind}),\n            kinds: \
                 {name}::kinds,\n            schema: of::<{name}::config::{kind}Config>,\n            \
                 name: \"{kind}\",\n            title: \"TITLE\",\n        }},\n"
            );
            // Nothing else has changed, and the entry stands between entries.
            assert_eq!(
                new.replacen(&entry, "", 1).replace(&format!("pub mod {name};\n"), ""),
                text
            );
            for mark in ["pub mod ", "experiment: Box::new("] {
                let found = modules(&new, mark);
                assert!(found.is_sorted() && found.iter().any(|m| m == name), "{found:?}");
            }
            let before = new.split(&entry).next().unwrap_or_default();
            assert!(before.ends_with("        },\n") || before.ends_with("    vec![\n"), "{name}");
        }
        assert!(registered("fn main() {}\n", "x").unwrap_err().remedy().is_some());
    }

    #[test]
    fn no_placeholder_is_left() {
        let scaffold = Scaffold::paper(&root(), "paper_of_this_test").unwrap();
        assert!(scaffold.files.len() > 10, "{:?}", scaffold.files);
        for (path, text) in &scaffold.files {
            let whole = format!("{} {text}", path.display());
            assert!(!PLACEHOLDERS.iter().any(|p| whole.contains(p)), "{}", path.display());
        }
        let mut all = scaffold.files.iter();
        assert!(all.any(|(path, _)| path == Path::new("configs/paper_of_this_test.claims.toml")));
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_remedy() {
        for name in
            ["", "Paper", "2nd", "a-b", "a b", "../x", "fn", "self", "_x", "é", &"x".repeat(31)]
        {
            let error = Scaffold::paper(&root(), name).unwrap_err();
            assert!(error.to_string().contains("cannot be the name"), "{name}: {error}");
            assert!(error.remedy().is_some());
        }
        // Papers, and what lies beside them.
        for name in ["hoag", "stn", "load", "gather"] {
            let error = Scaffold::paper(&root(), name).unwrap_err();
            assert!(error.to_string().contains("is taken"), "{name}: {error}");
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let error = Scaffold::paper(elsewhere.path(), "fine").unwrap_err();
        assert!(error.to_string().contains("no checkout"), "{error}");
    }
}
