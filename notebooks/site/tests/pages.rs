//! Tests the pages as seen by a browser without scripts: links, ids, determinism, escaping.

mod common;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use arrow_array::cast::AsArray;
use common::{Place, store};
use pipeline::{
    artifacts::Artifacts,
    estimate::{Estimate, fit::Interval},
    recorded::Recorded,
    store::{Store, runs::Lack},
};
use site::{
    absent::lacking::{Lacking, Planned},
    downloads::code::Code,
    names::{Citation, Criteria, Named, Names},
    state::State,
};

const HERE: Place = Place { host: "here", time: 1_000_000, forward: true };

/// One paper has a name and a title, the other neither.
fn names() -> Names {
    Names::of(&[Named {
        id: "toy",
        name: "TOY",
        title: "Toys & <other> things",
        citation: Some(Citation {
            authors: "A. Author",
            published: "2001",
            arxiv: "0101.00001",
            criteria: Some(Criteria { date: "2001-02-03", commit: "abc1234" }),
            code: None,
        }),
    }])
}

/// Writes the pages; where code is, is not known.
fn write(
    tables: &Artifacts,
    artifacts: &Path,
    report: &Path,
    planned: Option<&Planned>,
) -> site::Result<Vec<PathBuf>> {
    let folders = (artifacts, Recorded::all(&artifacts.join("recorded")).unwrap());
    site::write(tables, folders, report, (&names(), &Code::default()), planned)
}

/// File name → text of all files written.
fn pages(artifacts: &Path) -> BTreeMap<String, String> {
    let report = artifacts.join("report");
    let tables = Artifacts::of(Store::open(artifacts).expect("a store")).expect("its runs");
    let written = write(&tables, artifacts, &report, None).expect("pages");
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let page = |path: &PathBuf| {
        let name = path.strip_prefix(&report).ok()?.to_string_lossy().into_owned();
        Some((name, text(path)))
    };
    written.iter().filter_map(page).collect()
}

/// The values of an attribute.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let mark = format!(" {attribute}=\"");
    page.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let pages = pages(dir.path());
    let (data, names): (Vec<&str>, Vec<&str>) =
        pages.keys().map(String::as_str).partition(|name| name.starts_with("data/"));
    for name in ["toy-claims-findings.csv", "toy-claims-findings.parquet"] {
        assert!(data.contains(&format!("data/{name}").as_str()), "{data:?}");
    }
    assert_eq!(
        names,
        [
            "explorer.js",
            "figures.html",
            "index.html",
            "paper-hoag.html",
            "paper-toy.html",
            "provenance.html",
            "run.html",
            "search.js",
            "site.css",
            "site.js",
            "stages.html"
        ]
    );
    for (name, page) in pages.iter().filter(|(name, _)| name.ends_with(".html")) {
        let ids = values(page, "id");
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{name}: ids repeat");
        let links = values(page, "href");
        assert!(links.len() > 6, "{name}: {links:?}");
        let elsewhere = |link: &str| link.starts_with("https://");
        assert!(values(page, "src").into_iter().all(|link| !elsewhere(link)), "{name}");
        for link in links.into_iter().chain(values(page, "src")) {
            if link == "data:," || elsewhere(link) {
                continue;
            }
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let target = pages.get(file).unwrap_or_else(|| panic!("{name}: {link}"));
            assert!(id.is_empty() || values(target, "id").contains(&id), "{name}: {link}");
        }
        // The papers and their code are elsewhere: a reader may go there, and the page fetches nothing.
        let cited = page.matches("https:").count();
        assert_eq!(cited, page.matches("<a href=\"https://").count(), "{name}: {cited} addresses");
        assert!(!page.contains("http:"), "{name} names an address");
    }
    assert!(!pages["site.css"].contains("url("));
}

#[test]
fn the_same_artifacts_give_the_same_bytes_whenever_and_wherever_they_were_computed() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(one.path(), &HERE);
    store(other.path(), &Place { host: "elsewhere", time: 5_000_000, forward: false });
    let (first, second) = (pages(one.path()), pages(other.path()));
    assert_eq!(first, pages(one.path()));
    let differing: Vec<&str> = first
        .iter()
        .filter(|(name, page)| second[*name] != **page)
        .map(|(name, _)| name.as_str())
        .collect();
    // Hosts and times are shown there.
    assert_eq!(differing, ["provenance.html", "run.html"]);
}

