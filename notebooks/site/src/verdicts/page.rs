//! The page of a paper: its answer, its claims with their evidence, and what its notebook shows.

use askama::Template;

use crate::{
    downloads::offered::{Download, Offered},
    drawing::forest::{self, Other, Quantity},
    filters,
    front_page::Card,
    pages::{Nav, nav, paper_file},
    paper::Paper,
    verdicts::claims::Claim,
    verdicts::explorer::{self, Explorer},
    words::{anchor, count},
};

/// A claim on its paper's page.
pub struct View<'a> {
    pub claim: &'a Claim,
    pub anchor: String,
    pub others: Vec<&'a Claim>,
    /// What another run says of it: the recorded one beside what was computed here, or what has no meaning beside the
    /// recorded one.
    pub beside: Option<&'a Claim>,
    pub found: String,
    pub forests: Vec<String>,
    /// The drawings as files.
    pub files: Vec<Download>,
    pub evidence: Vec<(String, &'a str)>,
    pub explorer: Explorer,
}

/// What a paper's page shows beside its claims.
pub struct Shown<'a> {
    /// Its answer, as on the first page.
    pub card: &'a Card,
    /// The tables of its verdicts.
    pub offered: Offered,
    /// What its executed notebook shows.
    pub notebook: Option<String>,
}

/// The page of a paper.
#[derive(Template)]
#[template(path = "paper.html")]
pub struct PaperPage<'a> {
    pub nav: Nav,
    pub paper: &'a Paper,
    pub profile: String,
    pub stage: String,
    pub views: Vec<View<'a>>,
    /// How verdicts look, for the script.
    pub looks: String,
    pub shown: Shown<'a>,
    /// What the other run is called.
    pub beside: &'static str,
}

impl<'a> PaperPage<'a> {
    /// The page of `paper`; `maker` finds the stage that made the artifact with a digest.
    pub fn new(
        papers: &[Paper],
        paper: &'a Paper,
        profile: &str,
        shown: Shown<'a>,
        maker: impl Fn(&str) -> String,
    ) -> Self {
        let run = paper.recorded.as_ref().map(|run| format!("recorded, profile {}", run.profile));
        let run = run.unwrap_or_default();
        let view = |claim: &'a Claim| {
            let title = format!("Our values for {}", claim.id);
            let drawn = |quantity: &Quantity| quantity.draw(&title);
            let recorded = paper.recorded().find(|of| paper.here && of.id == claim.id);
            let other = recorded.map(|claim| Other { run: &run, claim });
            let aside = || paper.own().find(|of| !paper.here && of.id == claim.id);
            View {
                claim,
                anchor: anchor(&claim.id),
                others: paper.others(&claim.id),
                beside: recorded.or_else(aside),
                found: count(claim.findings.len(), "finding"),
                forests: forest::of_claim(claim, other).iter().filter_map(drawn).collect(),
                files: Vec::new(),
                evidence: claim.evidence.split_whitespace().map(|d| (maker(d), d)).collect(),
                explorer: Explorer::of(paper, profile, &claim.id),
            }
        };
        Self {
            nav: nav(papers, &paper_file(&paper.id)),
            profile: profile.to_owned(),
            stage: format!("{}/claims", paper.id),
            views: paper.headline().map(view).collect(),
            looks: explorer::looks(),
            beside: if paper.here { "recorded" } else { "here, profile smoke" },
            shown,
            paper,
        }
    }
}
