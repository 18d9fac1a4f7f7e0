//! The scheduler on a simulated cluster of a thousand nodes that fail now and then: how close it comes to a bound
//! that no schedule can beat. The stages compute nothing. `tests/bench/scale.sh` measures a million of them.

use pipeline::{
    graph::{Builder, Graph, Node},
    registry::Kinds,
    run::simulate::{Cluster, Outcome, simulate},
    stage::{Context, Needs, Stage, Stop},
    work::{Inputs, Work},
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// A stage that would take this long and this many slots.
#[derive(Serialize, Deserialize)]
struct Idle {
    milliseconds: u64,
    threads: usize,
}

impl Stage for Idle {
    const KIND: &'static str = "idle";
    const MODULE: &'static str = "scale::idle";

    fn needs(&self) -> Needs {
        Needs { threads: self.threads, ..Needs::default() }
    }

    fn run(&self, _: &mut Context) -> Result<(), Stop> {
        Err(Stop::Failed("is never run".to_owned()))
    }
}

impl Work for Idle {
    fn work(&self, _: &Inputs) -> f64 {
        std::time::Duration::from_millis(self.milliseconds).as_secs_f64()
    }
}

fn seconds(node: &Node) -> f64 {
    let stage: Idle = serde_json::from_str(&node.params).expect("its own parameters");
    std::time::Duration::from_millis(stage.milliseconds).as_secs_f64()
}

/// Stages in layers, each reading up to three of the layer before.
fn layers(layers: usize, width: usize, threads: &[usize], rng: &mut ChaCha12Rng) -> Graph {
    let mut kinds = Kinds::default();
    kinds.add::<Idle>(&[]);
    let mut builder = Builder::new(&kinds);
    let mut below = |n: usize| usize::try_from(rng.next_u64() % n as u64).expect("is below");
    for layer in 0..layers {
        for i in 0..width {
            // From a second to two minutes, most of them short.
            let longest = [2_000, 20_000, 120_000][below(3)];
            let milliseconds = 1_000 + below(longest - 1_000) as u64;
            let stage = Idle { milliseconds, threads: threads[below(threads.len())] };
            let draft = builder.add(format!("{layer}/{i}"), &stage).expect("is registered");
            if layer > 0 {
                for role in ["a", "b", "c"] {
                    draft.input(role, format!("{}/{}", layer - 1, below(width)));
                }
            }
        }
    }
    builder.build().expect("has no cycle")
}

fn cluster(nodes: usize, failure_s: Option<f64>) -> Cluster {
    Cluster { nodes, threads: 4, memory_mib: 16_000, gpus: 0, failure_s, repair_s: 300.0 }
}

fn play(graph: &Graph, cluster: &Cluster) -> Outcome {
    let outcome = simulate(graph, &seconds, cluster, &mut ChaCha12Rng::seed_from_u64(9));
    assert!(outcome.makespan_s >= outcome.critical_s, "{outcome:?}");
    assert!(outcome.makespan_s >= outcome.work_s, "{outcome:?}");
    outcome
}

#[test]
fn a_thousand_nodes_that_fail_are_used_well() {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    // Much work for the slots; a long chain; stages of one, two and four threads; hardly any work.
    for (depth, width, threads) in
        [(3, 30_000, &[1][..]), (100, 400, &[1]), (4, 12_000, &[1, 2, 4]), (2, 1_000, &[1])]
    {
        let graph = layers(depth, width, threads, &mut rng);
        let outcome = play(&graph, &cluster(1000, Some(36_000.0)));
        assert!(outcome.ratio() <= 1.3, "{depth} × {width}, {threads:?}: {outcome:?}");
        assert!(outcome.failures > 0 && outcome.starts > graph.len(), "some failed: {outcome:?}");
    }
}

#[test]
fn failures_cost_what_ran_on_the_nodes() {
    let graph = layers(3, 2_000, &[1], &mut ChaCha12Rng::seed_from_u64(2));
    let calm = play(&graph, &cluster(50, None));
    assert_eq!((calm.failures, calm.starts), (0, graph.len()));
    let rough = play(&graph, &cluster(50, Some(3_000.0)));
    assert!(rough.failures > 5 && rough.makespan_s > calm.makespan_s, "{calm:?} {rough:?}");
    // A node runs at most four stages.
    assert!(rough.starts - graph.len() <= 4 * rough.failures, "{rough:?}");
}

#[test]
fn a_chain_takes_as_long_as_it_is() {
    let graph = layers(40, 1, &[1], &mut ChaCha12Rng::seed_from_u64(3));
    let outcome = play(&graph, &cluster(3, None));
    assert!((outcome.makespan_s - outcome.critical_s).abs() < 1e-6, "{outcome:?}");
}

#[test]
fn one_slot_does_all_the_work_without_a_pause() {
    let graph = layers(5, 20, &[1], &mut ChaCha12Rng::seed_from_u64(4));
    let one = Cluster { threads: 1, ..cluster(1, None) };
    let outcome = play(&graph, &one);
    assert!((outcome.makespan_s - outcome.work_s).abs() < 1e-6, "{outcome:?}");
}
