//! Expands the config to the stages.

use kit::{
    data_sets::source,
    port::In,
    wire::{self, Handle, Wire, gather_any, numbered},
};
use pipeline::{config::Config, error::Result, graph::Builder, seed::Seed, stage::Stage};

use super::{
    config::{CompareConfig, data},
    external, list, multi_fidelity,
    stages::{
        aggregates::Aggregates,
        anytime::Anytime,
        pairs::Pairs,
        rising_curves::RisingCurves,
        running_time::RunningTime,
        standings::Standings,
        subset_optimum::SubsetOptimum,
        tune::{MAIN, OVERHEAD},
    },
    tables::Trace,
};

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = CompareConfig::read(config)?;
    for task in &values.tasks {
        source::add(builder, data(task), task)?;
    }
    for id in &values.curves {
        let name = format!("compare/curves/{id}");
        source::add(builder, name.as_str(), id)?;
        let divisors = values.divisors.clone();
        let subsets = format!("compare/subset-optimum/{id}");
        wire::curves(builder.add(subsets, &SubsetOptimum { divisors })?, &name);
        let rising = format!("compare/rising-curves/{id}");
        let seed = Seed::new(values.root_seed, &rising, 0);
        let draft = builder.add(rising, &RisingCurves { margin: values.margin })?.seed(seed);
        wire::curves(draft, &name);
    }
    multi_fidelity::expand::expand(config, &values, builder)?;
    let (mut traces, mut overheads) = (Vec::new(), Vec::new());
    for listed in values.tuners.iter().filter_map(|name| list::find(name)) {
        for task in &values.tasks {
            for first in (0..values.runs).step_by(values.runs_per_stage as usize) {
                let cell = values.cell(task, first, values.runs);
                let name = format!("compare/{}/{task}/first={first}", listed.name);
                // The same for all tuners and all groups of runs: a stage names its random numbers by the run.
                let seed = Seed::new(values.root_seed, &format!("compare/{task}"), 0);
                let draft = (listed.add)(builder, name, cell)?.seed(seed);
                wire::benchmark(draft, &data(task));
                traces.push(draft.gives(&MAIN));
                overheads.push(draft.gives(&OVERHEAD));
            }
        }
    }
    let traces = gather_any(builder, "compare/traces", &MAIN, numbered(traces))?;
    gather_any(builder, "compare/overheads", &OVERHEAD, numbered(overheads))?;
    external::expand::expand(config, &values, builder, &traces)?;
    let CompareConfig { evaluations, resamples, rope, targets, root_seed, .. } = values;
    let mut over = Over { builder, traces, root_seed };
    over.add("standings", &Standings {}, &Standings::TRACES)?;
    over.add("anytime", &Anytime { evaluations, resamples }, &Anytime::TRACES)?;
    over.add("aggregates", &Aggregates { resamples }, &Aggregates::TRACES)?;
    over.add("running-time", &RunningTime { targets }, &RunningTime::TRACES)?;
    over.add("pairs", &Pairs { rope }, &Pairs::TRACES)
}

/// The statistics over all runs.
struct Over<'a, 'k> {
    builder: &'a mut Builder<'k>,
    traces: Handle<Trace>,
    root_seed: u64,
}

impl Over<'_, '_> {
    /// Adds the stage `compare/NAME`, which reads the runs as `input`.
    fn add<S: Stage>(&mut self, name: &str, stage: &S, input: &In<Trace>) -> Result<()> {
        let name = format!("compare/{name}");
        let seed = Seed::new(self.root_seed, &name, 0);
        self.builder.add(name, stage)?.seed(seed).reads(input, &self.traces);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        path::Path,
    };

    use pipeline::{graph::Graph, registry::Kinds};

    use super::*;

    fn graph(profile: &str, set: Option<(&str, &str)>) -> Result<Graph> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/compare.toml");
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

    /// Whether a stage is a cell of tuner and tabular benchmark.
    fn is_cell(node: &pipeline::graph::Node) -> bool {
        node.kind.starts_with("compare/tune-") && !node.kind.starts_with("compare/tune-parts-")
    }

