//! The figures across data sets: anytime curves, average ranks over the budget, critical-difference
//! diagrams, and where every tuner stands in its paper's contests. Puts them together; the drawing is
//! done elsewhere.

use std::collections::BTreeMap;

use pipeline::artifacts::Artifacts;

use crate::{
    critical,
    curves::{self, Panel},
    error::Result,
    frame::Frame,
    plot::mark,
    ranks::{self, Block, standing},
    sources::{CONTESTS, CURVES, Contest, Curves},
    words::{anchor, count, number},
};

/// A table behind a figure.
pub struct Behind {
    /// What it holds.
    pub caption: String,
    /// The head.
    pub head: Vec<String>,
    /// The rows, their first cell a head.
    pub rows: Vec<Vec<String>>,
}

/// An entry of a legend.
pub struct Series {
    /// Its number among the series of the figure.
    pub place: usize,
    /// The mark as SVG.
    pub mark: String,
    /// The method.
    pub name: String,
}

/// A figure: drawings with a legend, a caption and the table behind.
pub struct Figure {
    /// For links to it.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What there is to see.
    pub caption: String,
    /// The methods; empty where the drawing names them.
    pub legend: Vec<Series>,
    /// The names of the panels, where there are several to choose from.
    pub panels: Vec<String>,
    /// The drawings as SVG.
    pub drawings: Vec<String>,
    /// The numbers.
    pub table: Behind,
    /// The stage whose table it shows.
    pub stage: String,
    /// Its key.
    pub key: String,
}

/// All figures that the artifacts hold data for.
///
/// # Errors
/// When a table lacks a column.
pub fn all(artifacts: &Artifacts) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for source in &CURVES {
        let panels = curves::panels(artifacts, source)?;
        if !panels.is_empty() {
            let key = artifacts.key(source.stage)?.to_string();
            figures.push(anytime(source, &panels, &key));
            figures.extend(race(source, &panels, &key));
        }
    }
    for contest in &CONTESTS {
        let blocks = blocks(artifacts, contest)?;
        if let Some(standing) = standing(&blocks.iter().map(|(_, b)| b.clone()).collect::<Vec<_>>())
        {
            let key = artifacts.key(contest.stage)?.to_string();
            figures.push(contested(contest, &blocks, &standing, &key));
        }
    }
    Ok(figures)
}

fn legend(methods: &[String]) -> Vec<Series> {
    let series = |(place, name): (usize, &String)| Series {
        place,
        mark: mark(place, (7.0, 7.0)),
        name: name.clone(),
    };
    methods.iter().enumerate().map(series).collect()
}

fn anytime(source: &Curves, panels: &[Panel], key: &str) -> Figure {
    let methods = curves::methods(panels);
    let row = |panel: &Panel| {
        let cells = methods.iter().map(|method| number(panel.last(method)));
        std::iter::once(panel.problem.clone()).chain(cells).collect()
    };
    Figure {
        id: anchor(source.stage),
        title: format!("Anytime curves, {}", source.title),
        caption: format!(
            "The {} of each method against {}; a panel for each problem. Median over repeats, band \
             between the quartiles, from where every repeat has a value.",
            source.label, source.budget
        ),
        legend: legend(&methods),
        panels: panels.iter().map(|panel| panel.problem.clone()).collect(),
        drawings: panels.iter().filter_map(|panel| panel.draw(&methods, source)).collect(),
        table: Behind {
            caption: format!("The {} at the end", source.label),
            head: std::iter::once("problem".to_owned()).chain(methods.iter().cloned()).collect(),
            rows: panels.iter().map(row).collect(),
        },
        stage: source.stage.to_owned(),
        key: key.to_owned(),
    }
}

fn race(source: &Curves, panels: &[Panel], key: &str) -> Option<Figure> {
    let methods = curves::methods(panels);
    let race = curves::race(panels, source.across)?;
    let scaled = match source.across {
        crate::plot::Scale::Log => "share of the budget, on a logarithmic scale",
        crate::plot::Scale::Linear => "share of the budget",
    };
    let left_out: Vec<&str> =
        methods.iter().filter(|m| !race.ranks.contains_key(*m)).map(String::as_str).collect();
    let left_out = if left_out.is_empty() {
        String::new()
    } else {
        format!(" Left out, since not run on every problem: {}.", left_out.join(", "))
    };
    let at = [0, race.shares.len() / 4, race.shares.len() / 2, race.shares.len() - 1];
    let row = |(method, ranks): (&String, &Vec<f64>)| {
        let cells = at.iter().map(|i| format!("{:.2}", ranks[*i]));
        std::iter::once(method.clone()).chain(cells).collect()
    };
    Some(Figure {
        id: format!("{}-rank", anchor(source.stage)),
        title: format!("Average rank over time, {}", source.title),
        caption: format!(
            "The rank of each method by its median so far, averaged over {}; 1 is best, and a method \
             that has no value yet comes last.{left_out}",
            count(panels.len(), "problem")
        ),
        legend: legend(&methods)
            .into_iter()
            .filter(|series| race.ranks.contains_key(&series.name))
            .collect(),
        panels: Vec::new(),
        drawings: vec![race.draw(&methods, scaled)],
        table: Behind {
            caption: "Average ranks".to_owned(),
            head: ["method", "at the start", "after a quarter", "after half", "at the end"]
                .map(str::to_owned)
                .to_vec(),
            rows: race.ranks.iter().map(row).collect(),
        },
        stage: source.stage.to_owned(),
        key: key.to_owned(),
    })
}

