use std::path::Path;

use kit::paper::Values as _;
use pipeline::{config::Config, graph::Graph, registry::Kinds};

use super::*;
use crate::{config::StnConfig, images::search::fixed};

/// The values of a profile, and the stages on images.
fn expanded(profile: &str) -> (ImagesPart, Graph) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let config = Config::read(&root.join("configs/stn.toml"), profile).unwrap();
    let values = StnConfig::read(&config).unwrap().images;
    let mut kinds = Kinds::default();
    kit::kinds(&mut kinds, &[]);
    crate::images::kinds(&mut kinds, &[]);
    let mut builder = Builder::new(&kinds);
    expand(&values, 1, &mut builder).unwrap();
    (values, builder.build().unwrap())
}

#[test]
fn every_method_runs_in_every_replicate() {
    for profile in ["smoke", "desk", "paper"] {
        let (values, graph) = expanded(profile);
        let count = |kind: &str| graph.order().iter().filter(|&&id| graph[id].kind == kind).count();
        let sensitivity = &values.sensitivity;
        let settings = 1
            + sensitivity.schedules.len()
            + sensitivity.scales.len()
            + sensitivity.learned_scales.len();
        let (replicates, extended) =
            (values.replicates as usize, values.extension_replicates as usize);
        let tuned = replicates + extended * (values.tuned.len() - 1);
        let beside = sensitivity.replicates as usize * settings;
        assert_eq!(count("stn/images/tuned"), tuned + beside, "{profile}");
        assert_eq!(count("stn/images/searched"), 3 * replicates + extended, "{profile}");
        assert_eq!(count("stn/images/population"), extended, "{profile}");
        // Claim N11 requires four of each, including the network's own among the schedules.
        assert!(sensitivity.schedules.len() > 2 && sensitivity.scales.len() > 3, "{profile}");
    }
}

#[test]
fn self_tuning_networks_spend_what_searches_may() {
    for profile in ["smoke", "desk", "paper"] {
        let (values, _) = expanded(profile);
        let setting = values.setting();
        for (name, run) in &values.tuned {
            let control = run.control(&setting);
            let costs = Costs::of(&control);
            let epochs = costs.within(&setting, &control, values.allowed());
            let share = costs.epochs(&setting, &control, epochs) / values.allowed();
            let one = costs.epochs(&setting, &control, 1) / values.allowed();
            assert!(share <= 1.0 + 1e-9 && share > 1.0 - 1.1 * one, "{profile} {name}: {share}");
            assert!(epochs <= values.descent.epochs, "{profile} {name}: {epochs}");
        }
        // The members of a population together spend nearly all of it.
        let (plain, members) = (fixed(&[]), values.searches.population.members);
        let epochs = members * values.member_epochs();
        let share = Costs::of(&plain).epochs(&setting, &plain, epochs) / values.allowed();
        assert!(share <= 1.0 + 1e-9 && share > 0.8, "{profile}: {share}");
        // The whole grid is within the budget.
        let grid = values.searches.grid.iter().map(|group| group.levels.len()).product::<usize>();
        assert!(profile == "smoke" || grid as f64 <= values.budget, "{profile}: {grid}");
    }
}

#[test]
fn only_the_authors_code_has_a_factor_in_every_layer_and_validates_on_the_last_images() {
    for profile in ["smoke", "desk", "recorded", "paper"] {
        let (values, graph) = expanded(profile);
        let params = |stage: &str| -> serde_json::Value {
            serde_json::from_str(&graph[graph.find(stage).unwrap()].params).unwrap()
        };
        for method in values.tuned.keys() {
            let training = name(0, method);
            let factor = &params(&training)["setting"]["network"]["dense-factor"];
            let images = &graph[graph.find(&training).unwrap()].inputs[0];
            let validated = &params(&graph[images.from].name)["validated"];
            let expected = if method == "stn-code" { (true, "last") } else { (false, "drawn") };
            assert_eq!((factor, validated), (&expected.0.into(), &expected.1.into()), "{method}");
        }
    }
}

#[test]
fn scales_are_fixed_or_learned_from_several_starts() {
    for profile in ["smoke", "desk", "recorded", "paper"] {
        let (values, graph) = expanded(profile);
        let base = &values.tuned[MAIN];
        let runs: Vec<(String, TunedRun)> = values.sensitivity.runs(base);
        let mut scales: Vec<&str> =
            runs.iter().filter_map(|run| run.0.strip_prefix("scale ")).collect();
        let own = base.scale_name();
        scales.extend(own.strip_prefix("scale "));
        scales.sort_unstable();
        scales.dedup();
        let starts = ["0.1", "0.25", "0.5", "1"];
        let learned = starts.map(|start| format!("learned from {start}"));
        assert_eq!(scales, [starts.map(str::to_owned), learned].concat(), "{profile}");
        assert!(graph.find("stn/images/replicate=0/scale=learned-from-0.25").is_ok(), "{profile}");
    }
}
