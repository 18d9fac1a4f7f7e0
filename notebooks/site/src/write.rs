//! Puts the pages together and writes them.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use askama::Template;
use pipeline::{artifacts::Artifacts, machine, store::Store};

use crate::{
    absent::lacking::{self, Lacking, Planned},
    downloads::{
        self,
        code::Code,
        offered::{Download, File},
    },
    drawing::{
        dag::{self, Dag},
        picture,
    },
    error::{Error, Result},
    executed, figures,
    front_page::FrontPage,
    history::{History, Origin, Run},
    index,
    names::Names,
    origin::{Cost, Origins},
    pages::{self, Costs, Graph, RunView, SweepRow},
    paper::{self, Paper},
    parity::{self, ParityPage},
    recorded,
    remaining::Remaining,
    search,
    state::State,
    verdicts::page::{PaperPage, Shown},
    words::{count, duration, short},
};

const STYLE: &str = include_str!("../assets/site.css");
/// The rules for drawings of this report alone.
const DRAWINGS: &str = include_str!("../assets/drawings.css");
const SCRIPT: &str = include_str!("../assets/site.js");
const EXPLORER: &str = include_str!("../assets/explorer.js");

/// Runs that are told in full; there may be thousands.
const RUNS: usize = 12;

/// Writes the pages into the folder `report` from `tables`, which are results of the store in the folder
/// `artifacts`, and of the `recorded` runs, each with its folder; says which pages.
/// `planned` adds stages without a result that the store cannot know of, such as failed ones. Executed
/// notebooks (`PAPER.html`) that lie in `report` are linked. `names` says what papers are called, `code` where the code of stages is. `index.parquet` lies in the folder `artifacts`.
///
/// # Errors
/// When there is neither a store nor a recorded run, a table cannot be read, or a page cannot be written.
pub fn write(
    tables: &Artifacts,
    (artifacts, recorded): (&Path, Vec<(PathBuf, pipeline::recorded::Recorded)>),
    report: &Path,
    (names, code): (&Names, &Code),
    planned: Option<&Planned>,
) -> Result<Vec<PathBuf>> {
    let outdated = planned.map(|planned| planned.outdated.clone()).unwrap_or_default();
    let recorded = recorded::all(recorded, &outdated)?;
    // Where there are recorded runs, nothing need have been computed yet.
    let open = if recorded.is_empty() { Store::open_existing } else { Store::open };
    let store = open(artifacts)?;
    let history = History::of(&store)?;
    let papers = paper::papers(tables, report, names, recorded)?;
    let profiles: Vec<String> = papers.iter().map(|paper| profile(&history, paper)).collect();
    fs::create_dir_all(report).map_err(|e| Error::io("create", report, e))?;
    let mut out = Out { folder: report, written: Vec::new() };
    out.file("site.css", &(::figures::theme::sheet() + DRAWINGS + STYLE))?;
    out.file("site.js", SCRIPT)?;
    out.file("explorer.js", EXPLORER)?;
    let explore = report.join("explore.html").is_file();
    let missing = paper::missing(tables, names)?;
    let mut files = Vec::new();
    let mut front = FrontPage::new(&papers, &profiles, missing, explore);
    for forest in &mut front.forests {
        forest.files = drawings(&forest.paper, &forest.svgs, &mut files);
    }
    out.page("index.html", &front)?;
    let makers = makers(tables, &store);
    for ((paper, profile), card) in papers.iter().zip(&profiles).zip(&front.cards) {
        let recorded = paper.recorded.as_ref().map(|recorded| &recorded.makers);
        let maker = |digest: &str| {
            let made = makers.get(digest).or_else(|| recorded?.get(digest));
            made.cloned().unwrap_or_default()
        };
        // Those of the run whose verdicts the page shows.
        let own = match &paper.recorded {
            Some(recorded) if !paper.here => &recorded.tables,
            _ => tables,
        };
        let of = (paper.id.as_str(), paper.key.as_str());
        let offered = downloads::claims(own, of, (names, code), &mut files)?;
        let notebook = executed::section((tables, report), &paper.id, code, DRAWINGS, &mut files)?;
        let shown = Shown { card, offered, notebook };
        let mut page = PaperPage::new(&papers, paper, profile, shown, maker);
        for view in &mut page.views {
            let name = format!("{}-{}", paper.id, view.anchor);
            view.files = drawings(&name, &view.forests, &mut files);
        }
        out.page(&pages::paper_file(&paper.id), &page)?;
    }
    let nav = |here: &str| pages::nav(&papers, here);
    let (mut figures, missing) = figures::all(tables, names)?;
    for figure in &mut figures {
        figure.offered = downloads::figure(tables, figure, (names, code), DRAWINGS, &mut files)?;
    }
    let known = lacking::unavailable(&store);
    let graph = |paper: &Paper| graph(paper, &history, planned, &known);
    let judged = papers.iter().filter(|paper| paper.own().next().is_some());
    let graphs: Vec<Graph> = judged.filter_map(graph).collect();
    out.file("search.js", &search::script(&front.cards, &figures, &graphs))?;
    let parity = ParityPage::new(tables, nav(parity::FILE))?;
    if let Some(page) = &parity {
        out.page(parity::FILE, page)?;
    }
    let parity = parity.is_some();
    let page = pages::Figures { nav: nav("figures.html"), figures, missing, parity };
    out.page("figures.html", &page)?;
    let stages = pages::Stages { nav: nav("stages.html"), states: State::ALL, graphs };
    out.page("stages.html", &stages)?;
    let runs: Vec<RunView> =
        history.runs.iter().rev().take(RUNS).map(|run| told(run, &history)).collect();
    let left_out = history.runs.len() - runs.len();
    out.page("run.html", &pages::Runs { nav: nav("run.html"), runs, left_out })?;
    let remaining = planned.map(|planned| Remaining::all(&planned.remaining)).unwrap_or_default();
    let kept = papers.iter().filter_map(|paper| {
        let run = paper.recorded.as_ref()?;
        Some(pages::Kept {
            href: pages::paper_file(&paper.id),
            name: paper.name.clone(),
            profile: run.profile.clone(),
            told: run.told.clone(),
        })
    });
    let (kept, nav) = (kept.collect(), nav("provenance.html"));
    let page = provenance(nav, &store, &history, (remaining, kept))?;
    out.page("provenance.html", &page)?;
    // Several figures may show one table.
    files.sort();
    files.dedup();
    downloads::write(report, &files)?;
    out.written.extend(files.iter().map(|(href, _)| report.join(href)));
    out.written.push(index::write(artifacts, &store, &history.records)?);
    Ok(out.written)
}

