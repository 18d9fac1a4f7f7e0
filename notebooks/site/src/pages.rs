//! What each page shows, as its template reads it. Decides what goes where; draws nothing itself.

use askama::Template;

use crate::{
    claims::Claim,
    contests::Stand,
    drawing::forest::{self, Quantity, Row},
    figures::Figure,
    filters,
    history::Group,
    lacking::Lacking,
    missing::Missing,
    origin::{Cost, Origins},
    paper::Paper,
    state::State,
    verdict::{DIRECTIONS, VERDICTS, Verdict},
    words::{anchor, count},
};

/// A link of the navigation.
pub struct Link {
    /// Where it leads.
    pub href: String,
    /// Its text.
    pub name: String,
    /// Whether it leads to this page.
    pub here: bool,
}

/// The file of a paper's page.
pub fn paper_file(id: &str) -> String {
    format!("paper-{id}.html")
}

/// The links of the page `here`.
pub fn nav(papers: &[Paper], here: &str) -> Vec<Link> {
    let fixed = |(href, name): (&str, &str)| (href.to_owned(), name.to_owned());
    let first = [("index.html", "Verdicts")].map(fixed).into_iter();
    let middle = papers.iter().map(|paper| (paper_file(&paper.id), paper.name.clone()));
    let last = [
        ("figures.html", "Figures"),
        ("stages.html", "Stages"),
        ("run.html", "Runs"),
        ("provenance.html", "Provenance"),
    ];
    let all = first.chain(middle).chain(last.map(fixed));
    all.map(|(href, name)| Link { here: href == here, href, name }).collect()
}

/// A claim in the matrix.
pub struct Cell {
    pub id: String,
    pub href: String,
    pub statement: String,
    pub verdict: Verdict,
    pub scaled_down: bool,
}

/// The verdicts of one run on a paper.
pub struct MatrixLine {
    /// Which run: the recorded one or the reader's own, and its profile.
    pub run: String,
    pub cells: Vec<Cell>,
}

/// A paper in the matrix.
pub struct MatrixRow {
    pub name: String,
    pub title: String,
    pub href: String,
    pub lines: Vec<MatrixLine>,
}

/// How often each verdict was given.
pub struct Tally {
    pub total: usize,
    /// Verdicts at the papers' sizes, in order of merit.
    pub verdicts: Vec<(Verdict, usize)>,
    /// Where evidence below the papers' sizes points.
    pub directions: Vec<(Verdict, usize)>,
}

impl Tally {
    fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> Self {
        let claims: Vec<&Claim> = claims.collect();
        let count = |verdict: Verdict| {
            (verdict, claims.iter().filter(|claim| claim.verdict == verdict).count())
        };
        Self {
            total: claims.len(),
            verdicts: VERDICTS.map(count).into(),
            directions: DIRECTIONS.map(count).into(),
        }
    }
}

/// A row of the table behind a forest plot.
pub struct Compared {
    pub claim: String,
    pub href: String,
    pub place: String,
    pub measure: String,
    pub ours: String,
    pub scaled_down: bool,
    pub paper: String,
}

/// The forest plots of one paper, one for each quantity.
pub struct Forest {
    pub paper: String,
    pub name: String,
    pub href: String,
    pub title: String,
    pub svgs: Vec<String>,
    pub rows: Vec<Compared>,
    pub stage: String,
    pub key: String,
}

