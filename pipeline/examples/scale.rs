//! How the engine scales with the number of stages, from a thousand to a million: building the graph, planning
//! it, and the scheduler's own work for a simulated cluster of a thousand nodes. Prints one line per size:
//! stages, CPU seconds of each part, peak memory in MiB. `cargo run --release --example scale [SIZE…]`.

use std::{error::Error, io::Write};

use pipeline::{
    graph::{Builder, Graph},
    machine::cpu_seconds,
    plan::{Options, Plan},
    registry::Kinds,
    run::simulate::{Cluster, simulate},
    stage::{Context, Stage, Stop},
    store::Store,
    work::{Inputs, Work},
};
use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// As in `retune`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Serialize, Deserialize)]
struct Idle {
    number: usize,
}

impl Stage for Idle {
    const KIND: &'static str = "idle";
    const MODULE: &'static str = "scale::idle";

    fn run(&self, _: &mut Context) -> Result<(), Stop> {
        Err(Stop::Failed("is never run".to_owned()))
    }
}

impl Work for Idle {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }
}

/// Ten layers; stage (l, i) reads (l−1, i) and (l−1, i+1 mod width).
fn graph(stages: usize) -> pipeline::Result<Graph> {
    let mut kinds = Kinds::default();
    kinds.add::<Idle>(&[]);
    let mut builder = Builder::new(&kinds);
    let width = stages / 10;
    let name = |layer: usize, i: usize| format!("scale/layer={layer}/i={i}");
    for layer in 0..10 {
        for i in 0..width {
            let draft = builder.add(name(layer, i), &Idle { number: layer * width + i })?;
            if layer > 0 {
                draft.input("a", name(layer - 1, i));
                draft.input("b", name(layer - 1, (i + 1) % width));
            }
        }
    }
    builder.build()
}

/// Peak memory of this process, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Vec<usize> =
        std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000, 1_000_000] } else { sizes };
    let mut out = std::io::stdout().lock();
    for stages in sizes {
        let dir = tempfile::tempdir()?;
        let start = cpu_seconds();
        let graph = graph(stages)?;
        let build_s = cpu_seconds() - start;
        let store = Store::open(dir.path())?;
        let start = cpu_seconds();
        let plan = Plan::new(&graph, &vec![true; graph.len()], &store, Options::default())?;
        let plan_s = cpu_seconds() - start;
        let counts = plan.counts();
        assert_eq!((counts.stale, counts.waiting), (stages / 10, stages / 10 * 9));
        let cluster = Cluster {
            nodes: 1000,
            threads: 4,
            memory_mib: 16_000,
            gpus: 0,
            failure_s: Some(1e5),
            repair_s: 300.0,
        };
        let start = cpu_seconds();
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let outcome = simulate(&graph, &|_| 60.0, &cluster, &mut rng);
        let schedule_s = cpu_seconds() - start;
        let (peak, ratio, failures) = (peak_mib(), outcome.ratio(), outcome.failures);
        writeln!(
            out,
            "{stages} stages: graph {build_s:.3} s, plan {plan_s:.3} s, schedule {schedule_s:.3} s, \
             {peak} MiB; makespan / bound {ratio:.3} with {failures} failures"
        )?;
    }
    Ok(())
}
