//! Signed results on a remote: a store that names the keys it trusts accepts nothing else.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::world::{Ran, World, set};

const TARGET: &str = "toy/dag";
const A: &str = "toy/dag/layer=0/i=0";
const B: &str = "toy/dag/layer=0/i=1";

/// A remote with what one world has computed and signed.
struct Shared {
    dir: TempDir,
    owner: World,
    public: String,
}

impl Shared {
    fn new() -> Self {
        let (dir, owner) = (TempDir::new().expect("a temporary folder"), World::new());
        let public = new_key(&owner);
        let shared = Self { dir, owner, public };
        assert_eq!(shared.run(&shared.owner, &["--sign", "key"]).executed().len(), 4);
        shared
    }

    fn run(&self, world: &World, args: &[&str]) -> Ran {
        let url = self.dir.path().display().to_string();
        world.good_run(&[&["--remote", &url, TARGET], args].concat())
    }

    /// The files of the stages' results.
    fn results(&self) -> BTreeMap<String, PathBuf> {
        let files = below(&self.dir.path().join("results")).into_iter();
        files.map(|path| (record(&path)["name"].as_str().expect("text").to_owned(), path)).collect()
    }

    /// A new world that trusts the owner of what was tampered with. Returns the stages that it computed, after one
    /// warning with these words.
    fn refused(&self, words: &str) -> BTreeSet<String> {
        let world = World::new();
        let ran = self.run(&world, &["--trust", &self.public]);
        assert_eq!(ran.executed().len() + ran.summary("pulled").len(), 4);
        assert!(world.artifacts() == self.owner.artifacts(), "what is refused is computed");
        let said = warnings(&ran);
        let expected =
            format!("{} results of the remote were refused, as if absent: ", ran.executed().len());
        assert!(said.len() == 1 && said[0].starts_with(&expected), "{said:?}");
        assert!(said[0].contains(words), "{said:?} lacks {words}");
        ran.executed()
    }
}

fn new_key(world: &World) -> String {
    let made = world.toy(&["key", "new", "key"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    made.stdout.trim().to_owned()
}

fn below(dir: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(dir).expect("is there").flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).expect("is a folder"));
    files.flatten().map(|file| file.path()).collect()
}

fn lines(path: &Path) -> (String, String) {
    let text = fs::read_to_string(path).expect("can be read");
    let (record, seal) = text.split_once('\n').expect("is signed");
    (record.to_owned(), seal.to_owned())
}

fn record(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).expect("can be read");
    let first = text.lines().next().expect("a line");
    serde_json::from_str::<serde_json::Value>(first).expect("JSON")["record"].clone()
}

fn digest(path: &Path) -> String {
    record(path)["outputs"][0][1].as_str().expect("a digest").to_owned()
}

