//! What each page shows, as its template reads it. Decides what goes where; draws nothing itself.

use askama::Template;

use crate::{
    absent::lacking::Lacking,
    absent::missing::Missing,
    figures::Figure,
    filters,
    history::Group,
    origin::{Cost, Origins},
    paper::{MEANINGLESS, Paper},
    remaining::Remaining,
    state::State,
    verdicts::claims::Claim,
    verdicts::verdict::{DIRECTIONS, VERDICTS, Verdict},
    words::count,
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

/// What every page begins with.
pub struct Nav {
    /// The links to all pages.
    pub links: Vec<Link>,
    /// A sentence about results without meaning, where there are some.
    pub notice: Option<String>,
    /// The pages of papers with a recorded run.
    pub recorded: Vec<Link>,
}

/// The beginning of the page `here`.
pub fn nav(papers: &[Paper], here: &str) -> Nav {
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
    let links = all.map(|(href, name)| Link { here: href == here, href, name }).collect();
    let smoke: Vec<&str> =
        papers.iter().filter(|paper| paper.smoke).map(|paper| paper.name.as_str()).collect();
    let notice = (!smoke.is_empty())
        .then(|| format!("{MEANINGLESS} Computed here under it: {}.", smoke.join(", ")));
    let recorded = papers.iter().filter(|paper| paper.recorded.is_some());
    let link =
        |paper: &Paper| Link { href: paper_file(&paper.id), name: paper.name.clone(), here: false };
    Nav { links, notice, recorded: recorded.map(link).collect() }
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
    /// The count over these claims.
    pub fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> Self {
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

    /// How many claims there are, in words.
    pub fn claims(&self) -> String {
        count(self.total, "claim")
    }

    /// The verdicts at the papers' sizes.
    pub fn verdicts_given(&self) -> usize {
        self.verdicts.iter().map(|(_, n)| n).sum()
    }

    /// The directions from smaller evidence.
    pub fn directions_given(&self) -> usize {
        self.directions.iter().map(|(_, n)| n).sum()
    }
}

/// The page of figures across data sets.
#[derive(Template)]
#[template(path = "figures.html")]
pub struct Figures {
    pub nav: Nav,
    pub figures: Vec<Figure>,
    /// Figures that cannot be shown.
    pub missing: Vec<Missing>,
    /// Whether there is a page of ours against theirs.
    pub parity: bool,
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
    pub nav: Nav,
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
    pub nav: Nav,
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

/// A recorded run, with what it cost.
pub struct Kept {
    pub href: String,
    pub name: String,
    pub profile: String,
    /// Its size, cost, machines and date.
    pub told: String,
}

/// The page of origins.
#[derive(Template)]
#[template(path = "provenance.html")]
pub struct Provenance {
    pub nav: Nav,
    pub origins: Origins,
    pub totals: String,
    pub papers: String,
    pub kinds: String,
    pub remaining: Vec<Remaining>,
    pub recorded: Vec<Kept>,
}
