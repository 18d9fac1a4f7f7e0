//! Who may name whom, as ARCHITECTURE.md says it. Reads the sources: a broken arrow fails here
//! before it becomes a habit.

mod sources;

use std::collections::BTreeSet;

use sources::{File, files};

/// Module of `stages` → the modules of `stages` that it may name. `papers` and `lib` may name all.
const MODULES: [(&str, &[&str]); 19] = [
    ("linalg", &[]),
    ("problem", &[]),
    ("stats", &[]),
    ("metrics", &[]),
    ("data", &[]),
    ("table", &[]),
    ("space", &[]),
    ("solve", &["linalg", "problem", "space"]),
    ("models", &["linalg", "problem", "solve", "space"]),
    ("preprocess", &["models"]),
    ("tuner", &["problem", "solve", "space"]),
    ("tuners", &["linalg", "models", "problem", "solve", "space", "tuner"]),
    ("reference", REFERENCE),
    ("claims", &["stats", "table"]),
    ("commands", &["claims", "data", "reference", "table"]),
    ("main", &["papers"]),
    // Programs: their crate is `stages` itself.
    ("bin", &[]),
    ("papers", ALL),
    ("lib", ALL),
];
const REFERENCE: &[&str] = &[
    "linalg",
    "metrics",
    "models",
    "preprocess",
    "problem",
    "solve",
    "space",
    "stats",
    "tuner",
    "tuners",
];
const ALL: &[&str] = &[
    "claims",
    "commands",
    "data",
    "linalg",
    "metrics",
    "models",
    "papers",
    "preprocess",
    "problem",
    "reference",
    "solve",
    "space",
    "stats",
    "table",
    "tuner",
    "tuners",
];

/// Modules of `stages` that may name the engine.
const ENGINE_USERS: [&str; 6] = ["papers", "commands", "claims", "table", "main", "bin"];

/// The source files below `folder`, with their tokens.
fn sources(folder: &str) -> Vec<(File, Vec<String>)> {
    let own = |file: &File| file.path.starts_with(folder) && file.path.ends_with(".rs");
    let found: Vec<_> = files()
        .into_iter()
        .filter(own)
        .map(|file| {
            let tokens = tokens(&file.text);
            (file, tokens)
        })
        .collect();
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

/// Words and punctuation of Rust code; comments, strings and character literals are left out.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && chars[i] != '\n' {
                i += 1;
            }
        } else if c == '/' && at(i + 1) == '*' {
            let mut depth = 0;
            loop {
                match (at(i), at(i + 1)) {
                    ('/', '*') => (depth, i) = (depth + 1, i + 2),
                    ('*', '/') => (depth, i) = (depth - 1, i + 2),
                    _ => i += 1,
                }
                if depth == 0 || i >= chars.len() {
                    break;
                }
            }
        } else if c == '"' {
            i += 1;
            while i < chars.len() && chars[i] != '"' {
                i += if chars[i] == '\\' { 2 } else { 1 };
            }
            i += 1;
        } else if c == '\'' && at(i + 1) == '\\' {
            i += 3;
            while i < chars.len() && chars[i] != '\'' {
                i += 1;
            }
            i += 1;
        } else if c == '\'' && at(i + 2) == '\'' {
            i += 3;
        } else if is_word(c) {
            let start = i;
            while is_word(at(i)) {
                i += 1;
            }
            let word: String = chars[start..i].iter().collect();
            let mut hashes = 0;
            while at(i + hashes) == '#' {
                hashes += 1;
            }
            if matches!(word.as_str(), "r" | "br") && at(i + hashes) == '"' {
                i += hashes + 1;
                let closes = |i: usize| at(i) == '"' && (1..=hashes).all(|n| at(i + n) == '#');
                while i < chars.len() && !closes(i) {
                    i += 1;
                }
                i += hashes + 1;
            } else {
                tokens.push(word);
            }
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            i += 1;
        }
    }
    tokens
}

/// Whether the tokens name the crate `name`: by a path that starts with it, or by importing it.
fn names_crate(tokens: &[String], name: &str) -> bool {
    (0..tokens.len()).any(|i| {
        let before = |n: usize| i.checked_sub(n).map_or("", |j| tokens[j].as_str());
        let after = |n: usize| tokens.get(i + n).map_or("", String::as_str);
        let path = after(1) == ":" && after(2) == ":" && before(1) != ":";
        let import = matches!(before(1), "use" | "crate") && before(2) != ":";
        tokens[i] == name && (path || import)
    })
}

/// The modules named by paths from the crate's root: what follows `crate::`, or `super::` as often
/// as leads out of a module `depth` deep.
fn modules_named(tokens: &[String], depth: usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for i in 0..tokens.len() {
        if let Some(end) = root(tokens, i, depth).filter(|&end| goes_on(tokens, end)) {
            found.extend(heads(&tokens[end + 2..]));
        }
    }
    found
}

/// Where the path that starts at `i` has reached the crate's root, if it does.
fn root(tokens: &[String], i: usize, depth: usize) -> Option<usize> {
    if tokens[i] == "crate" {
        return Some(i + 1);
    }
    let (mut ups, mut end) = (0, i);
    while tokens.get(end).is_some_and(|token| token == "super") {
        ups += 1;
        if ups == depth {
            return Some(end + 1);
        }
        end += if goes_on(tokens, end + 1) { 3 } else { 1 };
    }
    None
}

/// Whether `::` stands at `i`.
fn goes_on(tokens: &[String], i: usize) -> bool {
    tokens[i..].iter().take(2).filter(|token| *token == ":").count() == 2
}