/// The values of a contest, block by block; empty where its table is not there. Of several values of
/// a method the mean of what each repeat reached.
fn blocks(artifacts: &Artifacts, contest: &Contest) -> Result<Vec<(String, Block)>> {
    // Curves hold steps: what counts is the end.
    if let Some(source) = CURVES.iter().find(|source| source.stage == contest.stage) {
        let panels = curves::panels(artifacts, source)?;
        if contest.value == source.value {
            return Ok(panels
                .into_iter()
                .map(|p| {
                    (p.problem.clone(), p.curves.keys().map(|m| (m.clone(), p.last(m))).collect())
                })
                .collect());
        }
    }
    let Some(frame) = Frame::find(artifacts, contest.stage, "main") else { return Ok(Vec::new()) };
    let names = contest.method.iter().map(|column| frame.label(column));
    let names = names.collect::<Result<Vec<_>>>()?;
    let (block, value) = (frame.label(contest.block)?, frame.number(contest.value)?);
    let keep = curves::kept(&frame, contest.only)?;
    let mut sums: BTreeMap<String, BTreeMap<String, (f64, f64)>> = BTreeMap::new();
    for r in (0..frame.rows()).filter(|r| keep[*r]) {
        let method = names.iter().map(|column| column[r].as_str()).collect::<Vec<_>>().join(" ");
        let sum = sums.entry(block[r].clone()).or_default().entry(method).or_default();
        *sum = (sum.0 + value[r], sum.1 + 1.0);
    }
    let sign = if contest.more { -1.0 } else { 1.0 };
    let mean = |(method, (sum, n)): (String, (f64, f64))| (method, sign * sum / n);
    Ok(sums.into_iter().map(|(b, own)| (b, own.into_iter().map(mean).collect())).collect())
}

fn contested(
    contest: &Contest,
    blocks: &[(String, Block)],
    standing: &ranks::Standing,
    key: &str,
) -> Figure {
    let title = format!(
        "Critical differences, {}: {} over {}",
        contest.paper,
        count(standing.methods.len(), "method"),
        count(standing.blocks, contest.blocks)
    );
    let left_out = if standing.partial.is_empty() {
        String::new()
    } else {
        format!(" Left out, since not run everywhere: {}.", standing.partial.join(", "))
    };
    let sign = if contest.more { -1.0 } else { 1.0 };
    let row = |(method, rank): &(String, f64)| {
        let value = |(_, block): &(String, Block)| {
            number(block.get(method).map_or(f64::NAN, |value| sign * value + 0.0))
        };
        let head = [method.clone(), format!("{rank:.2}")];
        head.into_iter().chain(blocks.iter().map(value)).collect()
    };
    let head = ["method", "average rank"].map(str::to_owned).into_iter();
    Figure {
        id: format!("{}-critical", anchor(contest.stage)),
        caption: format!(
            "Average rank of each method by {}; 1 is best. A bar joins methods that Nemenyi's test does \
             not tell apart at the 5% level.{left_out}",
            contest.label
        ),
        legend: Vec::new(),
        panels: Vec::new(),
        drawings: vec![critical::draw(standing, &title)],
        table: Behind {
            caption: format!("Ranks, and {}", contest.label),
            head: head.chain(blocks.iter().map(|(block, _)| block.clone())).collect(),
            rows: standing.methods.iter().map(row).collect(),
        },
        title,
        stage: contest.stage.to_owned(),
        key: key.to_owned(),
    }
}

/// Where one tuner stands in one paper.
pub struct Stand {
    /// The paper.
    pub paper: &'static str,
    /// The tuner.
    pub method: String,
    /// Its mean relative rank: 0 where it is best everywhere, 1 where it is worst everywhere.
    pub relative: f64,
    /// In how many data sets, problems or functions.
    pub blocks: usize,
}

/// Every tuner of every contest, the best first. Data sets and rivals differ from paper to paper: the
/// numbers of one paper can be compared with each other only.
///
/// # Errors
/// When a table lacks a column.
pub fn stands(artifacts: &Artifacts) -> Result<Vec<Stand>> {
    let mut stands = Vec::new();
    for contest in &CONTESTS {
        let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for (_, block) in blocks(artifacts, contest)?.iter().filter(|(_, block)| block.len() > 1) {
            #[expect(clippy::cast_precision_loss, reason = "a handful of methods")]
            let worst = (block.len() - 1) as f64;
            for (method, rank) in ranks::ranks(block) {
                let sum = sums.entry(method.to_owned()).or_default();
                *sum = (sum.0 + (rank - 1.0) / worst, sum.1 + 1);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a handful of data sets")]
        let stand = |(method, (sum, blocks)): (String, (f64, usize))| Stand {
            paper: contest.paper,
            method,
            relative: sum / blocks as f64,
            blocks,
        };
        stands.extend(sums.into_iter().map(stand));
    }
    stands.sort_by(|a, b| {
        a.relative
            .total_cmp(&b.relative)
            .then_with(|| (a.paper, &a.method).cmp(&(b.paper, &b.method)))
    });
    Ok(stands)
}