#[test]
fn verdicts_and_evidence_are_told_in_words() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let pages = pages(dir.path());
    let (index, paper) = (&pages["index.html"], &pages["paper-toy.html"]);
    assert!(index.contains(r#"href="paper-toy.html#A-2""#));
    assert!(
        index
            .contains("TOY: our values and the paper&#39;s, error: A1: digits 0.5 [0.4, 0.6] (scaled down), the paper 0.3.")
    );
    assert!(paper.contains("&#60;script&#62;") || paper.contains("&lt;script&gt;"));
    assert!(!paper.contains("<script>alert"));
    // The artifact behind the verdict has a stage.
    assert!(paper.contains("retune show hoag/figures/convergence"), "made first under this name");
    assert!(pages["stages.html"].contains("toy/run/split=* × 40"));
    assert!(pages["stages.html"].contains("no such file"));
}

#[test]
fn the_first_page_answers_in_words_and_says_where_the_paper_is() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let pages = pages(dir.path());
    let (_, card) = pages["index.html"].split_once("id=\"answer-toy\"").unwrap();
    let (card, _) = card.split_once("</article>").unwrap();
    assert!(
        card.contains("A. Author. 2001.\n<a href=\"https://arxiv.org/abs/0101.00001\">")
            && card.contains("doi:10.48550/arXiv.0101.00001")
            && card.contains("on 2001-02-03, in commit <code>abc1234</code>"),
        "{card}"
    );
    let (_, headline) = card.split_once("<p class=\"headline\">").unwrap();
    assert!(headline.starts_with("Nothing was judged at the paper"), "{headline}");
    let claims: serde_json::Value = serde_json::from_str(
        pages["search.js"]
            .split_once('[')
            .map(|(_, rest)| format!("[{rest}"))
            .unwrap()
            .trim_end()
            .trim_end_matches(';'),
    )
    .unwrap();
    let kinds: BTreeSet<_> =
        claims.as_array().unwrap().iter().map(|entry| entry[0].as_str().unwrap()).collect();
    assert!(kinds.contains("claim") && kinds.contains("stage"), "{kinds:?}");
}

#[test]
fn papers_go_by_their_names_and_have_their_titles() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let pages = pages(dir.path());
    for page in pages.iter().filter(|(name, _)| name.ends_with(".html")).map(|(_, page)| page) {
        assert!(page.contains(">TOY</a>") && page.contains(">hoag</a>"), "a link of each paper");
    }
    let paper = &pages["paper-toy.html"];
    assert!(
        paper.contains(
            "<h1>TOY</h1>\n<p><cite>Toys &#38; &#60;other&#62; things</cite><br>A. Author."
        )
    );
    assert!(!pages["paper-hoag.html"].contains("<cite>"));
    assert!(pages["stages.html"].contains("<h2 id=\"toy\">TOY</h2>"));
}

#[test]
fn a_run_tells_what_it_computed_and_why() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let page = &pages(dir.path())["run.html"];
    let (last, first) = page.split_once("Earlier runs").unwrap();
    assert!(last.contains("1 computed, 89 cached"), "{last}");
    assert!(last.contains("params.points: 5 → 7"), "{last}");
    assert!(last.contains("input 0 came out different"), "{last}");
    assert!(first.contains("90 computed, 0 cached"), "{first}");
    assert!(first.contains("new: nothing was recorded under this name"), "{first}");
}