/// The first names of a path or of a group of paths.
fn heads(tokens: &[String]) -> Vec<String> {
    if tokens.first().is_none_or(|token| token != "{") {
        return tokens.first().cloned().into_iter().collect();
    }
    let (mut depth, mut expected, mut found) = (0, true, Vec::new());
    for token in tokens {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => expected = true,
            name if depth == 1 && expected => {
                found.push(name.to_owned());
                expected = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The names of the dependencies of a crate, from its manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let file = files().into_iter().find(|file| file.path == manifest).unwrap();
    let mut within = false;
    let mut found = Vec::new();
    for line in file.text.lines() {
        if line.starts_with('[') {
            within = line.contains("dependencies");
        } else if within && !line.trim().is_empty() && !line.starts_with('#') {
            found.push(line.split(['.', ' ', '=']).next().unwrap().to_owned());
        }
    }
    found
}

#[test]
fn the_engine_names_none_of_ours() {
    for (file, tokens) in sources("pipeline/") {
        for other in ["stages", "prelude", "retune_tests"] {
            assert!(!names_crate(&tokens, other), "{} names {other}", file.path);
        }
    }
    let own = dependencies("pipeline/Cargo.toml");
    assert!(own.iter().any(|name| name == "petgraph"), "the manifest was not understood: {own:?}");
    for other in ["stages", "prelude", "ndarray", "ndarray-linalg", "tch", "statrs"] {
        assert!(!own.iter().any(|name| name == other), "pipeline depends on {other}");
    }
}

#[test]
fn notebooks_and_site_know_the_engine_alone() {
    for (folder, manifest) in [
        ("notebooks/prelude/", "notebooks/prelude/Cargo.toml"),
        ("notebooks/cells/", "notebooks/cells/Cargo.toml"),
        ("site/", "site/Cargo.toml"),
    ] {
        for (file, tokens) in sources(folder) {
            assert!(!names_crate(&tokens, "stages"), "{} names stages", file.path);
        }
        let own = dependencies(manifest);
        assert!(own.iter().any(|name| name == "pipeline"), "{manifest} was not understood");
        assert!(!own.iter().any(|name| name == "stages"), "{manifest} depends on stages");
    }
}

#[test]
fn modules_name_only_what_their_arrows_allow() {
    let mut broken = Vec::new();
    for (file, tokens) in sources("stages/src/") {
        let inner = file.path.trim_start_matches("stages/src/").trim_end_matches(".rs");
        let module = inner.split('/').next().unwrap();
        let Some((_, allowed)) = MODULES.iter().find(|(name, _)| *name == module) else {
            panic!("{}: give the new module its arrows, here and in ARCHITECTURE.md", file.path);
        };
        let depth = inner.trim_end_matches("/mod").split('/').count();
        for named in modules_named(&tokens, depth) {
            let ours = ALL.contains(&named.as_str());
            if ours && named != module && !allowed.contains(&named.as_str()) {
                broken.push(format!("{} names {named}", file.path));
            }
        }
        if names_crate(&tokens, "pipeline") && !ENGINE_USERS.contains(&module) {
            broken.push(format!("{} names the engine", file.path));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Everything else builds and runs without libtorch, and nothing is built on the crate that has it.
#[test]
fn one_crate_names_libtorch() {
    let names = |tokens: &[String]| names_crate(tokens, "tch") || names_crate(tokens, "torch_sys");
    let naming: Vec<_> = sources("stages/")
        .into_iter()
        .filter(|(_, tokens)| names(tokens))
        .map(|(file, _)| file.path)
        .collect();
    assert!(!naming.is_empty(), "the test found no name of libtorch at all");
    let stray = naming.iter().find(|path| !path.starts_with("stages/nets/"));
    assert!(stray.is_none(), "{stray:?} names libtorch: only nets may");
    let below = dependencies("stages/Cargo.toml");
    for name in ["tch", "torch-sys", "nets"] {
        assert!(!below.contains(&name.to_owned()), "stages depends on {name}");
    }
}

/// A paper stands by itself: what two papers share is no paper's.
#[test]
fn papers_do_not_name_each_other() {
    let papers: Vec<_> = sources("stages/src/papers/");
    let folder = |file: &File| file.path.split('/').nth(3).unwrap_or_default().to_owned();
    let ids: BTreeSet<_> =
        papers.iter().map(|(file, _)| folder(file)).filter(|id| !id.ends_with(".rs")).collect();
    for (file, tokens) in papers.iter().filter(|(file, _)| ids.contains(&folder(file))) {
        for i in 0..tokens.len().saturating_sub(3) {
            let other = &tokens[i + 3];
            let path = tokens[i] == "papers" && tokens[i + 1] == ":" && tokens[i + 2] == ":";
            let foreign = path && ids.contains(other) && *other != folder(file);
            assert!(!foreign, "{} names the paper {other}", file.path);
        }
    }
}

/// The test's own reading of Rust, on what it must and must not find.
#[test]
fn paths_are_found_in_code_alone() {
    let code = r##"
        // crate::comment
        use crate::{solve::{cg, inner}, stats};
        fn f<'a>(x: &'a str) { crate::table::new("crate::text", '"', r#"crate::raw"#); }
        use super::super::models;
        use pipeline::stage;
    "##;
    let tokens = tokens(code);
    let named = |depth| modules_named(&tokens, depth).into_iter().collect::<Vec<_>>();
    assert_eq!(named(2), ["models", "solve", "stats", "table"]);
    assert_eq!(named(3), ["solve", "stats", "table"]);
    assert!(names_crate(&tokens, "pipeline"));
    assert!(!names_crate(&tokens, "stage") && !names_crate(&tokens, "text"));
}