/// Forest plots as files of their own.
fn drawings(name: &str, svgs: &[String], files: &mut Vec<File>) -> Vec<Download> {
    let file = |(i, svg): (usize, &String)| {
        downloads::drawing(&format!("forest-{name}-{}.svg", i + 1), svg, DRAWINGS, files)
    };
    svgs.iter().enumerate().map(file).collect()
}

struct Out<'a> {
    folder: &'a Path,
    written: Vec<PathBuf>,
}

impl Out<'_> {
    fn page(&mut self, name: &str, page: &impl Template) -> Result<()> {
        let fill = |source| Error::Page { page: name.to_owned(), source };
        let text = page.render().map_err(fill)?;
        self.file(name, &text)
    }

    /// Writes beside the file and renames, so that nobody reads half a page.
    fn file(&mut self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        let beside = self.folder.join(format!(".{name}.{}", std::process::id()));
        fs::write(&beside, text)
            .and_then(|()| fs::rename(&beside, &path))
            .map_err(|e| Error::io("write", &path, e))?;
        self.written.push(path);
        Ok(())
    }
}

/// The profile of the last run that ended with the paper's present verdicts.
fn profile(history: &History, paper: &Paper) -> String {
    match &paper.recorded {
        Some(recorded) if !paper.here => recorded.profile.clone(),
        _ => judged(history, paper)
            .map_or_else(|| "unknown".to_owned(), |run| run.record.profile.clone()),
    }
}

fn judged<'a>(history: &'a History, paper: &Paper) -> Option<&'a Run> {
    let stage = format!("{}/claims", paper.id);
    let now =
        |run: &&Run| run.record.stages.get(&stage).is_some_and(|key| key.to_string() == paper.key);
    history.runs.iter().rev().find(now).or_else(|| history.last_with(&stage))
}

