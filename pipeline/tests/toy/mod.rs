//! A registry that has nothing to do with hyper-parameters: it shows that the engine does not depend on any paper,
//! and gives tests and benches stages that do exactly what they are told.

mod bulk;
mod trace;
mod work;

use std::{sync::Arc, time::Duration};

use arrow_array::{Int64Array, RecordBatch, cast::AsArray, types::Int64Type};
use pipeline::{
    Result,
    config::Config,
    graph::Builder,
    registry::{Experiment, Kinds, Recording, Registry},
    seed::Seed,
    stage::{Context, Needs, Output, Stage, Stop},
};
use rand::Rng;
use serde::{Deserialize, Serialize};

use self::{bulk::Bulk, trace::Trace};

/// The program's registry.
pub fn registry() -> Registry {
    let mut kinds = Kinds::default();
    kinds.add::<Number>(&[]).add::<Draw>(&[]).add::<Mix>(&[]).add::<Bulk>(&[]).add::<Odd>(&[]);
    kinds.built_by("toy-abroad", "make abroad");
    Registry {
        program: "toy",
        about: "stages that do as they are told",
        default_profile: "full",
        kinds: Arc::new(kinds),
        experiments: vec![Box::new(Toy)],
        trusted: if std::path::Path::new("not-ours").exists() { &[] } else { &["toy"] },
        recording: Recording {
            conclusion: "report",
            meaningless: &["tiny"],
            labels: &[],
            answer: "value",
            keeps: &["report"],
            never: &["number"],
            too_large: &[],
        },
    }
}

/// One value as a table.
fn table(value: i64) -> Result<RecordBatch, Stop> {
    let column = Arc::new(Int64Array::from(vec![value])) as _;
    RecordBatch::try_from_iter([("value", column)]).map_err(|e| Stop::Failed(e.to_string()))
}

fn value(batch: &RecordBatch) -> i64 {
    batch.column(0).as_primitive::<Int64Type>().value(0)
}

/// Reads an integer from a file; white space around it does not matter.
#[derive(Serialize, Deserialize)]
struct Number {}

impl Stage for Number {
    const KIND: &'static str = "number";
    const MODULE: &'static str = "toy::number";

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let _trace = Trace::start(cx);
        let path = cx.files()[0].clone();
        let text = std::fs::read_to_string(&path).map_err(|e| Stop::Failed(e.to_string()))?;
        let number =
            text.trim().parse().map_err(|e| Stop::Failed(format!("{}: {e}", path.display())))?;
        Ok(cx.write("main", &table(number)?)?)
    }
}

/// Adds a random number below `below` to its input.
#[derive(Serialize, Deserialize)]
struct Draw {
    below: i64,
}

impl Stage for Draw {
    const KIND: &'static str = "draw";
    const MODULE: &'static str = "toy::draw";

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let _trace = Trace::start(cx);
        let base = value(&cx.input("number")?);
        let drawn = (cx.rng("draw")?.next_u64() % self.below.unsigned_abs()).cast_signed();
        Ok(cx.write("main", &table(base + drawn)?)?)
    }
}

/// Mixes its inputs by `times` and `plus`, and writes a dummy measurement.
#[derive(Serialize, Deserialize)]
struct Mix {
    times: i64,
    plus: i64,
    worker: bool,
    sleep_ms: u64,
}

impl Stage for Mix {
    const KIND: &'static str = "mix";
    const MODULE: &'static str = "toy::mix";
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::measured("times")];

    fn needs(&self) -> Needs {
        if self.worker { Needs::worker(8) } else { Needs { memory_mib: 1, ..Needs::default() } }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let _trace = Trace::start(cx);
        std::thread::sleep(Duration::from_millis(self.sleep_ms));
        let roles: Vec<String> = cx.roles().map(str::to_owned).collect();
        let mut sum = self.plus;
        for role in roles {
            sum = sum.wrapping_add(value(&cx.input(&role)?)).wrapping_mul(self.times);
        }
        cx.write("main", &table(sum)?)?;
        Ok(cx.write("times", &table(i64::from(std::process::id()))?)?)
    }
}