fn warnings(ran: &Ran) -> Vec<String> {
    let events = ran.events.iter().filter(|event| event["event"] == "remote");
    events.map(|event| event["message"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn what_a_trusted_key_has_signed_is_pulled() {
    let shared = Shared::new();
    let other = World::new();
    other.write("trusted", &format!("# who computes\n{} the owner\n", shared.public));
    let ran = shared.run(&other, &["--trust", "trusted"]);
    assert_eq!((ran.executed().len(), warnings(&ran)), (0, vec![]));
    assert!(other.artifacts() == shared.owner.artifacts());
    assert_eq!(shared.run(&World::new(), &[]).executed().len(), 0, "and by who trusts anybody");
}

#[test]
fn results_that_changed_places_are_refused() {
    let shared = Shared::new();
    let (a, b) = (&shared.results()[A], &shared.results()[B]);
    let (of_a, of_b) = (fs::read(a).expect("is there"), fs::read(b).expect("is there"));
    fs::write(a, of_b).expect("can be written");
    fs::write(b, of_a).expect("can be written");
    assert_eq!(shared.refused("with a signature that is not"), set([A, B]));
}

#[test]
fn a_result_with_anothers_output_is_refused_only_by_who_trusts_a_key() {
    let shared = Shared::new();
    let (a, b) = (&shared.results()[A], &shared.results()[B]);
    let text = fs::read_to_string(a).expect("is there");
    fs::write(a, text.replace(&digest(a), &digest(b))).expect("can be written");
    assert_eq!(shared.refused("with a signature that is not"), set([A]));
    // Every digest agrees, so without a key there is nothing to notice.
    let trusting = World::new();
    assert!(!shared.run(&trusting, &[]).executed().contains(A));
    assert_eq!(trusting.value(A), shared.owner.value(B));
}

#[test]
fn the_bytes_of_a_result_are_signed_whole() {
    let shared = Shared::new();
    let a = &shared.results()[A];
    let text = fs::read_to_string(a).expect("is there");
    let other = text.replacen("\"threads\":1", "\"threads\":2", 1);
    assert_ne!(text, other);
    fs::write(a, other).expect("can be written");
    assert_eq!(shared.refused("with a signature that is not"), set([A]));
}

#[test]
fn what_nobody_or_another_has_signed_is_refused() {
    let shared = Shared::new();
    let a = &shared.results()[A];
    fs::write(a, lines(a).0).expect("can be written");
    assert_eq!(shared.refused("1 without a signature"), set([A]));
    // A stranger signs in its own name, and in the owner's.
    let stranger = World::new();
    let public = new_key(&stranger);
    shared.run(&stranger, &["--sign", "key", "--force", B]);
    assert_eq!(shared.refused(&format!("1 signed by {public}, which is not trusted")), set([A, B]));
    let b = &shared.results()[B];
    let forged = fs::read_to_string(b).expect("is there").replace(&public, &shared.public);
    fs::write(b, forged).expect("can be written");
    assert_eq!(shared.refused("1 with a signature that is not"), set([A, B]));
}

#[test]
fn garbled_signatures_are_refused() {
    let shared = Shared::new();
    let a = &shared.results()[A];
    let (text, seal) = lines(a);
    let half = &seal[..seal.len() / 2];
    let upper = seal.replace("ed25519:", "ED25519:");
    let short = seal.replace("\"}", "").replacen("\"signature\":\"", "\"signature\":\"\"}", 1);
    for (garbled, words) in [
        ("", "1 with a garbled signature"),
        ("{}", "1 with a garbled signature"),
        (half, "1 with a garbled signature"),
        (&upper, "1 with a garbled signature"),
        (&short[..=short.find('}').expect("a brace")], "1 with a signature that is not"),
    ] {
        fs::write(a, format!("{text}\n{garbled}")).expect("can be written");
        assert_eq!(shared.refused(words), set([A]), "{garbled}");
    }
}

#[test]
fn who_signs_replaces_what_it_refused_and_who_does_not_leaves_it() {
    let shared = Shared::new();
    let (a, b) = (&shared.results()[A], &shared.results()[B]);
    let text = fs::read_to_string(a).expect("is there");
    fs::write(a, text.replace(&digest(a), &digest(b))).expect("can be written");
    let spoilt = fs::read(a).expect("is there");
    let reader = World::new();
    shared.run(&reader, &["--trust", &shared.public]);
    assert!(
        fs::read(a).expect("is there") == spoilt,
        "one without a signature takes no signed one's place"
    );
    let second = World::new();
    let public = new_key(&second);
    shared.run(&second, &["--trust", &shared.public, "--trust", &public, "--sign", "key"]);
    let third = World::new();
    let both = shared.run(&third, &["--trust", &shared.public, "--trust", &public]);
    assert_eq!((both.executed().len(), warnings(&both)), (0, vec![]), "it is right again");
    assert!(third.artifacts() == shared.owner.artifacts());
}

#[test]
fn keys_that_are_none_are_refused_before_anything_runs() {
    let world = World::new();
    let public = new_key(&world);
    assert_eq!(world.toy(&["key", "new", "key"]).code, 3, "no key is overwritten");
    for (args, words) in [
        (["--trust", "ed25519:12"], "is not a public key"),
        (["--trust", "nowhere"], "cannot read nowhere"),
        (["--sign", "configs/toy.toml"], "may be used by others"),
    ] {
        let ran = world.run(&[&["--remote", "."], &args[..]].concat());
        assert_ne!(ran.ended.code, 0);
        assert!(ran.ended.stderr.contains(words), "{} lacks {words}", ran.ended.stderr);
    }
    let alone = world.run(&["--trust", &public]);
    assert!(alone.ended.code == 2 && alone.ended.stderr.contains("--remote"));
}

#[test]
fn what_is_made_of_downloads_comes_from_who_is_trusted_alone() {
    let (shared, owner) = (TempDir::new().expect("a temporary folder"), World::odd("fetch", 60, 0));
    let url = shared.path().display().to_string();
    let run = |world: &World, args: &[&str]| {
        let ran = world.good_run(&[&["--remote", &url, "toy/odd/x"], args].concat());
        (ran.executed(), ran.summary("pulled"))
    };
    // The same stages have the same keys, since their parameters name the flag of the first world.
    let other = || {
        let world = World::odd("fetch", 60, 0);
        let flag = |world: &World| world.path("flag-x").display().to_string();
        world.edit(&flag(&world), &flag(&owner));
        world
    };
    let public = new_key(&owner);
    assert_eq!(run(&owner, &["--sign", "key"]).0, set(["toy/odd/x", "toy/odd/x/after"]));
    let (computed, pulled) = run(&other(), &[]);
    assert_eq!((computed, pulled), (set(["toy/odd/x"]), set(["toy/odd/x/after"])));
    let (computed, pulled) = run(&other(), &["--trust", &public]);
    assert_eq!((computed, pulled), (set::<&str>([]), set(["toy/odd/x", "toy/odd/x/after"])));
    let stranger = new_key(&World::new());
    assert_eq!(run(&other(), &["--trust", &stranger]).0, set(["toy/odd/x", "toy/odd/x/after"]));
}