#[test]
fn the_index_lists_every_output_with_its_data_set() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    pages(dir.path());
    let index = pipeline::table::read(&dir.path().join("index.parquet")).unwrap();
    let column = |name: &str| -> Vec<String> {
        let column = index.column_by_name(name).unwrap().as_string::<i32>();
        column.iter().map(|text| text.unwrap().to_owned()).collect()
    };
    let (stage, set, path) = (column("stage"), column("data_set"), column("path"));
    // The data of two papers, 40 runs, curves, claims with four outputs, a contest with three, and what
    // differs.
    assert_eq!(stage.len(), 2 * (1 + 40 + 1 + 4 + 3 + 1));
    let at = stage.iter().position(|name| name == "hoag/claims").unwrap();
    assert_eq!((column("output")[at].as_str(), set[at].as_str()), ("findings", "digits"));
    assert!(path.iter().all(|path| dir.path().join(path).is_file()), "{path:?}");
    let told = |field: &std::sync::Arc<_>| -> bool {
        let field: &arrow_schema::Field = field;
        field.metadata().get("description").is_some_and(|about| !about.is_empty())
    };
    assert!(index.schema_ref().fields().iter().all(told), "{:?}", index.schema_ref());
    let first = fs::read(dir.path().join("index.parquet")).unwrap();
    pages(dir.path());
    assert_eq!(first, fs::read(dir.path().join("index.parquet")).unwrap());
}

#[test]
fn what_a_plan_lacks_is_in_the_graph() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let lacking = Lacking {
        name: "toy/late".to_owned(),
        kind: "late".to_owned(),
        state: State::Failed,
        why: "ran out of memory".to_owned(),
        reads: vec!["toy/data".to_owned()],
    };
    let told = |profile: &str| {
        let planned = Planned {
            profile: profile.to_owned(),
            lacking: vec![lacking.clone()],
            ..Planned::default()
        };
        let report = dir.path().join("report");
        let tables = Artifacts::open(dir.path()).unwrap();
        write(&tables, dir.path(), &report, Some(&planned)).unwrap();
        fs::read_to_string(report.join("stages.html")).unwrap()
    };
    let page = told("desk");
    assert!(
        page.contains("ran out of memory") && page.contains("class=\"block failed\""),
        "{page}"
    );
    // A run under another profile never needed it.
    assert!(!told("smoke").contains("ran out of memory"));
}

#[test]
fn the_page_of_costs_lists_what_the_papers_sizes_would_take() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    assert!(!pages(dir.path())["provenance.html"].contains("id=\"remaining\""));
    let hours = |middle: f64| Interval { low: middle / 2.0, middle, high: middle * 2.0 };
    let part = |name: &str, stages, unknown, cpu_h| {
        (name.to_owned(), Estimate { stages, unknown, cpu_h: hours(cpu_h), ..Estimate::default() })
    };
    let parts = [
        part("toy/short", 5, 0, 0.01),
        part("toy/long", 7, 0, 12.0),
        part("toy/longer", 9, 4, 30.0),
        part("toy/unknown", 3, 3, 0.0),
    ];
    let planned = Planned { remaining: parts.into(), ..Planned::default() };
    let report = dir.path().join("report");
    let tables = Artifacts::open(dir.path()).unwrap();
    write(&tables, dir.path(), &report, Some(&planned)).unwrap();
    let page = fs::read_to_string(report.join("provenance.html")).unwrap();
    let told = [
        "toy/longer</th><td class=\"n\">9</td><td class=\"n\">4</td><td>at least 30.0 h CPU (15.0 h to 60.0 h)",
        "toy/long</th><td class=\"n\">7</td><td class=\"n\">0</td><td>12.0 h CPU (6.0 h to 24.0 h)",
        "toy/unknown</th><td class=\"n\">3</td><td class=\"n\">3</td><td>CPU hours unknown",
    ];
    let at = told.map(|text| page.find(text).unwrap_or_else(|| panic!("{text} in {page}")));
    assert!(at.is_sorted(), "the longest first: {at:?}");
    assert!(!page.contains("toy/short"));
}

