//! Runs that share results through a remote: pulled before they are computed, pushed afterwards, and used only if
//! their content is right.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::world::{Ran, World, set};

const TARGET: &str = "toy/dag";

/// A folder that is a remote; with `S3_TEST_URL`, a part of that bucket is used instead.
struct Shared(TempDir);

impl Shared {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn url(&self) -> String {
        let path = self.0.path().display().to_string();
        std::env::var("S3_TEST_URL").map_or(path.clone(), |bucket| bucket + &path)
    }

    fn run(&self, world: &World, args: &[&str]) -> Ran {
        world.good_run(&[&["--remote", &self.url()], args].concat())
    }

    fn files(&self, below: &str) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.0.path().join(below)).expect("is there").flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).expect("is a folder"));
        files.flatten().map(|file| file.path()).collect()
    }

    fn spoil(&self, below: &str, with: &str) {
        self.files(below).iter().for_each(|file| fs::write(file, with).expect("can be written"));
    }
}

fn warnings(ran: &Ran) -> Vec<String> {
    let events = ran.events.iter().filter(|event| event["event"] == "remote");
    events.map(|event| event["message"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn a_pipe_in_place_of_a_result_is_not_waited_for() {
    let shared = Shared::new();
    if std::env::var_os("S3_TEST_URL").is_some() {
        return; // a server has no pipes
    }
    let (one, other) = (World::new(), World::new());
    shared.run(&one, &[]);
    for result in shared.files("results") {
        fs::remove_file(&result).expect("can be removed");
        nix::unistd::mkfifo(&result, nix::sys::stat::Mode::S_IRWXU).expect("can be made");
    }
    let ran = shared.run(&other, &[]);
    assert!(ran.summary("pulled").is_empty(), "all is computed");
    assert!(warnings(&ran)[0].contains("is not a file"), "{:?}", warnings(&ran));
    assert!(other.artifacts() == one.artifacts());
}

#[test]
fn another_store_pulls_what_one_has_computed() {
    let shared = Shared::new();
    let (one, other) = (World::new(), World::new());
    let computed = shared.run(&one, &[]);
    assert!(computed.summary("pulled").is_empty());
    let pulled = shared.run(&other, &[]);
    assert_eq!(pulled.executed(), set::<&str>([]), "nothing is computed");
    assert_eq!(pulled.summary("pulled"), computed.executed());
    assert!(other.artifacts() == one.artifacts(), "the same bytes");
    assert_eq!(other.toy(&["verify", "--deep"]).code, 0);
    // The remote also knows how it came about.
    let (a, b) =
        (one.toy(&["log", "toy/report", "--json"]), other.toy(&["log", "toy/report", "--json"]));
    assert_eq!(a.stdout, b.stdout);
    assert!(shared.run(&other, &[]).summary("pulled").is_empty(), "once is enough");
}

#[test]
fn only_what_is_missing_is_computed() {
    let shared = Shared::new();
    let (one, other) =
        (World::new(), World::with("layers = 2\nwidth = 2", "layers = 3\nwidth = 2"));
    shared.run(&one, &[TARGET]);
    let ran = shared.run(&other, &[TARGET]);
    assert_eq!(ran.executed(), set(["toy/dag/layer=2/i=0", "toy/dag/layer=2/i=1"]));
    assert_eq!(ran.summary("pulled").len(), 4);
    let forced = shared.run(&other, &["--force", "toy/dag/layer=0/i=0", TARGET]);
    assert_eq!(forced.executed(), set(["toy/dag/layer=0/i=0"]), "what is forced is computed");
}

#[test]
fn workers_push_and_pull_too() {
    let shared = Shared::new();
    let one = World::with("worker = false", "worker = true");
    shared.run(&one, &["toy/a"]);
    let other = World::with("worker = false", "worker = true");
    assert!(shared.run(&other, &["toy/a"]).executed().is_empty());
}

#[test]
fn wrong_content_is_noticed_and_replaced() {
    if std::env::var_os("S3_TEST_URL").is_some() {
        return; // the files of a bucket cannot be spoilt here
    }
    for (below, with, words) in [
        ("objects", "no table", "is missing or corrupt"),
        ("results", "no result", "cannot be read"),
    ] {
        let shared = Shared::new();
        shared.run(&World::new(), &[TARGET]);
        shared.spoil(below, with);
        let other = World::new();
        let ran = shared.run(&other, &[TARGET]);
        assert_eq!(ran.executed().len(), 4, "computed after all");
        assert!(warnings(&ran).iter().all(|said| said.contains(words)), "{:?}", warnings(&ran));
        assert_eq!(warnings(&ran).len(), 4);
        let third = World::new();
        let ran = shared.run(&third, &[TARGET]);
        assert_eq!((ran.executed().len(), warnings(&ran)), (0, vec![]), "it is right again");
    }
}

#[test]
fn a_result_of_another_stage_is_refused() {
    if std::env::var_os("S3_TEST_URL").is_some() {
        return;
    }
    let shared = Shared::new();
    shared.run(&World::new(), &[TARGET]);
    let results = shared.files("results");
    let first = fs::read(&results[0]).expect("is there");
    for file in &results {
        fs::write(file, &first).expect("can be written");
    }
    let world = World::new();
    let ran = shared.run(&world, &[TARGET]);
    assert_eq!((ran.executed().len(), ran.summary("pulled").len()), (3, 1));
}

#[test]
fn an_unreachable_remote_is_a_warning() {
    let world = World::new();
    let gone = world.path("not mounted");
    let ran = world.good_run(&["--remote", &gone.display().to_string()]);
    assert_eq!(ran.executed().len(), world.plan(&[]).len());
    let said = warnings(&ran);
    assert!(said.len() == 1 && said[0].ends_with("this run goes on without it"), "{said:?}");
    assert!(!Path::new(&gone).exists());
}

#[test]
fn an_address_of_no_known_kind_is_refused() {
    let world = World::new();
    let ran = world.run(&["--remote", "ftp://somewhere"]);
    assert_eq!(ran.ended.code, 2);
    assert!(ran.ended.stderr.contains("no such kind of remote"), "{}", ran.ended.stderr);
}
