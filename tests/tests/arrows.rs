//! Which crate may be built on which, as ARCHITECTURE.md says it. That a crate names no other is Cargo's
//! business; that it does not begin to is this test's.

mod sources;

use std::collections::{BTreeMap, BTreeSet};

use sources::files;

/// Crate → those of ours that it may be built on. `*` stands for each paper.
const ARROWS: [(&str, &[&str]); 24] = [
    ("codehash", &[]),
    ("pipeline", &[]),
    ("numerics", &[]),
    ("stats", &[]),
    ("data", &[]),
    ("derive", &[]),
    ("models", &["numerics"]),
    ("tuners", &["models", "numerics"]),
    ("external", &["numerics", "tuners"]),
    ("reference", &["models", "numerics", "stats", "tuners"]),
    ("kit", &["data", "derive", "models", "pipeline", "stats"]),
    ("driver", &["numerics", "pipeline", "tuners"]),
    ("*", &["data", "driver", "kit", "models", "numerics", "pipeline", "stats", "tuners"]),
    (
        "compare",
        &["data", "driver", "external", "kit", "models", "numerics", "pipeline", "stats", "tuners"],
    ),
    ("stages", &["*", "codehash", "compare", "data", "kit", "pipeline", "reference", "site"]),
    ("cuda", &[]),
    ("nets", &["*", "cuda", "data", "kit", "models", "pipeline", "stages"]),
    ("figures", &[]),
    ("site", &["figures", "pipeline"]),
    ("prelude", &["figures", "pipeline"]),
    ("cells", &["pipeline", "prelude"]),
    ("python", &["tuners"]),
    ("retune-tests", &[]),
    ("xtask", &[]),
];

/// A crate of ours.
struct Crate {
    name: String,
    paper: bool,
    /// Everything that it is built on; what only its tests need is left out.
    dependencies: BTreeSet<String>,
}

/// All crates of the workspace, from their manifests.
fn crates() -> Vec<Crate> {
    let own = |path: &str| {
        path.ends_with("/Cargo.toml") && !path.contains("templates/") && !path.contains("toy/")
    };
    let read = |text: &str| {
        let (mut name, mut within, mut dependencies) = (None, String::new(), BTreeSet::new());
        for line in text.lines() {
            if line.starts_with('[') {
                line.clone_into(&mut within);
            } else if within == "[dependencies]" && !line.is_empty() && !line.starts_with('#') {
                dependencies.extend(line.split(['.', ' ', '=']).next().map(str::to_owned));
            } else if let Some(value) = line.strip_prefix("name = ")
                && name.is_none()
            {
                // The crates of the library have a name for registries, and the folder's in code.
                let value = value.trim_matches('"');
                name = Some(
                    value
                        .strip_prefix("retune-")
                        .filter(|n| *n != "tests")
                        .unwrap_or(value)
                        .to_owned(),
                );
            }
        }
        (name.expect("a package has a name"), dependencies)
    };
    let manifests = files().into_iter().filter(|file| own(&file.path));
    manifests
        .map(|file| {
            let (name, dependencies) = read(&file.text);
            Crate { name, paper: file.path.starts_with("stages/papers/"), dependencies }
        })
        .collect()
}

#[test]
fn crates_are_built_on_what_their_arrows_allow() {
    let crates = crates();
    let role: BTreeMap<&str, &str> = crates
        .iter()
        .map(|one| (one.name.as_str(), if one.paper { "*" } else { one.name.as_str() }))
        .collect();
    let mut broken = Vec::new();
    for one in &crates {
        let own = role[one.name.as_str()];
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == own) else {
            panic!("{}: give the new crate its arrows, here and in ARCHITECTURE.md", one.name);
        };
        let named = one.dependencies.iter().filter_map(|name| Some((name, role.get(&**name)?)));
        // A paper does not name another: what two papers share is no paper's.
        let stray = named.filter(|(_, role)| !allowed.contains(role));
        broken.extend(stray.map(|(name, _)| format!("{} is built on {name}", one.name)));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(crates.iter().filter(|one| one.paper).count() >= 5, "the papers were not found");
    for (name, allowed) in ARROWS {
        assert!(role.values().any(|role| *role == name), "there is no crate {name}");
        let used = |to: &str| {
            let mut own = crates.iter().filter(|one| role[one.name.as_str()] == name);
            own.any(|one| one.dependencies.iter().any(|d| role.get(d.as_str()) == Some(&to)))
        };
        let idle: Vec<_> = allowed.iter().filter(|to| !used(to)).collect();
        assert!(idle.is_empty(), "{name} is no longer built on {idle:?}: take the arrow away");
    }
}

/// Everything else builds and runs without libtorch.
#[test]
fn only_networks_name_libtorch() {
    let names = |one: &&Crate| ["tch", "torch-sys"].iter().any(|d| one.dependencies.contains(*d));
    let naming: Vec<_> = crates().iter().filter(names).map(|one| one.name.clone()).collect();
    assert_eq!(naming, ["cuda", "nets"]);
}

/// The engine computes nothing itself.
#[test]
fn the_engine_is_built_on_no_numerical_library() {
    let crates = crates();
    let engine = crates.iter().find(|one| one.name == "pipeline").expect("the engine");
    assert!(engine.dependencies.contains("petgraph"), "the manifest was not understood");
    for other in ["ndarray", "ndarray-linalg", "statrs"] {
        assert!(!engine.dependencies.contains(other), "pipeline is built on {other}");
    }
}