/// Content digest → the stage that made it, with the output where it is not `main`. Of several the
/// first by name.
fn makers(tables: &Artifacts, store: &Store) -> HashMap<String, String> {
    let log = store.facts();
    let facts = log.known();
    let mut makers = HashMap::new();
    for (name, key) in tables.keys() {
        for artifact in facts.done(key).into_iter().flat_map(|produced| produced.iter()) {
            let output = match &*artifact.output {
                "main" => String::new(),
                other => format!(" --output {other}"),
            };
            makers.entry(artifact.digest.to_string()).or_insert_with(|| format!("{name}{output}"));
        }
    }
    makers
}

fn graph(
    paper: &Paper,
    history: &History,
    planned: Option<&Planned>,
    known: &[Lacking],
) -> Option<Graph> {
    let run = judged(history, paper)?;
    let planned = planned.filter(|planned| planned.profile == run.record.profile);
    // A plan knows more of an unavailable stage than the store does.
    let mut lacking: Vec<Lacking> = planned.map_or(&[][..], |planned| &planned.lacking).to_vec();
    let told: HashSet<String> = lacking.iter().map(|stage| stage.name.clone()).collect();
    lacking.extend(known.iter().filter(|stage| !told.contains(&stage.name)).cloned());
    let own = format!("{}/", paper.id);
    lacking.retain(|stage| {
        stage.name.starts_with(&own) && !run.record.stages.contains_key(&stage.name)
    });
    let dag = Dag::of(&paper.id, run, history, &lacking);
    if dag.is_empty() {
        return None;
    }
    let (sweeps, blocks) = (dag.sweeps(), dag.picture());
    let mut states = std::collections::BTreeMap::new();
    for (state, n) in sweeps.blocks.iter().flat_map(|block| &block.states) {
        *states.entry(*state).or_insert(0) += n;
    }
    let states: Vec<_> = states.iter().map(|(state, n)| format!("{n} {}", state.word())).collect();
    let cpu: f64 = sweeps.blocks.iter().map(|block| block.cpu_s).sum();
    let summary = format!(
        "{} at the end of run {}: {}. CPU time of all: {}.",
        count(dag.len(), "stage"),
        run.record.id,
        states.join(", "),
        duration(cpu)
    );
    let caption = format!(
        "{} stand for the {} of {}; the table below lists every sweep.",
        count(blocks.blocks.len(), "block"),
        count(dag.len(), "stage"),
        paper.name
    );
    let alt = format!("The stages of {} and what each reads. {summary}", paper.name);
    let row = |block: &dag::Block| SweepRow {
        name: block.name.clone(),
        stages: block.stages,
        told: block.told(),
        cpu: duration(block.cpu_s),
        key: block.key.as_deref().map_or("–", short).to_owned(),
    };
    Some(Graph {
        paper: paper.id.clone(),
        name: paper.name.clone(),
        summary,
        caption,
        svg: picture::draw(&blocks, &paper.id, &alt),
        rows: sweeps.blocks.iter().map(row).collect(),
        lacking,
    })
}

fn told(run: &Run, history: &History) -> RunView {
    let groups = run.groups(&history.records);
    let cached = run.origins.values().filter(|origin| **origin == Origin::Cached).count();
    RunView {
        id: run.record.id,
        profile: run.record.profile.clone(),
        overrides: run.record.overrides.clone(),
        host: run.record.host.clone(),
        finished: machine::iso(run.record.finished),
        computed: run.computed(),
        cached,
        seconds: duration(groups.iter().map(|group| group.seconds).sum()),
        groups,
    }
}

fn provenance(
    nav: pages::Nav,
    store: &Store,
    history: &History,
    (remaining, recorded): (Vec<Remaining>, Vec<pages::Kept>),
) -> Result<pages::Provenance> {
    let origins = Origins::of(store, &history.records);
    let table = |caption: &str, head: &str, costs: &[Cost]| {
        let page = Costs { caption, head, costs };
        let fill = |source| Error::Page { page: "provenance.html".to_owned(), source };
        page.render().map_err(fill)
    };
    let all = [origins.present.clone(), origins.ever.clone()];
    Ok(pages::Provenance {
        nav,
        totals: table("Cost of everything", "what", &all)?,
        papers: table("Cost of the present results, by paper", "paper", &origins.papers)?,
        kinds: table("Cost of the present results, by kind of stage", "kind", &origins.kinds)?,
        origins,
        remaining,
        recorded,
    })
}
