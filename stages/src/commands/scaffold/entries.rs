//! Adds a paper to the files that list papers: the registry, the program's manifest, `Cargo.lock`. Entries
//! are sorted by name.

use pipeline::error::{Error, Result};

use super::{LOCK, MANIFEST, REGISTRY};

/// The registry's text with the additional paper `name`, whose experiment is the type `kind`.
///
/// # Errors
/// If the text has no entry that can serve as a pattern.
pub(super) fn registered(text: &str, name: &str, kind: &str) -> Result<String> {
    let entry = [
        "        Paper {".to_owned(),
        format!("            experiment: Box::new(Of({name}::{kind})),"),
        format!("            kinds: paper::kinds::<{name}::{kind}>,"),
        format!("            schema: of::<{name}::config::{kind}Config>,"),
        format!("            name: \"{kind}\","),
        "            title: \"TITLE\",".to_owned(),
        "            citation: None,".to_owned(),
        "        },".to_owned(),
    ];
    // The schema is the third field of an entry, three lines below its beginning.
    inserted(text, REGISTRY, name, ("            schema: of::<", "::"), 3, &entry)
}

/// The program's manifest with an additional dependency on the paper `name`.
///
/// # Errors
/// If no paper is named there.
pub(super) fn depended(text: &str, name: &str) -> Result<String> {
    let entry = [format!("{name} = {{ path = \"papers/{name}\" }}")];
    inserted(text, MANIFEST, name, ("", " = { path = \"papers/"), 0, &entry)
}

/// Whether the lock file has a package of this name.
pub(super) fn has_package(lock: &str, name: &str) -> bool {
    lock.lines().any(|line| line == format!("name = \"{name}\""))
}

/// The lock file with the additional package `name`, whose manifest is given, as cargo itself would write it,
/// so that builds that must not change the lock file still work.
///
/// # Errors
/// If the manifest requires a package that no crate of ours uses, or the program's entry is not found.
pub(super) fn locked(lock: &str, name: &str, manifest: &str) -> Result<String> {
    let broken = |what: &str| {
        Error::usage(format!("{LOCK}: {what}")).help("run `cargo build` once without `--locked`")
    };
    let named = dependencies(manifest);
    let mut own = Vec::new();
    for wanted in &named {
        // Some of our crates are published, under names with a prefix.
        let published = format!("retune-{wanted}");
        let is = |name: &str| ours(lock).find(|entry| entry.split(' ').next() == Some(name));
        let entry = is(wanted).or_else(|| is(&published));
        own.push(entry.ok_or_else(|| broken(&format!("no crate of ours is built on {wanted}")))?);
    }
    own.sort_unstable();
    let listed: String = own.iter().map(|entry| format!(" \"{entry}\",\n")).collect();
    let block = format!("name = \"{name}\"\nversion = \"0.1.0\"\ndependencies = [\n{listed}]\n");
    let mut blocks: Vec<String> = lock.split("[[package]]\n").map(str::to_owned).collect();
    let program = blocks.iter_mut().find(|block| block.starts_with("name = \"stages\"\n"));
    let program = program.ok_or_else(|| broken("the program's own entry is not there"))?;
    let mut lines: Vec<&str> = program.lines().collect();
    let line = format!(" \"{name}\",");
    let at = lines.iter().position(|l| l.starts_with(" \"") && *l > line.as_str());
    let at = at.or_else(|| lines.iter().position(|l| *l == "]"));
    lines.insert(at.ok_or_else(|| broken("the program is built on nothing"))?, &line);
    *program = lines.join("\n") + "\n";
    let key = |block: &str| block.split('"').nth(1).unwrap_or_default().to_owned();
    // The first block is the header of the file.
    let at = (1..blocks.len()).find(|&i| key(&blocks[i]).as_str() > name);
    if let Some(at) = at {
        blocks.insert(at, block + "\n");
    } else {
        if let Some(last) = blocks.last_mut() {
            last.push('\n');
        }
        blocks.push(block);
    }
    Ok(blocks.join("[[package]]\n"))
}

/// The names of the dependencies in a manifest of a crate of ours.
fn dependencies(manifest: &str) -> Vec<&str> {
    let table = manifest.split("[dependencies]\n").nth(1).unwrap_or_default();
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|n| !n.is_empty()).collect()
}

/// The dependencies of our crates, which have no source: `name`, or `name version` if the lock file has
/// several versions.
fn ours(lock: &str) -> impl Iterator<Item = &str> {
    let blocks = lock.split("[[package]]\n").filter(|block| !block.contains("\nsource = "));
    let lines = blocks.flat_map(str::lines);
    lines.filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","))
}

