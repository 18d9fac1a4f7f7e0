//! Fuzzing of configs and `--set`.

use std::path::Path;

use pipeline::config::{Config, Override};
use proptest::prelude::*;
use serde::Deserialize;

use crate::{
    fixed,
    spoilt::{pieces, spoilt_text},
};

/// A config like that of a paper.
const SOUND: &str = r#"# A paper [Somebody2020].
root-seed = 20160619        # any number
variants = ["paper", "code"]

[black-box]
grid-points = 10            # section 5
bound = 12.0
tolerances = [1e-1, 1e-2]

[problems.news20]
data-set = "news20"
splits = 20
detail = true

[methods.random]
kind = "random"
range = { low = 0.0, high = 1.0 }

[[classes]]
name = "a"
sizes = [[1, 2], [3, 4]]

[profiles.paper]
[profiles.desk.problems.news20]
splits = 3
[profiles.smoke]
variants = ["paper"]
"#;

const PIECES: [&str; 44] = [
    "\n",
    " ",
    "=",
    ".",
    ",",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "#",
    "\\",
    "\\u0000",
    "\r\n",
    "\t",
    "\u{feff}",
    "a",
    "a.",
    "a = ",
    "a = 1\n",
    "root-seed",
    "profiles",
    "[profiles]\n",
    "[profiles.desk]\n",
    "[profiles.desk.problems.news20]\n",
    "profiles = 1\n",
    "problems",
    "[problems.news20.splits]\n",
    "splits = 1e12\n",
    "0x7fffffffffffffff",
    "nan",
    "-inf",
    "1979-05-27T07:32:00Z",
    "1_000",
    "true",
    "é",
    "[[classes]]\n",
    "{ a = ",
    "x = [",
];

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Typed {
    root_seed: u64,
    variants: Vec<String>,
    black_box: toml::Table,
    problems: std::collections::BTreeMap<String, Problem>,
    methods: toml::Table,
    classes: Vec<toml::Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Problem {
    data_set: String,
    splits: u32,
    detail: bool,
}

/// What was read is used in the way an experiment and `--set` use it.
fn used(mut config: Config) {
    for key in config.keys() {
        // A name may itself contain dots, in which case it is another key.
        assert!(config.has(&key) || key.contains('.'), "{key}");
    }
    named(config.get::<Typed>().map(|typed| format!("{typed:?}")));
    for text in ["root-seed=1", "problems.news20.splits=0x1", "black-box={}", "classes.0.name=1"] {
        named(config.set(&text.parse().expect("well-formed")).map(|()| String::new()));
    }
    named(config.get::<Typed>().map(|typed| format!("{typed:?}")));
}

/// An error says where the problem is, and does not repeat everything that was read.
fn named(result: pipeline::Result<String>) {
    if let Err(error) = result {
        let said = error.to_string();
        assert!(said.starts_with("c.toml") || said.starts_with("--set "), "{said}");
        // What was typed is shown as it was typed; the content of a file is not.
        assert!(said.starts_with("--set ") || !said.contains('\n'), "{said}");
    }
}

fn read(text: &str) {
    for profile in ["desk", "", "profiles", "a.b"] {
        match Config::parse(Path::new("c.toml"), text, profile) {
            Ok(config) => used(config),
            Err(error) => named(Err(error)),
        }
    }
}

#[test]
fn the_sound_config_is_one() {
    let config = Config::parse(Path::new("c.toml"), SOUND, "desk").expect("parses");
    let typed: Typed = config.get().expect("fits");
    assert_eq!(typed.problems["news20"].splits, 3);
    assert_eq!(config.get::<Typed>().expect("fits again"), typed);
    used(config);
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn any_text_is_a_config_or_an_error_with_its_place(text in pieces(&PIECES)) {
        read(&text);
    }

    #[test]
    fn a_spoilt_config_is_a_config_or_an_error_with_its_place(text in spoilt_text(SOUND, &PIECES)) {
        read(&text);
    }

    #[test]
    fn any_override_is_one_or_is_refused(key in pieces(&PIECES), value in pieces(&PIECES)) {
        let mut config = Config::parse(Path::new("c.toml"), SOUND, "desk").expect("parses");
        let keys = config.keys();
        for text in [key.clone(), format!("{key}={value}"), format!("variants={value}")]
            .into_iter()
            .chain(keys.iter().map(|key| format!("{key}={value}")))
        {
            match text.parse::<Override>() {
                Ok(change) => named(config.set(&change).map(|()| String::new())),
                Err(said) => prop_assert_eq!(said, "expected KEY=VALUE"),
            }
        }
        named(config.get::<Typed>().map(|typed| format!("{typed:?}")));
    }
}
