//! Edits of a small crate, by content: which modules' digests change.

use std::{collections::BTreeSet, fs};

use codehash::{Crate, Digests, Modules, digests};

const LOCK: &str = r#"
[[package]]
name = "published-own"
version = "0.1.0"
dependencies = ["fast-math", "rand 0.9.0"]
[[package]]
name = "above"
version = "0.1.0"
dependencies = ["rand 0.8.0"]
[[package]]
name = "fast-math"
version = "1.2.3"
[[package]]
name = "rand"
version = "0.8.0"
[[package]]
name = "rand"
version = "0.9.0"
"#;

const FILES: [(&str, &str); 10] = [
    (
        "own/lib.rs",
        "pub mod shared; pub mod tuners; pub mod stage_a; pub mod stage_b; pub mod late;",
    ),
    ("own/shared.rs", "/// Doc.\npub fn half(x: f64) -> f64 { x / 2.0 }"),
    ("own/tuners/mod.rs", "pub mod grid; pub mod random;"),
    ("own/tuners/grid.rs", "use crate::shared::half;\npub fn grid() -> f64 { half(3.0) }"),
    (
        "own/tuners/random.rs",
        "use fast_math::exp;\npub fn random() -> f64 { rand::draw() + exp(1.0) }",
    ),
    (
        "own/stage_a.rs",
        "use std::fmt;\nuse engine::stage::Stage;\nuse crate::{shared, tuners::grid::{self, grid as run}};\n\
         pub fn a(x: u8, y: u8) -> f64 { run() + shared::half(1.0) }\n\
         #[cfg(test)]\nmod tests { #[test] fn t() {} }",
    ),
    ("own/stage_b.rs", "pub fn b() -> f64 { super::tuners::random::random() }"),
    // Carried out by a crate that depends on this one, which a macro names.
    ("own/stage_c.rs", "carried_out_by!(above::kernel);"),
    (
        "above/kernel.rs",
        "use own::{shared::half, tuners::random};\n\
         pub fn kernel() -> f64 { half(8.0) + rand::draw() + random::random() }",
    ),
    ("engine/stage.rs", "use crate::inner::X; pub trait Stage {}"),
];