/// A stage that misbehaves as instructed.
#[derive(Serialize, Deserialize)]
struct Odd {
    does: String,
    timeout_s: u64,
    retries: u32,
    flag: String,
}

impl Odd {
    fn stop(&self, error: &std::io::Error) -> Stop {
        Stop::Failed(format!("{}: {error}", self.flag))
    }
}

impl Stage for Odd {
    const KIND: &'static str = "odd";
    const MODULE: &'static str = "toy::odd";

    fn needs(&self) -> Needs {
        let gpus = usize::from(self.does == "gpu");
        let timeout_s = Some(self.timeout_s);
        let worker = self.does != "peek";
        let program = self.does.starts_with("abroad").then_some("toy-abroad");
        let checkpoints = self.does == "resume";
        let retries = self.retries;
        Needs { timeout_s, retries, gpus, worker, program, checkpoints, ..Needs::worker(8) }
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let _trace = Trace::start(cx);
        match self.does.trim_start_matches("abroad ") {
            "fail" => return Err(Stop::Failed("as told".into())),
            "panic" => panic!("as told"),
            "abort" => std::process::abort(),
            "sleep" => std::thread::sleep(Duration::from_mins(1)),
            "nap" => std::thread::sleep(Duration::from_millis(500)),
            // The first try leaves a mark and fails; the next one finds the mark.
            "flaky" if std::fs::File::create_new(&self.flag).is_ok() => {
                return Err(Stop::Failed("the first time".into()));
            }
            // Reads a file that it does not declare, or writes one where it must not.
            "peek" | "spy" => drop(std::fs::read(&self.flag).map_err(|e| self.stop(&e))?),
            "litter" => std::fs::write(&self.flag, "litter").map_err(|e| self.stop(&e))?,
            "resume" => resume(cx)?,
            // Checks whether it could kill the engine.
            "threaten" => nix::sys::signal::kill(nix::unistd::getppid(), None)
                .map_err(|e| Stop::Failed(e.to_string()))?,
            // Connects to an address; `fetch` has declared that it downloads data.
            dials if dials.starts_with("dial ") || dials.starts_with("fetch ") => {
                let address = dials.split(' ').nth(1).unwrap_or_default();
                std::net::TcpStream::connect(address).map_err(|e| Stop::Failed(e.to_string()))?;
            }
            "absent" if !std::path::Path::new(&self.flag).exists() => {
                return Err(Stop::Unavailable(format!("put a file at {}", self.flag)));
            }
            // Reports how many GPUs it was given.
            "gpu" => {
                let ids = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
                let count = ids.split(',').filter(|id| !id.is_empty()).count();
                return Ok(cx.write("main", &table(i64::try_from(count).unwrap_or(-1))?)?);
            }
            _ => {}
        }
        Ok(cx.write("main", &table(1)?)?)
    }
}

/// Takes three steps, one per attempt, each from the checkpoint of the previous one.
fn resume(cx: &Context) -> Result<(), Stop> {
    let folder = cx.checkpoints().expect("it was declared");
    let steps = std::fs::read_dir(folder).expect("it is there").count();
    if steps < 2 {
        std::fs::write(folder.join(steps.to_string()), "done").expect("it may be written");
        return Err(Stop::Failed(format!("after step {steps}")));
    }
    Ok(())
}

/// The config: `<id>.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    seed: u64,
    below: i64,
    label: i64,
    sets: Vec<String>,
    methods: Vec<i64>,
    splits: u64,
    files: String,
    worker: bool,
    sleep_ms: u64,
    report: String,
    dag: Dag,
    #[serde(default)]
    odd: Vec<OddValues>,
    #[serde(default)]
    cycle: bool,
}

/// The synthetic graph: stage (l, i) reads (l−1, i) and (l−1, i+1 mod width).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dag {
    layers: usize,
    width: usize,
    plus: i64,
    #[serde(default)]
    bulk: Option<BulkValues>,
}

