//! Programs of workers: another one must exist, its process serves one stage after another, and a stage that kills it
//! harms no other stage; the own one may be replaced during a run.

use std::{collections::BTreeSet, fs, process::Stdio};

use crate::world::{Ran, World, program, set, wait_until};

/// A world whose stages `toy/odd/0`, `toy/odd/1`, … are for another program, beside copies of both.
fn world(does: &[&str], timeout_s: u64) -> World {
    let world = World::new();
    for (i, does) in does.iter().enumerate() {
        world.add_odd(&i.to_string(), does, timeout_s, 0);
    }
    for name in ["toy", "toy-abroad"] {
        // A link, if possible: a file that was open for writing while another test started a process may be busy.
        let path = world.path(name);
        fs::hard_link(program(), &path)
            .or_else(|_| fs::copy(program(), &path).map(drop))
            .expect("linked or copied");
    }
    world
}

fn run(world: &World, jobs: &str) -> Ran {
    let args = ["run", "--log-format", "json", "--jobs", jobs, "toy/odd"];
    let mut command = world.command_of(&world.path("toy"), &args);
    World::finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts"))
}

/// The processes in which stages of the other program began, by stage.
fn processes(world: &World) -> Vec<(String, String)> {
    let trace = world.trace();
    let starts = trace.iter().filter_map(|line| line.strip_prefix("start toy/odd/"));
    let words = starts.filter(|line| !line.contains("after") && !line.contains("anyway"));
    words.filter_map(|line| line.split_once(' ')).map(|(a, b)| (a.into(), b.into())).collect()
}

#[test]
fn without_the_program_its_stages_are_unavailable() {
    let world = World::odd("abroad", 60, 0);
    let ran = world.good_run(&[]);
    assert_eq!(ran.summary("unavailable"), set(["toy/odd/x"]));
    let why = world.toy(&["why", "toy/odd/x"]).stdout;
    assert!(why.contains("needs the program") && why.contains("toy-abroad"), "{why}");
    assert!(why.contains("remedy: `make abroad` builds it"), "{why}");
}

#[test]
fn one_process_serves_many_stages() {
    let world = world(&["abroad"; 6], 60);
    assert_eq!(run(&world, "1").ended.code, 0);
    let found = processes(&world);
    let ids: BTreeSet<_> = found.iter().map(|(_, id)| id.clone()).collect();
    // The six stages do the same without inputs, but have different keys because of their flags' names.
    assert_eq!((found.len(), ids.len()), (6, 1), "{found:?}");
    assert!(!world.someone_works(), "a process outlived the run");
    assert_eq!(world.plan(&[])["toy/odd/0"], "fresh", "which program ran it is not in its key");
}

#[test]
fn a_stage_that_kills_its_process_harms_no_other() {
    let world = world(&["abroad", "abroad abort", "abroad", "abroad panic", "abroad"], 60);
    let ran = run(&world, "1");
    assert_eq!(ran.ended.code, 1);
    assert_eq!(ran.summary("failed"), set(["toy/odd/1", "toy/odd/3"]));
    let told = ran.events.iter().find(|e| e["event"] == "failed" && e["stage"] == "toy/odd/1");
    let told = told.expect("is told")["message"].to_string();
    assert!(told.contains("worker was ended by signal 6"), "{told}");
    let ids: BTreeSet<_> = processes(&world).into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids.len(), 2, "a panic is caught, an abort takes a new process");
    assert!(!world.someone_works(), "a process outlived the run");
}

#[test]
fn a_stage_that_takes_too_long_is_stopped_alone() {
    let world = world(&["abroad sleep", "abroad"], 1);
    let ran = run(&world, "1");
    assert_eq!(ran.summary("failed"), set(["toy/odd/0"]));
    assert!(ran.summary("executed").contains("toy/odd/1"));
}

#[test]
fn a_run_goes_on_with_the_program_that_began_it() {
    let world = world(&["nap", "nap"], 60);
    let mut command = world.command_of(&world.path("toy"), &["run", "--jobs", "1", "toy/odd"]);
    let engine = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    wait_until("the first works", || processes(&world).len() == 1);
    fs::remove_file(world.path("toy")).expect("removed");
    world.write("toy", "what a build has put in its place");
    let ended = World::finish(engine).ended;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(processes(&world).len(), 2, "the second began after the first");
}

#[test]
fn nobody_outlives_an_engine_that_is_killed() {
    let world = world(&["abroad sleep", "abroad sleep"], 60);
    let mut command = world.command_of(&world.path("toy"), &["run", "--jobs", "2", "toy/odd"]);
    let mut engine = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    wait_until("both work", || processes(&world).len() == 2);
    engine.kill().expect("was alive");
    engine.wait().expect("ends");
    wait_until("the workers follow", || !world.someone_works());
}