/// Digests after replacing `from` by `to` in `file`.
fn after(file: &str, from: &str, to: &str) -> Digests {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in FILES {
        let text = if name == file {
            assert!(text.contains(from), "{from} is not in {file}");
            text.replace(from, to)
        } else {
            text.to_owned()
        };
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    fs::write(dir.path().join("own/late.rs"), "").expect("written");
    fs::write(dir.path().join("above/lib.rs"), "pub mod kernel;").expect("written");
    fs::write(dir.path().join("engine/lib.rs"), "pub mod stage; pub mod inner;").expect("written");
    fs::write(dir.path().join("engine/inner.rs"), "pub struct X;").expect("written");
    let source = |name: &str| dir.path().join(name);
    let (own, above, engine) = (source("own"), source("above"), source("engine"));
    let engine = Crate { name: "engine", package: "engine", source: &engine };
    let own = [
        Crate { name: "own", package: "published-own", source: &own },
        Crate { name: "above", package: "above", source: &above },
    ];
    let modules = |crates: &[Crate<'_>]| Modules::of(crates).expect("parses");
    digests(&modules(&own), &modules(&[engine]), LOCK).expect("parses")
}

/// The stages whose code digest an edit changes.
fn moved(file: &str, from: &str, to: &str) -> BTreeSet<&'static str> {
    let (before, now) = (after("", "", ""), after(file, from, to));
    let stages = ["own::stage_a", "own::stage_b"];
    stages.into_iter().filter(|stage| before[*stage] != now[*stage]).collect()
}

#[test]
fn a_tuner_reruns_the_stages_that_reach_it() {
    assert_eq!(moved("own/tuners/grid.rs", "half(3.0)", "half(4.0)"), ["own::stage_a"].into());
    assert_eq!(moved("own/tuners/random.rs", "1.0", "2.0"), ["own::stage_b"].into());
}

#[test]
fn a_crate_above_reruns_what_it_carries_out_and_is_followed_back() {
    let moved = |file: &str, from: &str, to: &str| {
        let (before, now) = (after("", "", ""), after(file, from, to));
        before["own::stage_c"] != now["own::stage_c"]
    };
    assert!(moved("above/kernel.rs", "8.0", "9.0"));
    assert!(moved("own/shared.rs", "2.0", "3.0"));
    assert!(!moved("own/tuners/grid.rs", "3.0", "4.0"));
}

#[test]
fn a_shared_function_reruns_all_that_reach_it_at_any_depth() {
    assert_eq!(moved("own/shared.rs", "2.0", "3.0"), ["own::stage_a"].into());
}

#[test]
fn comments_layout_import_order_and_tests_rerun_nothing() {
    let nothing = BTreeSet::new();
    assert_eq!(moved("own/shared.rs", "/// Doc.", "// Another.\n/** Block. */"), nothing);
    assert_eq!(moved("own/stage_a.rs", "(x: u8, y: u8)", "(\n    x: u8,\n    y: u8,\n)"), nothing);
    assert_eq!(
        moved(
            "own/stage_a.rs",
            "use std::fmt;\nuse engine::stage::Stage;",
            "use engine::stage::Stage;\nuse std::fmt;"
        ),
        nothing
    );
    assert_eq!(moved("own/stage_a.rs", "fn t() {}", "fn t() { assert!(true) }"), nothing);
    let half = "pub fn half(x: f64) -> f64 { x / 2.0 }";
    let levels = "#[must_use]\n#[expect(clippy::float_cmp, reason = \"exact\")]\n";
    assert_eq!(moved("own/shared.rs", half, &format!("{levels}{half}")), nothing);
    assert_eq!(moved("own/shared.rs", half, &format!("#[cold]\n{half}")), ["own::stage_a"].into());
    let derived = |list: &str| format!("#[derive({list})]\npub struct S {{ x: u8 }}\n{half}");
    let with = |from: &str, to: &str| {
        let of = |list: &str| after("own/shared.rs", half, &derived(list));
        of(from) == of(to)
    };
    assert!(with("Clone, Debug", "Clone, schemars::JsonSchema, Debug"));
    assert!(with("Clone, Debug", "Clone, Debug, schemars::JsonSchema"));
    assert!(!with("Clone, Debug", "Clone, Debug, serde::Serialize"));
    let bare = format!("pub struct S {{ #[schemars(skip)] x: u8 }}\n{half}");
    let plain = format!("pub struct S {{ x: u8 }}\n{half}");
    let described = format!("#[derive(schemars::JsonSchema)]\n{bare}");
    assert_eq!(after("own/shared.rs", half, &described), after("own/shared.rs", half, &plain));
}

#[test]
fn what_a_row_says_of_its_columns_counts() {
    let half = "pub fn half(x: f64) -> f64 { x / 2.0 }";
    let row = |derived: &str, outside: &str, field: &str| {
        let row =
            format!("/// {outside}\n#[derive({derived})]\npub struct S {{\n/// {field}\nx: u8 }}");
        after("own/shared.rs", half, &format!("{row}\n/// Half.\n{half}"))
    };
    for derived in ["Row", "Clone, Row", "kit::row::Row, Clone"] {
        let first = row(derived, "A row.", "the error");
        assert_ne!(first, row(derived, "A row.", "the validation error"), "{derived}");
        assert_eq!(first, row(derived, "Another row.", "the error"), "{derived}");
    }
    assert_eq!(row("Clone", "No row.", "the error"), row("Clone", "No row.", "the loss"));
}

#[test]
fn a_new_module_nobody_names_reruns_nothing() {
    assert_eq!(
        moved("own/tuners/mod.rs", "pub mod random;", "pub mod random; pub mod sobol;"),
        BTreeSet::new()
    );
}

#[test]
fn the_engine_counts_where_it_is_named_and_no_further() {
    assert_eq!(moved("engine/stage.rs", "Stage {}", "Stage { fn f(); }"), ["own::stage_a"].into());
    let reached = &after("", "", "")["own::stage_a"];
    assert!(reached.contains_key("engine::stage") && !reached.contains_key("engine::inner"));
}

#[test]
fn dependencies_count_by_the_version_the_lock_file_gives_this_crate() {
    let reached = &after("", "", "")["own::stage_b"];
    assert_eq!(reached["dependency fast_math"], "1.2.3");
    assert_eq!(reached["dependency rand"], "0.9.0");
    assert!(!after("", "", "")["own::stage_a"].contains_key("dependency rand"));
    // Both, where a stage reaches crates that have different versions.
    assert_eq!(after("", "", "")["own::stage_c"]["dependency rand"], "0.8.0, 0.9.0");
}
