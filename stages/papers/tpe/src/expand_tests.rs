//! Tests of the expansion.

use std::path::Path;

use pipeline::{graph::Graph, registry::Kinds};

use super::*;

fn graph(profile: &str, set: Option<(&str, &str)>) -> Result<Graph> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/tpe.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = set.map_or(text.clone(), |(from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    });
    let config = Config::parse(&file, &text, profile)?;
    let mut kinds = Kinds::default();
    kit::kinds(&mut kinds, &[]);
    crate::kinds(&mut kinds, &[]);
    let mut builder = Builder::new(&kinds);
    expand(&config, &mut builder)?;
    builder.build()
}

#[test]
fn every_setting_meets_every_target() {
    for (profile, targets) in [("desk", 48), ("paper", 48)] {
        let graph = graph(profile, None).unwrap();
        let count = |start: &str| {
            graph.order().iter().filter(|&&id| graph[id].name.starts_with(start)).count()
        };
        for study in ["components", "widths"] {
            assert_eq!(count(&format!("tpe/{study}/")) % targets, 1, "{profile} {study}");
        }
        assert_eq!(count("tpe/methods/random/"), targets, "{profile}");
        assert_eq!(count("tpe/methods/recommended/"), 3 * targets, "{profile}");
        assert_eq!(count("tpe/data/"), 12, "{profile}");
        assert_eq!(count("tpe/calibration/"), 14, "{profile}");
        // Seven functions in three sizes.
        assert_eq!(count("tpe/shifted/") % 21, 1, "{profile}");
    }
}

#[test]
fn the_grids_are_the_papers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/tpe.toml");
    let values = TpeConfig::read(&Config::read(&file, "paper").unwrap()).unwrap();
    assert_eq!([false, true].map(|with| values.components.grid.size(with)), [256, 1024]);
    assert_eq!([false, true].map(|with| values.widths.grid.size(with)), [1728, 1728]);
}

#[test]
fn a_wrong_value_is_refused_with_its_key() {
    for (from, to, expected) in [
        ("\"hpobench-mlp-car\"", "\"iris\"", "`iris` is no tabular benchmark"),
        ("\"griewank\"", "\"griewang\"", "griewang"),
        ("evaluations = 200", "evaluations = 0", "evaluations"),
        ("minimum-width = [0.01]", "minimum-width = [nan]", "components.grid"),
    ] {
        let error = graph("paper", Some((from, to))).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("tpe.toml"), "{error}");
    }
}