/// The first page.
#[derive(Template)]
#[template(path = "index.html")]
pub struct Index {
    pub nav: Vec<Link>,
    pub papers: Vec<MatrixRow>,
    /// The verdicts of the recorded runs and those of the reader's own, each under its name, where there are any.
    pub tallies: Vec<(&'static str, Tally)>,
    /// What each verdict means.
    pub legend: Vec<Verdict>,
    pub forests: Vec<Forest>,
    /// Papers without a number to compare with.
    pub wordless: Vec<String>,
    /// Papers without verdicts.
    pub missing: Vec<Missing>,
    /// Whether the notebook that opens any artifact was executed.
    pub explore: bool,
}

impl Index {
    /// The page over `papers`, each with the profile under which it was judged, and those that have no
    /// verdicts; `explore` says whether there is an executed notebook of that name.
    pub fn new(
        papers: &[Paper],
        profiles: &[String],
        missing: Vec<Missing>,
        explore: bool,
    ) -> Self {
        let row = |(paper, profile): (&Paper, &String)| {
            let recorded = paper.recorded.as_ref().map(|run| MatrixLine {
                run: format!("recorded, profile {}", run.profile),
                cells: paper.recorded().map(|claim| cell(paper, claim)).collect(),
            });
            let here = paper.here.then(|| MatrixLine {
                run: format!("computed here, profile {profile}"),
                cells: paper.headline().map(|claim| cell(paper, claim)).collect(),
            });
            MatrixRow {
                name: paper.name.clone(),
                title: paper.title.clone(),
                href: paper_file(&paper.id),
                lines: recorded.into_iter().chain(here).collect(),
            }
        };
        let recorded = papers.iter().flat_map(Paper::recorded);
        let here = papers.iter().filter(|paper| paper.here).flat_map(Paper::headline);
        let mut tallies = vec![
            ("Recorded with the sources", Tally::of(recorded)),
            ("Computed here", Tally::of(here)),
        ];
        tallies.retain(|(_, tally)| tally.total > 0);
        let forests: Vec<Forest> = papers.iter().filter_map(compared).collect();
        let shown = |paper: &&Paper| forests.iter().any(|forest| forest.paper == paper.id);
        let (_, wordless): (Vec<&Paper>, Vec<&Paper>) = papers.iter().partition(shown);
        Self {
            nav: nav(papers, "index.html"),
            tallies,
            legend: VERDICTS.into_iter().chain(DIRECTIONS).collect(),
            papers: papers.iter().zip(profiles).map(row).collect(),
            wordless: wordless.into_iter().map(|paper| paper.name.clone()).collect(),
            forests,
            missing,
            explore,
        }
    }
}

fn href(paper: &Paper, claim: &Claim) -> String {
    format!("{}#{}", paper_file(&paper.id), anchor(&claim.id))
}

fn cell(paper: &Paper, claim: &Claim) -> Cell {
    Cell {
        id: claim.id.clone(),
        href: href(paper, claim),
        statement: claim.statement.clone(),
        verdict: claim.verdict,
        scaled_down: claim.scaled_down,
    }
}

/// The findings of a paper that compare a number with the paper's.
fn compared(paper: &Paper) -> Option<Forest> {
    let (mut rows, mut table) = (Vec::new(), Vec::new());
    for claim in paper.headline() {
        for finding in &claim.findings {
            let (Some(published), Some(row)) = (&finding.published, Row::of(claim, finding)) else {
                continue;
            };
            table.push(Compared {
                claim: claim.id.clone(),
                href: href(paper, claim),
                place: finding.place.clone(),
                measure: published.measure.told(),
                ours: finding.ours(),
                scaled_down: claim.scaled_down,
                paper: published.told(),
            });
            let place = finding.place.trim_end_matches(" against the paper");
            rows.push(Row { label: format!("{}: {place}", claim.id), ..row });
        }
    }
    let title = format!("{}: our values and the paper's", paper.name);
    let groups = forest::grouped(rows.into_iter());
    let svgs: Vec<String> = groups.iter().filter_map(|group| group.draw(&title)).collect();
    (!svgs.is_empty()).then(|| Forest {
        paper: paper.id.clone(),
        name: paper.name.clone(),
        href: paper_file(&paper.id),
        title,
        svgs,
        rows: table,
        stage: format!("{}/claims (findings)", paper.id),
        key: paper.key.clone(),
    })
}

/// A claim on its paper's page.
pub struct View<'a> {
    pub claim: &'a Claim,
    pub anchor: String,
    pub others: Vec<&'a Claim>,
    /// What the recorded run says of it, beside what was computed here.
    pub recorded: Option<&'a Claim>,
    pub found: String,
    pub forests: Vec<String>,
    pub evidence: Vec<(String, &'a str)>,
}

/// The page of a paper.
#[derive(Template)]
#[template(path = "paper.html")]
pub struct PaperPage<'a> {
    pub nav: Vec<Link>,
    pub paper: &'a Paper,
    pub profile: String,
    pub stage: String,
    pub tally: Tally,
    pub views: Vec<View<'a>>,
}

impl<'a> PaperPage<'a> {
    /// The page of `paper`; `maker` finds the stage that made the artifact with a digest.
    pub fn new(
        papers: &[Paper],
        paper: &'a Paper,
        profile: &str,
        maker: impl Fn(&str) -> String,
    ) -> Self {
        let view = |claim: &'a Claim| {
            let title = format!("Our values for {}", claim.id);
            let drawn = |quantity: &Quantity| quantity.draw(&title);
            View {
                claim,
                anchor: anchor(&claim.id),
                others: paper.others(&claim.id),
                recorded: paper.recorded().find(|of| paper.here && of.id == claim.id),
                found: count(claim.findings.len(), "finding"),
                forests: forest::of_claim(claim).iter().filter_map(drawn).collect(),
                evidence: claim.evidence.split_whitespace().map(|d| (maker(d), d)).collect(),
            }
        };
        Self {
            nav: nav(papers, &paper_file(&paper.id)),
            profile: profile.to_owned(),
            stage: format!("{}/claims", paper.id),
            tally: Tally::of(paper.headline()),
            views: paper.headline().map(view).collect(),
            paper,
        }
    }
}

/// The page of figures across data sets.
#[derive(Template)]
#[template(path = "figures.html")]
pub struct Figures {
    pub nav: Vec<Link>,
    pub figures: Vec<Figure>,
    /// Figures that cannot be shown.
    pub missing: Vec<Missing>,
    pub stands: Vec<Stand>,
}

/// A row of the table of sweeps.
pub struct SweepRow {
    pub name: String,
    pub stages: usize,
    pub told: String,
    pub cpu: String,
    pub key: String,
}

/// The graph of one paper.
pub struct Graph {
    pub paper: String,
    pub name: String,
    pub summary: String,
    pub caption: String,
    pub svg: String,
    pub rows: Vec<SweepRow>,
    pub lacking: Vec<Lacking>,
}

/// The page of the stages.
#[derive(Template)]
#[template(path = "stages.html")]
pub struct Stages {
    pub nav: Vec<Link>,
    pub states: [State; 4],
    pub graphs: Vec<Graph>,
}

/// A run with what it computed.
pub struct RunView {
    pub id: u64,
    pub profile: String,
    pub overrides: Vec<String>,
    pub host: String,
    pub finished: String,
    pub computed: usize,
    pub cached: usize,
    pub seconds: String,
    pub groups: Vec<Group>,
}

/// The page of the runs.
#[derive(Template)]
#[template(path = "run.html")]
pub struct Runs {
    pub nav: Vec<Link>,
    pub runs: Vec<RunView>,
    pub left_out: usize,
}

/// A table of costs.
#[derive(Template)]
#[template(path = "costs.html")]
pub struct Costs<'a> {
    pub caption: &'a str,
    pub head: &'a str,
    pub costs: &'a [Cost],
}

/// The page of origins.
#[derive(Template)]
#[template(path = "provenance.html")]
pub struct Provenance {
    pub nav: Vec<Link>,
    pub origins: Origins,
    pub totals: String,
    pub papers: String,
    pub kinds: String,
}
