//! The runs that come with the sources: they are whole, small, hold no data set, and are what a fresh checkout shows.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use pipeline::recorded::Recorded;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn folder() -> PathBuf {
    Path::new(ROOT).join("artifacts/recorded")
}

fn call(store: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retune"));
    command.current_dir(ROOT).args(args).arg("--store").arg(store).env_remove("PROFILE");
    command.output().expect("retune starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn retune(store: &Path, args: &[&str]) -> String {
    let output = call(store, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The files that belong to the sources: what using a store leaves beside them is left out.
fn files(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(below).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.ends_with("lock") && !path.ends_with("log.index") {
            found.push(path);
        }
    }
    found
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let to = to.join(file.strip_prefix(from).expect("below it"));
        fs::create_dir_all(to.parent().expect("a folder")).expect("can be made");
        fs::copy(&file, to).expect("can be copied");
    }
}

/// A store without results, beside a copy of the recorded runs.
fn fresh() -> tempfile::TempDir {
    let store = tempfile::tempdir().expect("a temporary folder");
    copy(&folder(), &store.path().join("recorded"));
    store
}

#[test]
fn a_fresh_checkout_shows_their_verdicts() {
    let (store, runs) = (fresh(), Recorded::all(&folder()).expect("can be read"));
    assert!(!runs.is_empty(), "no run is recorded");
    let claims = retune(store.path(), &["claims"]);
    retune(store.path(), &["report"]);
    let index = fs::read_to_string(store.path().join("report/index.html")).expect("written");
    assert!(index.contains("Recorded with the sources") && !index.contains("Computed here"));
    // One line per claim, and as many claims as the report counts.
    let judged = claims.matches("\n       paper: ").count();
    assert!(
        index.contains(&format!("Recorded with the sources</b>, {judged} claims.")),
        "{judged}"
    );
    assert!(claims.contains("\n       artifact ") && claims.contains("], n = "), "{claims}");
    for (_, run) in runs {
        let id = &run.experiment;
        let said = format!("{id} (recorded, profile {}, key ", run.profile);
        assert!(claims.contains(&said), "{claims}");
        assert!(index.contains(&format!("paper-{id}.html")), "{id}");
        let page = format!("report/paper-{id}.html");
        let page = fs::read_to_string(store.path().join(page)).expect("written");
        assert!(page.contains(&format!("<code>retune audit {id}</code>")), "{id}");
    }
}

#[test]
fn their_verdicts_are_those_of_todays_rules_where_the_tables_for_that_were_kept() {
    let store = fresh();
    let claims: serde_json::Value =
        serde_json::from_str(&retune(store.path(), &["claims", "--json"])).expect("JSON");
    let outdated = |claim: &&serde_json::Value| claim["outdated"] == true;
    let papers = claims.as_array().expect("a list").iter().filter(outdated);
    let papers: BTreeSet<&str> = papers.filter_map(|claim| claim["paper"].as_str()).collect();
    for paper in papers {
        let refused = text(&call(store.path(), &["record", paper, "--judge"]).stderr);
        let told = "was not kept";
        assert!(refused.contains(told), "`retune record {paper} --judge` was not run: {refused}");
        let said = retune(store.path(), &["claims", paper]);
        assert!(said.contains("judged by an earlier version of the rules"), "{said}");
    }
}

#[test]
fn they_are_whole_and_small_and_hold_no_data_set() {
    let store = fresh();
    let bytes: u64 =
        files(&folder()).iter().map(|path| path.metadata().expect("is there").len()).sum();
    assert!(bytes <= 16_000_000, "{bytes} bytes");
    for (dir, run) in Recorded::all(&folder()).expect("can be read") {
        let own = store.path().join("recorded").join(&run.experiment);
        retune(&own, &["verify", "--deep"]);
        let tables = run.artifacts(&own).expect("a store");
        let kept: Vec<String> = tables.keys().into_iter().map(|(name, _)| name).collect();
        assert_eq!(kept.len(), run.kept, "{}", run.experiment);
        for line in run.lines(&dir).expect("a list") {
            let data = line.kind.starts_with("data/");
            assert!(!(data && kept.contains(&line.stage)), "{} is a data set", line.stage);
        }
    }
}

#[test]
fn a_damaged_one_does_not_hide_the_others() {
    let store = fresh();
    let runs = Recorded::all(&folder()).expect("can be read");
    let [(_, first), (_, second), ..] = &runs[..] else { panic!("two runs are needed") };
    let own = store.path().join("recorded").join(&first.experiment);
    let tables = first.artifacts(&own).expect("a store");
    let path = tables.path(&format!("{}/claims", first.experiment), "main").expect("is kept");
    // What is recorded is read-only.
    fs::remove_file(&path).expect("can be removed");
    fs::write(&path, "not a table").expect("can be written");
    let other = store.path().join("recorded").join(&second.experiment).join("recorded.json");
    fs::remove_file(&other).expect("can be removed");
    fs::write(&other, "{").expect("can be written");
    for command in ["claims", "report"] {
        let done = call(store.path(), &[command]);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{said}");
        let damaged = format!("this table, main of {}/claims, is damaged\n", first.experiment);
        assert!(said.contains(&damaged) && said.contains("help: `git checkout`"), "{said}");
        assert!(said.contains(&*other.to_string_lossy()), "{said}");
    }
    let claims = retune(store.path(), &["claims"]);
    let shown = |name: &str| claims.contains(&format!("{name} (recorded, profile "));
    for (_, run) in &runs {
        let sound = ![&first.experiment, &second.experiment].contains(&&run.experiment);
        assert_eq!(shown(&run.experiment), sound, "{}", run.experiment);
    }
}

#[test]
fn what_is_wrong_with_the_readers_own_results_is_said_though_there_are_recorded_ones() {
    let store = fresh();
    // The results of one of them, as if they had been computed here.
    copy(&folder().join("stn/store"), &store.path().join("store"));
    let own = retune(store.path(), &["claims", "stn"]);
    assert!(
        own.starts_with("stn (profile recorded, key ") && own.contains("recorded under"),
        "{own}"
    );
    let refused = call(store.path(), &["report", "--profile", "smoke"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("no run under profile `smoke`"), "{said}");
    let recorded = retune(store.path(), &["claims", "stn", "--profile", "smoke"]);
    let why = "nothing was run here under profile smoke yet (runs were under: recorded): ";
    assert!(recorded.starts_with(why), "{recorded}");
    assert!(recorded.contains("\nstn (recorded, profile recorded, key "), "{recorded}");
    let path = retune(store.path(), &["show", "stn/claims", "--path"]);
    fs::remove_file(path.trim()).expect("can be removed");
    let refused = call(store.path(), &["claims", "stn"]);
    assert_ne!(refused.status.code(), Some(0), "{}", text(&refused.stdout));
}

#[test]
fn they_are_found_wherever_the_store_is_and_whatever_was_run() {
    let store = tempfile::tempdir().expect("a temporary folder");
    let all = retune(store.path(), &["claims", "--profile", "recorded"]);
    assert!(all.starts_with("harmonica (recorded, profile "), "{all}");
    let desk = retune(store.path(), &["claims", "--profile", "desk"]);
    assert!(desk.starts_with("nothing was run here under profile desk yet: "), "{desk}");
    assert!(desk.ends_with(&all), "{desk}");
    assert!(retune(store.path(), &["recorded"]).contains("hoag: profile "));
    retune(store.path(), &["report"]);
    assert!(store.path().join("report/paper-hoag.html").is_file());
    let refused = call(store.path(), &["claims", "hgo"]);
    let said = text(&refused.stderr);
    assert!(said.contains("no paper is called `hgo`; did you mean `hoag`?"), "{said}");
    // The results of one of them, as if they had been computed here under another profile.
    copy(&folder().join("stn/store"), &store.path().join("store"));
    for run in files(&store.path().join("store/v1/runs")) {
        let record = fs::read_to_string(&run).expect("can be read");
        let other = record.replace("\"recorded\"", "\"smoke\"");
        fs::write(&run, other).expect("can be written");
    }
    assert_eq!(retune(store.path(), &["claims", "--profile", "recorded"]), all);
    let own = retune(store.path(), &["claims", "stn"]);
    assert!(own.starts_with("Verdicts of profile smoke have no meaning"), "{own}");
}
