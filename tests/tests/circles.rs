//! No circle of files: within a crate, no file names another that names it back, directly or by way of others. What
//! stands in a circle can only be read, and changed, as a whole.
//!
//! A file is a module, and an arrow goes from it to every module of its crate that its code names: in `use` items or
//! in full, through `crate`, `self` or `super`, tests left out. A path counts for the module that is its longest
//! prefix, so what a folder's `mod.rs` hands on from its files counts for the `mod.rs`. Arrows between a module and
//! one that it lies in, whichever way, do not count: a parent lists its children and hands on what they hold, and a
//! child may use its parent's types; they are one room. Neither does what the crate's root hands on.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::Path,
};

use codehash::{Crate, Modules};

mod sources;

/// Arrows that stand though they close a circle: (from, to, reason).
const LEFT: [(&str, &str, &str); 0] = [];

/// Module → those that it names.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Whether one of the two modules lies in the other, or is it.
fn one_room(a: &str, b: &str) -> bool {
    let within = |a: &str, b: &str| {
        a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    within(a, b) || within(b, a)
}

/// The arrows within the crate whose sources are in `folder`.
fn arrows(name: &str, folder: &Path) -> Arrows {
    let own = Crate { name, package: name, source: folder };
    let modules = Modules::of(&[own]).expect("the sources are Rust");
    let mut arrows = Arrows::new();
    let tests = |path: &str| path.ends_with("::tests") || path.ends_with("_tests");
    for from in modules.paths().filter(|path| !tests(path)) {
        let named = modules.named(from).filter_map(|path| modules.find(path));
        let to = named.filter(|to| !one_room(from, to)).map(str::to_owned);
        arrows.insert(from.to_owned(), to.collect());
    }
    arrows
}

/// The shortest way along at least one arrow from `start` to `end`, both included.
fn way<'a>(arrows: &'a Arrows, start: &'a str, end: &str) -> Option<Vec<&'a str>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in arrows.get(at).into_iter().flatten() {
            if next == end {
                let mut way = vec![next.as_str(), at];
                while *way.last()? != start {
                    way.push(before[way.last()?]);
                }
                way.reverse();
                return Some(way);
            }
            if next != start && !before.contains_key(next.as_str()) {
                before.insert(next, at);
                open.push_back(next);
            }
        }
    }
    None
}

/// The circles: for each group of modules that reach each other, their number and the shortest way round.
fn circles(arrows: &Arrows) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for start in arrows.keys() {
        if seen.contains(start.as_str()) || way(arrows, start, start).is_none() {
            continue;
        }
        let back = |other: &&String| {
            *other == start
                || way(arrows, start, other).is_some() && way(arrows, other, start).is_some()
        };
        let group: Vec<&str> = arrows.keys().filter(back).map(String::as_str).collect();
        let rounds = group.iter().filter_map(|one| way(arrows, one, one));
        let shortest = rounds.min_by_key(Vec::len).expect("each is in a circle").join(" -> ");
        found.push(format!("{shortest} (in a group of {}: {})", group.len(), group.join(", ")));
        seen.extend(group);
    }
    found
}

/// The crates of the workspace: name in paths, and arrows within.
fn crates() -> Vec<Arrows> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for file in sources::files() {
        let Some(folder) = file.path.strip_suffix("Cargo.toml") else { continue };
        let source = root.join(folder).join("src");
        if folder.is_empty() || file.path.contains("templates/") || !source.exists() {
            continue;
        }
        let line = file.text.lines().find_map(|line| line.strip_prefix("name = "));
        let name = line.expect("a package has a name").trim_matches('"').replace('-', "_");
        found.push(arrows(&name, &source));
    }
    found
}

#[test]
fn no_files_name_each_other_in_a_circle() {
    let crates = crates();
    assert!(crates.len() >= 19, "the crates were not found");
    let mut broken = Vec::new();
    for mut arrows in crates {
        let of_crate = |from: &str| arrows.contains_key(from);
        let left: Vec<_> = LEFT.iter().filter(|(from, ..)| of_crate(from)).collect();
        for (from, to, _) in &left {
            let named = arrows.get_mut(*from).is_some_and(|named| named.remove(*to));
            assert!(named, "{from} no longer names {to}: take it from the list");
        }
        for (from, to, _) in &left {
            assert!(
                way(&arrows, to, from).is_some(),
                "{from} may name {to} without a circle: take it from the list"
            );
        }
        broken.extend(circles(&arrows));
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn a_circle_is_found_wherever_it_passes_and_one_within_a_room_or_a_test_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    // A parent and its child, and a test that names what it tests with.
    write("lib.rs", "mod a; mod b; mod c; mod d; pub use a::A; pub use d::x::X;");
    write("d/mod.rs", "pub mod x; use x::X; pub struct D(X);");
    write("d/x.rs", "use super::D; pub struct X(Box<D>);");
    write("a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::c::C; }");
    write("b.rs", "/// [`crate::c`]\npub struct B(crate::A, crate::a::A, &'static str);");
    write("c.rs", "use super::b::{self, B}; pub struct C(B, b::B);");
    let of = || arrows("made_up", folder.path());
    assert_eq!(circles(&of()), Vec::<String>::new());
    assert_eq!(way(&of(), "made_up::c", "made_up::a").unwrap().len(), 3);
    write("a.rs", "pub struct A; fn f() { let _: Option<super::d::x::X>; }");
    write("d/x.rs", "use crate::{c::C, d::D}; pub struct X(Box<D>, C);");
    let found = circles(&of()).join("\n");
    let group = "in a group of 4: made_up::a, made_up::b, made_up::c, made_up::d::x";
    assert!(
        found.starts_with("made_up::a -> made_up::d::x -> made_up::c -> made_up::b -> "),
        "{found}"
    );
    assert!(found.contains(group), "{found}");
}
