//! What the library of tuners promises: a list of all that is public in the modules its users name, kept in
//! `tests/golden/tuners_api.txt`. Where the list changes, so must the version of `stages/tuners/Cargo.toml`: the minor one
//! if a line goes or changes while it is 0.x. `UPDATE_API=1` writes the list anew.

mod sources;

use std::{env, fs, path::Path};

use sources::files;

/// The modules: what a search is made of, asked and told with. The arms of `Method` and their settings are left out:
/// they grow with every tuner, and their names in configs are tested elsewhere.
const PROMISED: [&str; 5] = [
    "stages/numerics/src/space.rs",
    "stages/numerics/src/space/",
    "stages/tuners/src/minimise.rs",
    "stages/tuners/src/study/",
    "stages/tuners/src/tuner.rs",
];

/// The public declarations of a formatted file, each on a line, without bodies.
fn declarations(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    // What stands at the first level of these is public without saying so.
    let mut inside: Option<String> = None;
    let mut open: Option<String> = None;
    for line in code.lines() {
        let trimmed = line.trim();
        let level = line.len() - line.trim_start().len();
        if let Some(mut declaration) = open.take() {
            declaration.push(' ');
            declaration.push_str(trimmed);
            open = Some(declaration);
        } else if trimmed.starts_with("//") || trimmed.starts_with('#') || trimmed.is_empty() {
            continue;
        } else if line == "}" {
            inside = None;
            continue;
        } else if trimmed.starts_with("pub ") {
            let open_ended = ["pub enum ", "pub trait "].iter().any(|kind| line.starts_with(kind));
            if open_ended {
                inside = Some(trimmed.trim_end_matches(" {").to_owned());
            }
            open = Some(trimmed.to_owned());
        } else if let Some(outer) = &inside
            && (level == 4 || level == 8 && outer.starts_with("pub enum"))
            && !trimmed.starts_with('}')
        {
            open = Some(format!("{outer} :: {trimmed}"));
        } else if line.starts_with("impl") {
            found.push(trimmed.trim_end_matches(" {").to_owned());
        }
        let ended = |text: &str| {
            text.ends_with(['{', ';', ',', '}']) && {
                let count = |c| text.matches(c).count();
                count('(') == count(')')
            }
        };
        if let Some(declaration) = open.take_if(|text| ended(text)) {
            let end = declaration.trim_end_matches([' ', '{', ';', ',']);
            found.push(end.replace("( ", "(").replace(", )", ")"));
        }
    }
    found
}

#[test]
fn the_promised_interface_is_the_listed_one() {
    let promised = |path: &str| PROMISED.iter().any(|prefix| path.starts_with(prefix));
    let rust = files().into_iter().filter(|f| f.path.ends_with(".rs") && promised(&f.path));
    let mut list = String::new();
    for file in rust {
        list.push_str(&format!("{}\n", file.path));
        for line in declarations(&file.text) {
            list.push_str(&format!("    {line}\n"));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/tuners_api.txt");
    if env::var_os("UPDATE_API").is_some() {
        fs::write(&path, &list).unwrap();
    }
    let listed = fs::read_to_string(&path).unwrap();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (now, before) = (lines(&list), lines(&listed));
    let gone: Vec<_> = before.iter().filter(|line| !now.contains(line)).collect();
    let new: Vec<_> = now.iter().filter(|line| !before.contains(line)).collect();
    assert!(
        now == before,
        "the interface of the library has changed: think of its version, then set UPDATE_API=1\ngone: {gone:#?}\nnew: {new:#?}"
    );
}

#[test]
fn declarations_are_found() {
    let text = "\
pub enum Mode {
    /// Of rounds.
    Rounds {
        /// How many.
        size: usize,
    },
    Free,
}
pub(super) struct Hidden {
    pub field: u8,
}
impl Study {
    pub fn run<T>(
        &mut self,
        total: u64,
    ) -> Result<(), Error> {
        inner();
    }
    fn private(&self) {}
}
";
    let expected = [
        "pub enum Mode",
        "pub enum Mode :: Rounds",
        "pub enum Mode :: size: usize",
        "pub enum Mode :: Free",
        "pub field: u8",
        "impl Study",
        "pub fn run<T>(&mut self, total: u64) -> Result<(), Error>",
    ];
    assert_eq!(declarations(text), expected);
}
