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
fn methods_are_run_again_under_other_root_seeds_and_studies_are_not() {
    let names = |profile: &str| -> Vec<String> {
        let graph = graph(profile, None).unwrap();
        graph.order().iter().map(|&id| graph[id].name.clone()).collect()
    };
    for (profile, claims, rivals) in [("desk", 3, 0), ("recorded", 4, 48)] {
        let names = names(profile);
        for root in ["tpe/root=20230422", "tpe/root=20230423"] {
            let count = |what: &str| {
                let start = format!("{root}/{what}/");
                names.iter().filter(|name| name.starts_with(&start)).count()
            };
            assert_eq!(count("calibration"), claims, "{profile}");
            assert_eq!(count("methods/random"), rivals, "{profile}");
            assert_eq!(count("methods/joint-plain"), 48, "{profile}");
            for other in ["data", "components", "widths", "shifted", "runtime", "figures"] {
                assert_eq!(count(other), 0, "{profile} {other}");
            }
        }
    }
    assert!(names("smoke").iter().all(|name| !name.contains("root=")));
}

#[test]
fn methods_and_times_are_recorded_at_the_papers_size() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/tpe.toml");
    let sizes = |profile: &str| {
        let config = Config::read(&file, profile).unwrap();
        criteria(&TpeConfig::read(&config).unwrap(), &config).unwrap()
    };
    let (recorded, desk) = (sizes("recorded"), sizes("desk"));
    for id in ["P1", "P3", "P12", "P13", "P14"] {
        assert!(!recorded.scaled_down(id, &[]), "{id}");
    }
    for id in ["P2", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11"] {
        assert!(recorded.scaled_down(id, &[]), "{id}");
    }
    assert!(desk.scaled_down("P4", &[]) && !desk.scaled_down("P3", &[]));
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
        ("claims = [\"P1\", \"P3\",", "claims = [\"P2\",", "again.claims"),
        ("minimum-width = [0.01]", "minimum-width = [nan]", "components.grid"),
        ("category-width = [{ rule = \"optuna\" }]", "category-width = []", "widths"),
    ] {
        let error = graph("paper", Some((from, to))).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("tpe.toml"), "{error}");
    }
}