/// `text` with `new` inserted before the first entry whose name is after `name`, or after the last entry. An
/// entry begins `above` lines before a line with a name between `marks`, and is as long as `new`.
fn inserted(
    text: &str,
    file: &str,
    name: &str,
    marks: (&str, &str),
    above: usize,
    new: &[String],
) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let own = |text: &str| {
        let (inner, _) = text.strip_prefix(marks.0)?.split_once(marks.1)?;
        Some(inner.to_owned())
    };
    let places: Vec<(usize, String)> =
        lines.iter().enumerate().filter_map(|(at, text)| Some((at, own(text)?))).collect();
    let Some((last, _)) = places.last() else {
        let (before, after) = marks;
        return Err(Error::usage(format!("{file} has no line `{before}NAME{after}`"))
            .help("add the paper there by hand, as ARCHITECTURE.md says"));
    };
    let next = places.iter().find(|(_, other)| other.as_str() > name);
    let at = next.map_or(last + new.len(), |(at, _)| *at) - above;
    lines.splice(at..at, new.iter().cloned());
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn text(file: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        fs::read_to_string(root.join(file)).unwrap()
    }

    #[test]
    fn the_registry_and_the_manifest_get_entries_in_their_order() {
        let (registry, manifest) = (text(REGISTRY), text(MANIFEST));
        let names = |text: &str, before: &str, after: &str| -> Vec<String> {
            let found = text.lines().filter_map(|line| line.strip_prefix(before));
            found.filter_map(|rest| Some(rest.split_once(after)?.0.to_owned())).collect()
        };
        for (name, kind) in [("aaa", "Aaa"), ("hoag_two", "HoagTwo"), ("zzz_9", "Zzz9")] {
            let new = registered(&registry, name, kind).unwrap();
            let entry = format!(
                "        Paper {{\n            experiment: Box::new(Of({name}::{kind})),\n            kinds: \
                 paper::kinds::<{name}::{kind}>,\n            schema: of::<{name}::config::{kind}Config>,\n            \
                 name: \"{kind}\",\n            title: \"TITLE\",\n            citation: \
                 None,\n        }},\n"
            );
            // Nothing else has changed, and the entry is between other entries.
            assert_eq!(new.replacen(&entry, "", 1), registry);
            // So its stages run in the sandbox until its code has been reviewed.
            let ours = new.lines().find(|line| line.starts_with("const OURS: ")).unwrap();
            assert!(ours.contains("\"hoag\"") && !ours.contains(&format!("\"{name}\"")));
            let found = names(&new, "            schema: of::<", "::");
            assert!(found.is_sorted() && found.iter().any(|n| n == name), "{found:?}");
            let before = new.split(&entry).next().unwrap_or_default();
            assert!(before.ends_with("        },\n") || before.ends_with("    vec![\n"), "{name}");

            let new = depended(&manifest, name).unwrap();
            let line = format!("{name} = {{ path = \"papers/{name}\" }}\n");
            assert_eq!(new.replacen(&line, "", 1), manifest);
            let found = names(&new, "", " = { path = \"papers/");
            assert!(found.is_sorted() && found.iter().any(|n| n == name), "{found:?}");
        }
        assert!(registered("fn main() {}\n", "x", "X").unwrap_err().remedy().is_some());
    }

    /// An existing paper that is removed from the lock file and added again gives the text that cargo wrote.
    #[test]
    fn the_lock_file_is_as_cargo_writes_it() {
        let lock = text(LOCK);
        for name in ["harmonica", "hoag", "smoothie"] {
            let manifest = text(&format!("stages/papers/{name}/Cargo.toml"));
            let block = format!("[[package]]\nname = \"{name}\"\n");
            let start = lock.find(&block).unwrap();
            let end = start + lock[start..].find("\n\n").unwrap() + 2;
            let without = format!("{}{}", &lock[..start], &lock[end..]);
            let program = without.find("name = \"stages\"\n").unwrap();
            let (before, after) = without.split_at(program);
            let without = before.to_owned() + &after.replacen(&format!(" \"{name}\",\n"), "", 1);
            assert!(!has_package(&without, name) && has_package(&lock, name));
            let found = locked(&without, name, &manifest).unwrap();
            let other = found.lines().zip(lock.lines()).find(|(found, cargo)| found != cargo);
            assert_eq!(other, None, "{name}");
            assert_eq!(found.len(), lock.len(), "{name}");
        }
        let error = locked(&lock, "x", "[dependencies]\nabsent = \"1\"\n").unwrap_err();
        assert!(error.to_string().contains("absent"), "{error}");
    }
}
