//! The first page: per paper a card with its answer, all claims in their words, and our values beside those of
//! the papers.

use askama::Template;

use crate::{
    absent::missing::Missing,
    downloads::offered::Download,
    drawing::forest::{self, Row},
    filters,
    names::Citation,
    pages::{Nav, Tally, nav, paper_file},
    paper::{Paper, SMOKE},
    recorded::judged_by,
    verdicts::claims::Claim,
    verdicts::summary::Summary,
    verdicts::verdict::{DIRECTIONS, UNTESTED, VERDICTS, Verdict},
    words::anchor,
};

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
    /// The drawings as files.
    pub files: Vec<Download>,
    pub rows: Vec<Compared>,
    pub stage: String,
    pub key: String,
}

/// The verdicts of one run on a paper, counted.
pub struct Counted {
    /// Which run: the recorded one or the reader's own, and its profile.
    pub run: String,
    pub tally: Tally,
}

/// A claim in its words, with what the recorded run and the reader's own say of it.
pub struct Told {
    pub id: String,
    pub href: String,
    pub item: String,
    pub statement: String,
    pub paper_value: String,
    pub ours: String,
    pub recorded: Option<Verdict>,
    pub here: Option<Verdict>,
}

/// A paper on the first page.
pub struct Card {
    pub id: String,
    pub name: String,
    pub title: String,
    pub citation: Option<Citation>,
    pub href: String,
    pub notebook: bool,
    /// Which run the answer is from.
    pub source: &'static str,
    pub summary: Summary,
    pub runs: Vec<Counted>,
    pub claims: Vec<Told>,
}

/// The first page.
#[derive(Template)]
#[template(path = "index.html")]
pub struct FrontPage {
    pub nav: Nav,
    pub cards: Vec<Card>,
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

impl FrontPage {
    /// The page over `papers`, each with the profile under which it was judged, and those that have no
    /// verdicts; `explore` says whether there is an executed notebook of that name.
    pub fn new(
        papers: &[Paper],
        profiles: &[String],
        missing: Vec<Missing>,
        explore: bool,
    ) -> Self {
        let recorded = papers.iter().flat_map(Paper::recorded);
        let here = papers.iter().flat_map(Paper::own);
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
            cards: papers
                .iter()
                .zip(profiles)
                .map(|(paper, profile)| card(paper, profile))
                .collect(),
            wordless: wordless.into_iter().map(|paper| paper.name.clone()).collect(),
            forests,
            missing,
            explore,
        }
    }
}

fn card(paper: &Paper, profile: &str) -> Card {
    let recorded: Vec<&Claim> = paper.recorded().collect();
    let here: Vec<&Claim> = paper.own().collect();
    let mut runs = Vec::new();
    if let Some(run) = &paper.recorded {
        let tally = Tally::of(recorded.iter().copied());
        let by = judged_by(run.outdated);
        runs.push(Counted { run: format!("Recorded, profile {}{by}", run.profile), tally });
    }
    if !here.is_empty() {
        let profile = if paper.smoke { SMOKE } else { profile };
        let tally = Tally::of(here.iter().copied());
        runs.push(Counted { run: format!("Computed here, profile {profile}"), tally });
    }
    let verdict = |claims: &[&Claim], id: &str| {
        claims.iter().find(|claim| claim.id == id).map(|claim| claim.verdict)
    };
    let told = |claim: &Claim| {
        let tested = |of: &&&Claim| of.id == claim.id && of.verdict != UNTESTED;
        let from = recorded.iter().find(tested).copied().unwrap_or(claim);
        Told {
            id: claim.id.clone(),
            href: href(paper, claim),
            item: claim.item.clone(),
            statement: claim.statement.clone(),
            paper_value: claim.paper_value.clone(),
            ours: from.told(),
            recorded: verdict(&recorded, &claim.id),
            here: verdict(&here, &claim.id),
        }
    };
    // A recorded run is the larger of the two, or equal to the reader's own.
    let says = |claims: &[&Claim]| claims.iter().any(|claim| claim.verdict != UNTESTED);
    let (source, answer) = if says(&recorded) || here.is_empty() {
        ("the recorded run", &recorded)
    } else {
        ("what was computed here", &here)
    };
    Card {
        id: paper.id.clone(),
        name: paper.name.clone(),
        title: paper.title.clone(),
        citation: paper.citation,
        href: paper_file(&paper.id),
        notebook: paper.notebook,
        source,
        summary: Summary::of(answer, paper.audit.as_ref()),
        runs,
        claims: paper.headline().map(told).collect(),
    }
}

fn href(paper: &Paper, claim: &Claim) -> String {
    format!("{}#{}", paper_file(&paper.id), anchor(&claim.id))
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
        files: Vec::new(),
        rows: table,
        stage: format!("{}/claims (findings)", paper.id),
        key: paper.key.clone(),
    })
}