#[test]
fn a_figure_can_be_taken_away_with_its_data_and_says_how_it_is_cited() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let pages = pages(dir.path());
    let figures = &pages["figures.html"];
    let numbers = &pages["data/figure-hoag-figures-convergence.csv"];
    assert!(numbers.starts_with("problem,\"HOAG, cubic ε\",grid search\ndigits,"), "{numbers}");
    let drawing = &pages["data/figure-hoag-figures-convergence-1.svg"];
    assert!(drawing.starts_with("<svg xmlns=") && !drawing.contains("var("), "{drawing}");
    let table = &pages["data/hoag-figures-convergence-main.csv"];
    assert_eq!(table.lines().count(), 1 + 2 * 2 * 2 * 5, "a head, and a line per row");
    assert!(figures.contains("artifact hoag/figures/convergence, key "), "{figures}");
    // The artifact itself, byte by byte.
    let tables = Artifacts::open(dir.path()).unwrap();
    let artifact = fs::read(tables.path("hoag/figures/convergence", "main").unwrap()).unwrap();
    let copy = dir.path().join("report/data/hoag-figures-convergence-main.parquet");
    assert_eq!(fs::read(copy).unwrap(), artifact);
    let paper = &pages["paper-toy.html"];
    assert!(
        paper.contains("It replicates: A. Author. Toys &#38; &#60;other&#62; things. 2001."),
        "{paper}"
    );
}

#[test]
fn a_trace_has_every_step_without_scripts() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    let figures = &pages(dir.path())["figures.html"];
    let (_, figure) = figures.split_once("id=\"hoag-figures-convergence-trace\"").unwrap();
    let (figure, _) = figure.split_once("</section>").unwrap();
    // Two problems, two methods, five steps of the first of two splits.
    assert_eq!(figure.matches("data-step=").count(), 2 * 2 * 5, "{figure}");
    assert!(figure.contains("data-moves"));
}

/// If the stages behind a figure cannot be computed here, the page says so, and why. It does not say so for a
/// table that exists and is damaged.
#[test]
fn what_cannot_be_shown_is_named_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    assert!(pages(dir.path()).iter().all(|(_, page)| !page.contains("class=\"absent\"")));
    let open = || pipeline::store::Store::open(dir.path()).unwrap();
    let key = pipeline::digest::Digest::of(b"stn/text/data");
    let why = "data set `ptb` is unavailable\n  mirror: not <there>\nremedy: ask for it";
    open().append(&[pipeline::store::Fact::Unavailable(key, "stn/text/data", why)]).unwrap();
    let blocked = ["stn/text/figures/race", "stn/contests/searches", "late/claims"]
        .map(str::to_owned)
        .to_vec();
    let mut run = open().runs().unwrap().0.pop().unwrap();
    run.lacking = [("stn/text/data".to_owned(), Lack { blocked, ..Lack::of(key) })].into();
    open().record_run(run).unwrap();
    let pages = pages(dir.path());
    let (figures, index) = (&pages["figures.html"], &pages["index.html"]);
    for page in [figures, index] {
        let told =
            "<li><code>stn/text/data</code>: data set `ptb` is unavailable<br>remedy: ask for it";
        assert!(page.contains(told) && page.contains("not &#60;there&#62;"), "{page}");
    }
    assert!(figures.contains("<b>Anytime curves, stn: validation perplexity against cost</b>"));
    assert!(figures.contains("<b>Critical differences, stn</b>"), "{figures}");
    assert!(index.contains("<b>late</b> has no verdicts here"), "{index}");

    let tables = Artifacts::open(dir.path()).unwrap();
    fs::write(tables.path("hoag/figures/convergence", "main").unwrap(), "spoilt").unwrap();
    let report = dir.path().join("report");
    let written = write(&tables, dir.path(), &report, None);
    assert!(written.unwrap_err().to_string().contains("corrupt"));
}

#[test]
fn a_store_without_verdicts_has_pages_too() {
    let dir = tempfile::tempdir().unwrap();
    let empty = pipeline::store::Store::open(dir.path()).unwrap();
    empty
        .append(&[pipeline::store::Fact::Unavailable(
            pipeline::digest::Digest::of(b"k"),
            "toy/x",
            "no",
        )])
        .unwrap();
    let pages = pages(dir.path());
    assert!(pages["index.html"].contains("0 papers"));
    assert!(!pages["index.html"].contains("Computed here"));
    assert!(pages["run.html"].contains("Nothing has been run here yet."));
    let tables = Artifacts::open(dir.path()).unwrap();
    let none = dir.path().join("none");
    assert!(write(&tables, &none, dir.path(), None).is_err());
}