    #[test]
    fn every_tuner_meets_every_task() {
        for profile in ["smoke", "desk", "paper"] {
            let graph = graph(profile, None).unwrap();
            let nodes = || graph.order().iter().map(|&id| &graph[id]);
            let tunes = nodes().filter(|node| is_cell(node));
            let cells: BTreeSet<_> = tunes
                .map(|node| node.name.rsplit_once('/').expect("runs are the last part").0)
                .collect();
            let data = nodes().filter(|node| node.kind == "data/benchmark").count();
            let tuners: BTreeSet<_> = cells.iter().map(|cell| cell.split('/').nth(1)).collect();
            assert_eq!(cells.len(), data * tuners.len(), "{profile}");
            assert_eq!(data, if profile == "smoke" { 2 } else { 15 }, "{profile}");
        }
        let all = graph("desk", None).unwrap();
        for listed in list::TUNERS {
            let kind = format!("compare/tune-{}", listed.name);
            assert!(all.order().iter().any(|&id| all[id].kind == kind), "{kind} is not compared");
        }
    }

    /// What decides the results of the cells: parameters, seed, and the stages that they read.
    fn cells(graph: &Graph) -> BTreeMap<String, String> {
        let nodes = graph.order().iter().map(|&id| &graph[id]);
        let cell = |node: &pipeline::graph::Node| {
            let read: Vec<&str> = node.inputs.iter().map(|edge| &*graph[edge.from].name).collect();
            (node.name.clone(), format!("{} {:?} {read:?}", node.params, node.seed))
        };
        nodes.filter(|node| is_cell(node)).map(cell).collect()
    }

    #[test]
    fn another_tuner_leaves_the_cells_of_the_others_as_they_are() {
        let all = cells(&graph("desk", None).unwrap());
        let fewer = cells(&graph("desk", Some(("    \"turbo\",\n", ""))).unwrap());
        let (own, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            all.into_iter().partition(|(name, _)| name.starts_with("compare/turbo/"));
        assert_eq!(others, fewer);
        assert_eq!(own.len() * (list::TUNERS.len() - 1), others.len());
    }

    #[test]
    fn curves_are_read_where_they_are_given() {
        for (profile, expected) in [("desk", 3), ("smoke", 0)] {
            let graph = graph(profile, None).unwrap();
            let kinds = ["data/curves", "compare/subset-optimum", "compare/rising-curves"];
            let own = graph.order().iter().filter(|&&id| kinds.contains(&graph[id].kind));
            assert_eq!(own.count(), expected, "{profile}");
            let nodes = || graph.order().iter().map(|&id| &graph[id]);
            let tunes = nodes().filter(|node| node.kind.starts_with("compare/tune-parts-")).count();
            let expected = if expected == 0 { 0 } else { multi_fidelity::list::TUNERS.len() };
            assert_eq!(tunes, expected, "{profile}");
        }
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_key() {
        for (from, to, expected) in [
            ("\"random\"", "\"rondom\"", "no tuner `rondom`; there are random, "),
            ("\"fcnet-naval-propulsion\"", "\"iris\"", "`iris` is no tabular benchmark"),
            ("\"tpe\"", "\"random\"", "each once"),
            ("rope = 0.01", "rope = nan", "rope"),
            ("targets = [0.1", "targets = [0.0", "targets"),
            ("\"lcdb-accuracy\"", "\"iris\"", "`iris` is no set of learning curves"),
            ("divisors = [2", "divisors = [0", "divisors"),
            ("margin = 0.01", "margin = -1.0", "margin"),
            ("\"asha\"", "\"pasha\"", "no tuner `pasha`; there are random, "),
            ("\"asha\"", "\"bohb\"", "each name once"),
            ("eta = 3", "eta = 1", "multi-fidelity.eta"),
            ("parts = 4", "parts = 0", "multi-fidelity.parts"),
            ("parts = 4", "parts = 99", "multi-fidelity.parts"),
            ("spent = [1, 2", "spent = [2, 1", "multi-fidelity.spent"),
        ] {
            let error = graph("desk", Some((from, to))).map(drop).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("compare.toml"), "{error}");
        }
    }
}
