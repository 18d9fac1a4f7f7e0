//! Creates a new paper from the files of `stages/templates/paper`, with its entries in the files that list
//! papers. The tree of the templates is that of the checkout, with `paper_id` in place of the name. Nothing
//! is written before everything has been checked.

mod entries;

use std::{
    fs,
    path::{Path, PathBuf},
};

use pipeline::error::{Error, Result};

/// The placeholder of the name in paths and contents, and in names of types.
const PLACEHOLDERS: [&str; 2] = ["paper_id", "PaperId"];

/// The templates, within the checkout.
const TEMPLATES: &str = "stages/templates/paper";

/// The new crate's manifest among the templates.
const OWN_MANIFEST: &str = "stages/papers/paper_id/Cargo.toml";

/// The files that list papers, relative to the checkout: the registry, the manifest of the program, and the
/// lock file.
const REGISTRY: &str = "stages/src/papers.rs";
const MANIFEST: &str = "stages/Cargo.toml";
const LOCK: &str = "Cargo.lock";

/// Maximum length of the name, which is part of every stage's name.
const LONGEST: usize = 30;

/// Words that cannot be the name of a module.
const KEYWORDS: [&str; 39] = [
    "as", "async", "await", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct",
    "super", "trait", "true", "type", "use",
];

/// More such words, and first segments of paths.
const RESERVED: [&str; 14] = [
    "abstract", "become", "override", "priv", "try", "typeof", "union", "unsafe", "unsized",
    "virtual", "where", "while", "yield", "std",
];

/// The files of a new paper, and the changed lists.
#[derive(Debug)]
pub struct Scaffold {
    checkout: PathBuf,
    /// Path relative to the checkout, and content.
    files: Vec<(PathBuf, String)>,
    /// The same for each list.
    lists: Vec<(&'static str, String)>,
}

impl Scaffold {
    /// The paper called `name` in `checkout`.
    ///
    /// # Errors
    /// If the name is invalid or taken, or the folder is not a checkout.
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
        let folder = PathBuf::from(format!("stages/papers/{name}"));
        let there = |path: &&PathBuf| checkout.join(path).exists();
        if let Some(path) = files.iter().map(|(path, _)| path).chain([&folder]).find(there) {
            return Err(taken(name, &path.display().to_string()));
        }
        let read = |list: &str| {
            let path = checkout.join(list);
            fs::read_to_string(&path).map_err(|e| Error::io("read", &path, &e))
        };
        let lock = read(LOCK)?;
        if entries::has_package(&lock, name) {
            return Err(taken(name, &format!("a package of that name in {LOCK}")));
        }
        let manifest = fs::read_to_string(templates.join(OWN_MANIFEST))
            .map_err(|e| Error::io("read", &templates.join(OWN_MANIFEST), &e))?;
        let lists = vec![
            (REGISTRY, entries::registered(&read(REGISTRY)?, name, &type_name(name))?),
            (MANIFEST, entries::depended(&read(MANIFEST)?, name)?),
            (LOCK, entries::locked(&lock, name, &manifest)?),
        ];
        Ok(Self { checkout: checkout.to_owned(), files, lists })
    }

    /// The paths that are written or changed, relative to the checkout.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files
            .iter()
            .map(|(path, _)| path.as_path())
            .chain(self.lists.iter().map(|(path, _)| Path::new(path)))
    }

    /// Writes the files, and then the lists.
    ///
    /// # Errors
    /// If writing to disk fails.
    pub fn write(&self) -> Result<()> {
        for (path, text) in &self.files {
            let path = self.checkout.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(|e| Error::io("make", folder, &e))?;
            }
            fs::write(&path, text).map_err(|e| Error::io("write", &path, &e))?;
        }
        for (path, text) in &self.lists {
            let path = self.checkout.join(path);
            fs::write(&path, text).map_err(|e| Error::io("write", &path, &e))?;
        }
        Ok(())
    }
}

/// Whether a name is valid for a module, a file and a stage.
fn check(name: &str) -> Result<()> {
    let first = name.starts_with(|c: char| c.is_ascii_lowercase());
    let others = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let word = KEYWORDS.contains(&name) || RESERVED.contains(&name);
    if first && name.chars().all(others) && name.len() <= LONGEST && !word {
        return Ok(());
    }
    Err(Error::usage(format!("`{name}` cannot be the name of a paper")).help(format!(
        "expected small letters, digits and underscores, beginning with a letter, at most {LONGEST}, \
         and not a Rust keyword; such as random_search"
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

/// All files below `folder`, by path relative to `root`.
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

fn taken(name: &str, by: &str) -> Error {
    Error::usage(format!("`{name}` is taken: there is {by}")).help("choose another name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
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
        assert_eq!(scaffold.lists.len(), 3);
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
        // Papers, and other packages.
        for name in ["hoag", "stn", "kit", "serde"] {
            let error = Scaffold::paper(&root(), name).unwrap_err();
            assert!(error.to_string().contains("is taken"), "{name}: {error}");
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let error = Scaffold::paper(elsewhere.path(), "fine").unwrap_err();
        assert!(error.to_string().contains("no checkout"), "{error}");
    }
}
