//! `push` and `pull`: transfer results between a store and a remote without computing any.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::world::{Ended, World};

const DAG: &str = "toy/dag";
const RECORDED: &str = "artifacts/recorded/toy";

/// A folder in `world` that is a remote.
fn folder(world: &World) -> String {
    let path = world.path("remote");
    fs::create_dir_all(&path).expect("can be made");
    path.display().to_string()
}

fn good(world: &World, args: &[&str]) -> String {
    let Ended { code, stdout, stderr } = world.toy(args);
    assert_eq!(code, 0, "{args:?}: {stdout}{stderr}");
    stdout
}

/// A pull that must get nothing.
#[track_caller]
fn nothing(world: &World, args: &[&str]) -> Ended {
    let ended = world.toy(args);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stderr.contains("nothing was pulled"), "{}", ended.stderr);
    ended
}

/// All of the toy's stages computed and pushed: the world, and the remote.
fn pushed() -> (World, String) {
    let world = World::new();
    world.good_run(&[]);
    let remote = folder(&world);
    let said = good(&world, &["push", "--remote", &remote]);
    assert!(said.ends_with(" stages pushed, 0 were there\n"), "{said}");
    (world, remote)
}

fn recorded() -> (World, String) {
    let world = World::new();
    world.good_run(&[]);
    good(&world, &["record", "toy"]);
    let url = world.path(RECORDED).display().to_string();
    (world, url)
}

fn below(dir: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(dir).expect("is there").flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).expect("is a folder"));
    files.flatten().map(|file| file.path()).collect()
}

#[test]
fn what_one_has_pushed_another_pulls_and_computes_nothing() {
    let (one, remote) = pushed();
    let other = World::new();
    let said = good(&other, &["pull", "--remote", &remote]);
    let all = one.plan(&[]).len();
    assert_eq!(said, format!("{all} stages pulled, 0 were here\n"));
    assert!(other.trace().is_empty(), "no stage was started");
    assert!(other.artifacts() == one.artifacts(), "the same bytes");
    assert!(other.good_run(&[]).executed().is_empty(), "all is up to date");
    // It is known how it came about, and the profile has a run.
    let log = |world: &World| good(world, &["log", "toy/report", "--json"]);
    assert_eq!(log(&one), log(&other));
    assert!(good(&other, &["runs"]).contains("full"));
    let said = good(&other, &["pull", "--remote", &remote]);
    assert_eq!(said, format!("0 stages pulled, {all} were here\n"));
    let said = good(&one, &["push", "--remote", &remote]);
    assert_eq!(said, format!("0 stages pushed, {all} were there\n"));
}

#[test]
fn targets_choose_and_what_is_not_up_to_date_is_not_pushed() {
    let world = World::new();
    let remote = folder(&world);
    let ended = world.toy(&["push", DAG, "--remote", &remote]);
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.starts_with("0 stages pushed, 0 were there, 4 are not up to date"));
    assert!(ended.stderr.contains("nothing is up to date under profile full"), "{}", ended.stderr);
    world.good_run(&["toy/dag/layer=0"]);
    let said = good(&world, &["push", DAG, "--remote", &remote]);
    assert_eq!(said, "2 stages pushed, 0 were there, 2 are not up to date\n");
    assert_eq!(below(&world.path("remote/results")).len(), 2);
}

#[test]
fn a_pull_stops_where_keys_are_not_known_and_says_why() {
    let (one, remote) = pushed();
    // The result of one of the two stages at the beginning is lost.
    let lost = below(&one.path("remote/results")).into_iter().find(|path| {
        let text = fs::read_to_string(path).expect("is there");
        text.contains("\"name\":\"toy/dag/layer=0/i=0\"")
    });
    fs::remove_file(lost.expect("was pushed")).expect("can be removed");
    let other = World::new();
    let said = good(&other, &["pull", DAG, "--remote", &remote]);
    let lines: BTreeSet<&str> = said.lines().map(str::trim).collect();
    let wanted = BTreeSet::from([
        "1 stage pulled, 0 were here, 3 not to be had",
        "1  the remote has no result under their keys, such as toy/dag/layer=0/i=0",
        "2  their keys are not known without others that are not here, such as toy/dag/layer=0/i=0",
    ]);
    assert_eq!(lines, wanted);
    // Once that stage is computed, the others' keys are known.
    other.good_run(&["toy/dag/layer=0/i=0"]);
    let said = good(&other, &["pull", DAG, "--remote", &remote]);
    assert_eq!(said, "2 stages pulled, 2 were here\n");
}

#[test]
fn what_another_config_made_is_not_had() {
    let (_one, remote) = pushed();
    let other = World::with("plus = 1", "plus = 2");
    let said = good(&other, &["pull", DAG, "--remote", &remote]);
    assert!(said.contains("the remote has no result under their keys"), "{said}");
    assert!(said.starts_with("2 stages pulled"), "{said}");
    let (_one, url) = recorded();
    let said = good(&other, &["pull", DAG, "--remote", &url]);
    assert!(said.contains("under other keys: other code, config or data made them"), "{said}");
    // Where nothing at all comes, that is no success.
    let other = World::with("below = 100", "below = 99");
    let ended = nothing(&other, &["pull", "toy/a/draw", "--remote", &url]);
    assert!(ended.stderr.contains("keys have moved since"), "{}", ended.stderr);
    assert!(ended.stderr.contains("help: `retune run` computes them here"), "{}", ended.stderr);
}

