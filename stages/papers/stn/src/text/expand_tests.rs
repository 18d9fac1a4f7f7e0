use std::path::Path;

use kit::paper::Values as _;
use pipeline::{config::Config, graph::Graph, registry::Kinds};

use super::*;
use crate::config::StnConfig;

/// The values of a profile, and the stages on texts.
fn expanded(profile: &str) -> (Text, Graph) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let config = Config::read(&root.join("configs/stn.toml"), profile).unwrap();
    let values = StnConfig::read(&config).unwrap().text;
    let mut kinds = Kinds::default();
    kit::kinds(&mut kinds, &[]);
    crate::text::kinds(&mut kinds, &[]);
    let mut builder = Builder::new(&kinds);
    expand(&values, 1, &mut builder).unwrap();
    (values, builder.build().unwrap())
}

fn trainings(graph: &Graph, within: &str) -> usize {
    let own = graph.order().iter().map(|&id| &graph[id]);
    own.filter(|n| n.kind == "stn/text/train" && n.name.contains(within)).count()
}

#[test]
fn every_training_is_made_once() {
    for profile in ["smoke", "desk", "paper"] {
        let (values, graph) = expanded(profile);
        let replicates = values.replicates as usize;
        let Text { output, seven, sensitivity, dropouts, variants, other, .. } = &values;
        // Perturbed in two ways, the final value, the schedule and the greedy one.
        let own = output.fixed.len() + 1 + output.starts.len() + 5;
        assert_eq!(trainings(&graph, "/output/"), replicates * own, "{profile}");
        let grid = dropouts.input.len() * dropouts.output.len();
        assert_eq!(
            trainings(&graph, "/dropouts/"),
            dropouts.replicates as usize * grid,
            "{profile}"
        );
        let replicates = seven.replicates as usize;
        assert_eq!(trainings(&graph, "/gp-ei/"), replicates * seven.budget, "{profile}");
        assert_eq!(trainings(&graph, "/random/"), replicates * seven.budget, "{profile}");
        // The schedule and the scale of the headline are among those of appendix H.
        let ways = 1 + variants.len() + sensitivity.schedules.len() + sensitivity.scales.len() - 2;
        let searched = ["/gp-ei/", "/random/", "/grid/", "/hyperband/"];
        let searched: usize = searched.iter().map(|method| trainings(&graph, method)).sum();
        let seven = trainings(&graph, "/seven/");
        assert_eq!(seven - searched, replicates * ways, "{profile}");
        assert!(sensitivity.schedules.len() >= 4 && sensitivity.scales.len() >= 4);
        let more = other.replicates as usize * (other.fixed.len() + 1);
        assert_eq!(trainings(&graph, &format!("/{}/", other.data_set)), more, "{profile}");
    }
}

#[test]
fn variants_differ_from_the_headline_as_the_public_code_and_the_successor_do() {
    for profile in ["smoke", "desk", "paper"] {
        let (values, _) = expanded(profile);
        let Text { network, descent, tuning, .. } = values;
        let [code, successor] = values.variants.as_slice() else { panic!("two variants") };
        assert_eq!((code.network.tied, code.network.penalised), (true, true));
        let own =
            models::neural::language::Language { tied: false, penalised: false, ..code.network };
        assert_eq!(own, network, "{profile}");
        assert_eq!(code.descent.decay.patience, 20);
        assert_eq!(
            (code.descent.learning_rate, code.descent.epochs),
            (descent.learning_rate, descent.epochs)
        );
        assert_eq!((successor.network, successor.descent), (network, descent), "{profile}");
        assert_eq!(
            (code.tuning.learning_rate, successor.tuning.learning_rate),
            (tuning.learning_rate, tuning.learning_rate)
        );
    }
}

#[test]
fn only_what_changes_a_result_makes_another_size() {
    let (desk, paper) = (expanded("desk").0, expanded("paper").0);
    assert!(scaled_down(&paper, &paper).is_empty());
    assert_eq!(scaled_down(&desk, &paper), CLAIMS);
    let elsewhere = Text { device: models::neural::residual::Device::Cpu, ..paper.clone() };
    assert!(scaled_down(&elsewhere, &paper).is_empty());
}

#[test]
fn the_race_by_time_reads_the_times_of_all_its_trainings() {
    for profile in ["smoke", "desk", "paper"] {
        let (_, graph) = expanded(profile);
        let inputs = |stage: &str| graph[graph.find(stage).unwrap()].inputs.iter();
        let raced = inputs("stn/text/figures/race").filter(|edge| edge.output == "cost");
        let raced: Vec<_> = raced.map(|edge| edge.from).collect();
        let timed = inputs("stn/text/figures/times").filter(|edge| edge.output == "times");
        assert_eq!(timed.map(|edge| edge.from).collect::<Vec<_>>(), raced, "{profile}");
        assert!(raced.len() > 10, "{profile}");
    }
}
