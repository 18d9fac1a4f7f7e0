//! The profiles of a config: what each changes, and which other profile it inherits from.

use std::path::Path;

use toml::{Table, Value};

use crate::error::{Error, Result};

/// The key with which a profile names the profile whose changes are applied before its own.
const INHERITS: &str = "inherits";

/// What `profile` and everything that it inherits from change, in the order in which it is applied.
///
/// # Errors
/// When there is no such profile, or when it inherits from itself.
pub(super) fn lineage(
    file: &Path,
    profiles: &Table,
    profile: &str,
) -> Result<Vec<(String, Table)>> {
    let refused = |what: String| Error::usage(format!("{}: {what}", file.display()));
    let mut found: Vec<(String, Table)> = Vec::new();
    let mut next = Some(profile.to_owned());
    while let Some(name) = next {
        if found.iter().any(|(before, _)| *before == name) {
            return Err(refused(format!("profile `{profile}` inherits from itself"))
                .help(format!("name another profile in `profiles.{name}.{INHERITS}`")));
        }
        let Some(Value::Table(changes)) = profiles.get(&name) else {
            let names: Vec<_> = profiles.keys().map(String::as_str).collect();
            return Err(refused(format!("no profile `{name}`"))
                .help(format!("it has: {}", names.join(", "))));
        };
        let mut changes = changes.clone();
        next = match changes.remove(INHERITS) {
            None => None,
            Some(Value::String(parent)) => Some(parent),
            Some(_) => {
                let key = format!("profiles.{name}.{INHERITS}");
                return Err(refused(format!("`{key}`: expected the name of a profile"))
                    .help(format!("such as `{INHERITS} = \"desk\"`")));
            }
        };
        found.push((name, changes));
    }
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[desk]\nsplits = 8\nrows = 100\n[recorded]\ninherits = \"desk\"\nsplits = 20\n\
                        [odd]\ninherits = 3\n[a]\ninherits = \"b\"\n[b]\ninherits = \"a\"\n[c]\ninherits = \"d\"\n";

    fn of(profile: &str) -> Result<Vec<(String, Table)>> {
        let profiles = TEXT.parse::<Table>().expect("it is TOML");
        lineage(Path::new("c.toml"), &profiles, profile)
    }

    #[test]
    fn a_profile_changes_what_it_inherits() {
        let found = of("recorded").expect("both are there");
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["desk", "recorded"]);
        assert!(found.iter().all(|(_, changes)| !changes.contains_key(INHERITS)));
    }

    #[test]
    fn what_cannot_be_inherited_is_refused() {
        for (profile, message) in [
            ("a", "profile `a` inherits from itself"),
            ("c", "no profile `d`"),
            ("odd", "`profiles.odd.inherits`: expected the name of a profile"),
        ] {
            let error = of(profile).expect_err("it must be refused");
            assert_eq!(error.to_string(), format!("c.toml: {message}"));
            assert!(error.remedy().is_some());
        }
    }
}