#[test]
fn unsound_results_are_refused_and_fail() {
    let (one, remote) = pushed();
    for object in below(&one.path("remote/objects")) {
        fs::write(object, "no table").expect("can be written");
    }
    let other = World::new();
    let ended = other.toy(&["pull", DAG, "--remote", &remote]);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stderr.contains("2 results of the remote are unsound"), "{}", ended.stderr);
    assert!(
        !other.path("artifacts/store/v1/objects").read_dir().is_ok_and(|mut d| d.next().is_some())
    );
}

#[test]
fn what_is_made_of_downloads_comes_from_who_is_trusted_alone() {
    let one = World::odd("fetch", 60, 0);
    let (remote, key) = (folder(&one), good(&one, &["key", "new", "key"]));
    one.good_run(&["toy/odd"]);
    let said = good(&one, &["push", "toy/odd", "--remote", &remote, "--sign", "key"]);
    // Two of them may have the same key: the later one is then there.
    let pushed = ["3 stages pushed", "2 stages pushed, 1 were there"];
    assert!(pushed.iter().any(|told| said.starts_with(told)), "{said}");
    let other = World::odd("fetch", 60, 0);
    // The flag's path is a parameter.
    other.edit(
        &other.path("flag-x").display().to_string(),
        &one.path("flag-x").display().to_string(),
    );
    let said = nothing(&other, &["pull", "toy/odd", "--remote", &remote]).stdout;
    assert!(said.starts_with("0 stages pulled, 0 were here, 3 not to be had\n"), "{said}");
    assert!(said.contains("1  made of downloads: "), "{said}");
    assert!(said.contains("their keys are not known without others"), "{said}");
    let said = good(&other, &["pull", "toy/odd", "--remote", &remote, "--trust", key.trim()]);
    // Two of the three share a key, so what is pulled for one also serves the other.
    assert!(said.starts_with("2 stages pulled, 1 were here\n"), "{said}");
}

#[test]
fn signed_results_are_taken_from_who_is_trusted() {
    let one = World::new();
    let (remote, key) = (folder(&one), good(&one, &["key", "new", "key"]));
    one.good_run(&[DAG]);
    let push = |args: &[&str]| good(&one, &[&["push", DAG, "--remote", &remote], args].concat());
    assert!(push(&[]).starts_with("4 stages pushed"));
    let pull = |key: &str| {
        let other = World::new();
        other.toy(&["pull", DAG, "--remote", &remote, "--trust", key.trim()])
    };
    let refused = pull(&key);
    assert!(refused.stdout.contains("2  refused, as they are without a signature"), "{refused:?}");
    assert!(refused.code == 1 && refused.stderr.contains("`--trust KEY`"), "{refused:?}");
    assert!(
        push(&["--sign", "key"]).starts_with("4 stages pushed"),
        "what was there is signed now"
    );
    assert!(push(&["--sign", "key"]).starts_with("0 stages pushed, 4 were there"));
    assert_eq!(pull(&key).stdout, "4 stages pulled, 0 were here\n");
    let another = good(&one, &["key", "new", "another"]);
    let refused = pull(&another);
    assert!(refused.stdout.contains("which is not trusted"), "{refused:?}");
}

#[test]
fn a_recorded_run_is_had_without_computing_it() {
    let (one, url) = recorded();
    for url in [url.clone(), format!("{url}/store")] {
        let other = World::new();
        let said = good(&other, &["pull", "--remote", &url]);
        assert!(said.contains("the remote has the digests and not the tables"), "{said}");
        assert!(!said.contains("not to be had"), "{said}");
        assert!(other.trace().is_empty(), "no stage was started");
        let show =
            |world: &World| good(world, &["show", "toy/report", "--csv", "--profile", "full"]);
        assert_eq!(show(&one), show(&other));
        // A run computes what is not kept, and uses what was pulled as it is.
        let executed = other.good_run(&[]).executed();
        assert!(
            !executed.contains("toy/report") && executed.contains("toy/a/data"),
            "{executed:?}"
        );
        assert!(other.artifacts() == one.artifacts(), "the same bytes");
    }
}

#[test]
fn a_store_is_only_read() {
    let (one, url) = recorded();
    let before = fs::read(one.path(RECORDED).join("store/v1/log")).expect("is there");
    let ended = one.toy(&["push", "--remote", &url]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("it is only read"), "{}", ended.stderr);
    let other = World::new();
    let ran = other.good_run(&["--remote", &url]);
    assert!(ran.summary("pulled").contains("toy/report"), "a run reads it too");
    assert!(!one.path(RECORDED).join("results").exists());
    assert!(fs::read(one.path(RECORDED).join("store/v1/log")).expect("is there") == before);
}

#[test]
fn a_deposit_is_pulled_with_its_list() {
    let (one, _) = recorded();
    let (licence, author) = ("https://creativecommons.org/licenses/by/4.0/", "Doe, J.");
    good(&one, &["export", "zenodo", "deposit", "--licence", licence, "--author", author]);
    let archive = one.path("deposit/toy.tar").display().to_string();
    let other = World::new();
    let said = good(&other, &["pull", "--remote", &archive]);
    assert!(said.contains("the remote has the digests and not the tables"), "{said}");
    assert!(!good(&other, &["show", "toy/report", "--csv"]).is_empty());
}

#[test]
fn faults_are_named() {
    let world = World::new();
    let fails = |args: &[&str], words: &str| {
        let ended = world.toy(args);
        assert!(ended.code >= 2 && ended.stderr.contains(words), "{args:?}: {}", ended.stderr);
    };
    fails(&["pull"], "--remote <URL>");
    fails(&["pull", "--remote", "not/mounted"], "cannot reach");
    fails(&["pull", "--remote", "ftp://somewhere"], "no such kind of remote");
    fails(&["pull", "tooy", "--remote", "."], "tooy");
}
