//! Which stages are submitted together: stages with the same needs form an array; short ones share a task, one after
//! another, until it takes long enough to be worth starting on the cluster.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    folder::{Array, Entry},
    settings::Settings,
};
use crate::{run::worker, stage::Needs};

/// A stage that waits to be submitted.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) entry: Entry,
    pub(super) needs: Needs,
    pub(super) expected_s: Option<f64>,
}

/// What all stages of an array have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    class: Option<usize>,
    threads: usize,
    memory_mib: u64,
    gpus: usize,
    timed: bool,
}

/// Expected seconds of a light stage about which nothing is known: it is meant to be short. A heavy one is assumed to
/// be long.
const LIGHT_S: f64 = 0.1;

/// Packs stages into arrays, in the order given.
pub(super) fn pack(ready: Vec<Ready>, settings: &Settings) -> Vec<(Shape, Array)> {
    let mut shapes: BTreeMap<Shape, (Vec<Vec<Entry>>, f64)> = BTreeMap::new();
    for Ready { entry, needs, expected_s } in ready {
        let shape = Shape {
            class: settings.class(&needs),
            threads: needs.threads.max(1),
            // Rounded up, so that stages of about the same size are submitted together.
            memory_mib: (needs.memory_mib + settings.program_mib).next_multiple_of(64),
            gpus: needs.gpus,
            timed: needs.timeout_s.is_some(),
        };
        let unknown = if needs.worker { settings.task_seconds } else { LIGHT_S };
        let seconds = expected_s.unwrap_or(unknown);
        let (tasks, filled_s) = shapes.entry(shape).or_default();
        match tasks.last_mut() {
            Some(task) if *filled_s + seconds <= settings.task_seconds => {
                task.push(entry);
                *filled_s += seconds;
            }
            _ => {
                tasks.push(vec![entry]);
                *filled_s = seconds;
            }
        }
    }
    let mut arrays = Vec::new();
    for (shape, (tasks, _)) in shapes {
        for tasks in tasks.chunks(settings.array_tasks) {
            arrays.push((shape.clone(), Array { tasks: tasks.to_vec() }));
        }
    }
    arrays
}

/// The flags of `sbatch` for an array in the folder `dir`.
pub(super) fn flags(
    shape: &Shape,
    array: &Array,
    name: &str,
    dir: &Path,
    settings: &Settings,
) -> Vec<String> {
    let mut flags = vec![
        format!("--job-name={name}"),
        format!("--array=0-{}", array.tasks.len() - 1),
        format!("--output={}", dir.join("out-%a").display()),
        "--open-mode=append".to_owned(),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={}", shape.threads),
        format!("--mem={}", shape.memory_mib),
        // After the failure of a node, it starts again elsewhere.
        "--requeue".to_owned(),
        "--kill-on-invalid-dep=yes".to_owned(),
    ];
    if let Ok(here) = std::env::current_dir() {
        flags.push(format!("--chdir={}", here.display()));
    }
    if shape.gpus > 0 {
        flags.push(format!("--gres=gpu:{}", shape.gpus));
    }
    if let Some(minutes) = settings.minutes(shape.class).or_else(|| minutes(shape, array)) {
        flags.push(format!("--time={minutes}"));
    }
    flags.extend(settings.flags(shape.class));
    flags
}

/// Minutes that the longest task may take if every stage has a time-out, with one to spare.
fn minutes(shape: &Shape, array: &Array) -> Option<u64> {
    let seconds = |task: &Vec<Entry>| task.iter().filter_map(|entry| entry.timeout_s).sum::<u64>();
    let longest = array.tasks.iter().map(seconds).max();
    longest.filter(|_| shape.timed).map(|seconds| seconds.div_ceil(60) + 1)
}

/// The script of each task of an array.
pub(super) fn script(program: &Path, dir: &Path, shape: &Shape) -> String {
    let mut text = "#!/bin/sh\n".to_owned();
    for (name, value) in worker::environment(shape.threads) {
        text.push_str(&format!("export {name}={value}\n"));
    }
    let (program, dir) = (quoted(program), quoted(dir));
    text + &format!("exec {program} exec-stage {dir} --task \"$SLURM_ARRAY_TASK_ID\"\n")
}

/// A path as one word for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// A path that is valid from any folder.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(name: &str, needs: Needs, expected_s: Option<f64>) -> Ready {
        let (attempt, timeout_s) = (name.to_owned(), needs.timeout_s);
        let entry = Entry { attempt, program: None, gpus: needs.gpus, timeout_s };
        Ready { entry, needs, expected_s }
    }

    fn names(array: &Array) -> Vec<Vec<&str>> {
        array.tasks.iter().map(|task| task.iter().map(|e| e.attempt.as_str()).collect()).collect()
    }

    #[test]
    fn short_stages_share_a_task() {
        let settings = Settings { task_seconds: 10.0, ..Settings::default() };
        let light = Needs::default;
        let list = vec![
            ready("a", light(), Some(4.0)),
            ready("b", light(), Some(5.0)),
            ready("c", light(), Some(2.0)),
            ready("long", light(), Some(60.0)),
            ready("d", light(), None),
        ];
        let arrays = pack(list, &settings);
        assert_eq!(arrays.len(), 1);
        assert_eq!(names(&arrays[0].1), [vec!["a", "b"], vec!["c"], vec!["long"], vec!["d"]]);
        // A heavy stage about which nothing is known is alone.
        let heavy = || Needs::worker(8);
        let arrays = pack(vec![ready("x", heavy(), None), ready("y", heavy(), None)], &settings);
        assert_eq!(names(&arrays[0].1), [vec!["x"], vec!["y"]]);
    }

    #[test]
    fn needs_become_flags() {
        let settings = Settings { array_tasks: 2, ..Settings::default() };
        let needs = Needs { threads: 4, gpus: 2, timeout_s: Some(90), ..Needs::worker(1000) };
        let list = (0..3).map(|i| ready(&format!("s{i}"), needs.clone(), Some(60.0))).collect();
        let arrays = pack(list, &settings);
        assert_eq!(arrays.iter().map(|(_, a)| a.tasks.len()).collect::<Vec<_>>(), [2, 1]);
        let (shape, array) = &arrays[0];
        let flags = flags(shape, array, "retune-x", Path::new("dir"), &settings);
        for wanted in ["--array=0-1", "--cpus-per-task=4", "--mem=1152", "--gres=gpu:2", "--time=3"]
        {
            assert!(flags.iter().any(|flag| flag == wanted), "{wanted} in {flags:?}");
        }
        let script = script(Path::new("it's"), Path::new("a b"), shape);
        assert!(script.contains("export RAYON_NUM_THREADS=4\n"), "{script}");
        let last = "exec 'it'\\''s' exec-stage 'a b' --task \"$SLURM_ARRAY_TASK_ID\"\n";
        assert!(script.ends_with(last), "{script}");
    }
}