/// Stages of the synthetic graph with artifacts of `rows` to three times as many rows; every `worker_every`-th stage
/// is in a worker.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BulkValues {
    rows: usize,
    worker_every: usize,
    sleep_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OddValues {
    name: String,
    does: String,
    timeout_s: u64,
    retries: u32,
    flag: String,
}

struct Toy;

impl Experiment for Toy {
    fn id(&self) -> &'static str {
        "toy"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        let values: Values = config.get()?;
        if values.below <= 0 {
            return Err(config.invalid("below", "must be positive"));
        }
        let mut results = Vec::new();
        for set in &values.sets {
            let data = format!("toy/{set}/data");
            let file = format!("{}/{set}.txt", values.files);
            builder.add(data.clone(), &Number {})?.file(file);
            for split in 0..values.splits {
                let draw = format!("toy/{set}/draw/split={split}");
                let seed = Seed::new(values.seed, "draw", split);
                builder
                    .add(draw.clone(), &Draw { below: values.below })?
                    .input("number", data.clone())
                    .seed(seed);
                for times in &values.methods {
                    let name = format!("toy/{set}/times-{times}/split={split}");
                    let mix = Mix {
                        times: *times,
                        plus: 0,
                        worker: values.worker,
                        sleep_ms: values.sleep_ms,
                    };
                    builder.add(name.clone(), &mix)?.input("in", draw.clone());
                    results.push(name);
                }
            }
        }
        for odd in &values.odd {
            let OddValues { name, does, timeout_s, retries, flag } = odd;
            let (does, flag) = (does.clone(), flag.clone());
            let name = format!("toy/odd/{name}");
            let fetches = does == "fetch" || does.starts_with("fetch ");
            let odd = Odd { does, timeout_s: *timeout_s, retries: *retries, flag };
            let draft = builder.add(name.clone(), &odd)?;
            if fetches {
                draft.downloads();
            }
            let after = Mix { times: 1, plus: 0, worker: false, sleep_ms: 0 };
            builder.add(format!("{name}/after"), &after)?.input("in", name.clone());
            builder.add(format!("{name}/anyway"), &after)?.read("in", name, "main", true);
        }
        let report = Mix { times: 7, plus: values.label, worker: false, sleep_ms: 0 };
        let draft = builder.add(values.report, &report)?;
        for (i, result) in results.iter().enumerate() {
            draft.input(format!("{i:04}"), result.clone());
        }
        for odd in values.odd.iter().filter(|odd| odd.does == "gpu") {
            draft.read(&*odd.name, format!("toy/odd/{}", odd.name), "main", true);
        }
        if values.cycle {
            draft.input("cycle", "toy/loop");
            builder.add("toy/loop", &report)?.input("in", "toy/report");
        }
        synthetic(&values.dag, &values.files, builder)
    }
}

fn synthetic(dag: &Dag, files: &str, builder: &mut Builder) -> Result<()> {
    let name = |layer: usize, i: usize| format!("toy/dag/layer={layer}/i={i}");
    for layer in 0..dag.layers {
        for i in 0..dag.width {
            if layer == 0 {
                builder.add(name(0, i), &Number {})?.file(format!("{files}/source-{i}.txt"));
                continue;
            }
            let draft = match &dag.bulk {
                None => {
                    let mix = Mix { times: 3, plus: dag.plus, worker: false, sleep_ms: 0 };
                    builder.add(name(layer, i), &mix)?
                }
                Some(BulkValues { rows, worker_every, sleep_ms }) => {
                    let n = layer * dag.width + i;
                    let (rows, worker) = (rows * (1 + n % 3), n.is_multiple_of(*worker_every));
                    let bulk = Bulk { rows, plus: dag.plus, worker, sleep_ms: *sleep_ms };
                    builder.add(name(layer, i), &bulk)?
                }
            };
            draft.input("a", name(layer - 1, i));
            draft.input("b", name(layer - 1, (i + 1) % dag.width));
        }
    }
    Ok(())
}
