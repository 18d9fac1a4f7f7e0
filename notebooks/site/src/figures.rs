//! The figures across data sets: anytime curves, average ranks over the budget, critical-difference diagrams,
//! of each paper's contests. The figures are assembled here and drawn in `drawing`.

use std::collections::BTreeMap;

use figures::{Scale, style};
use pipeline::artifacts::Artifacts;

use crate::{
    absent::missing::Missing,
    contests::{self, Standing},
    downloads::offered::Offered,
    drawing::{
        critical,
        curves::{self, Panel},
        method::Method,
        ranks::Block,
        trace,
    },
    error::Result,
    names::Names,
    sources::{CONTESTS, CURVES, Contest, Course, Curves},
    traces::{TRACES, Traces},
    words::{anchor, count, number},
};

/// A table behind a figure.
pub struct Behind {
    /// Its caption.
    pub caption: String,
    /// The header row.
    pub head: Vec<String>,
    /// The rows, whose first cell is a header.
    pub rows: Vec<Vec<String>>,
}

/// An entry of a legend.
pub struct Series {
    /// Its number among the series of the figure.
    pub place: usize,
    /// Its style as SVG, see [`Method::sample`].
    pub sample: String,
    /// The method.
    pub name: String,
}

/// A figure: drawings with a legend, a caption and the table behind.
pub struct Figure {
    /// Its id, for links.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub caption: String,
    /// The methods; empty if the drawing names them.
    pub legend: Vec<Series>,
    /// The names of the panels, if there are several to choose from.
    pub panels: Vec<String>,
    /// The drawings as SVG.
    pub drawings: Vec<String>,
    /// The numbers.
    pub table: Behind,
    /// The stages whose tables it shows, each with its key.
    pub sources: Vec<(String, String)>,
    /// The outputs of these that it shows.
    pub outputs: Vec<&'static str>,
    /// Whether it is one of traces, along which a reader can move.
    pub moves: bool,
    /// What a reader can take away.
    pub offered: Offered,
}

/// All figures for which the artifacts hold data, and the notices in place of the others.
///
/// # Errors
/// If a table lacks a column, or is corrupt.
pub fn all(artifacts: &Artifacts, names: &Names) -> Result<(Vec<Figure>, Vec<Missing>)> {
    let (mut figures, mut missing) = (Vec::new(), Vec::new());
    let mut races: BTreeMap<&str, Vec<Panel>> = BTreeMap::new();
    for source in &CURVES {
        let panels = curves::panels(artifacts, source)?;
        if panels.is_empty() {
            let title = anytime_title(source, names.name(source.paper));
            missing.extend(Missing::of(artifacts, title, [source.stage])?);
        } else {
            figures.push(anytime(
                source,
                names.name(source.paper),
                &panels,
                behind(artifacts, [source.stage])?,
            ));
            if source.course == Course::Found {
                races.entry(source.paper).or_default().extend(panels);
            }
        }
    }
    for (paper, panels) in &races {
        let mut stages: Vec<&str> = panels.iter().map(|panel| panel.source.stage).collect();
        stages.dedup();
        figures.extend(race(paper, names.name(paper), panels, behind(artifacts, stages)?));
    }
    for source in &TRACES {
        let panels = trace::panels(artifacts, source)?;
        if !panels.is_empty() {
            let sources = behind(artifacts, [source.stage])?;
            figures.push(traced(source, names.name(source.paper), &panels, sources));
        }
    }
    for contest in &CONTESTS {
        if let Some((blocks, standing)) = contests::met(artifacts, contest)? {
            let sources = behind(artifacts, [contest.stage])?;
            figures.push(contested(contest, &contest.name(names), &blocks, &standing, sources));
        } else {
            let title = format!("Critical differences, {}", contest.name(names));
            missing.extend(Missing::of(artifacts, title, [contest.stage])?);
        }
    }
    Ok((figures, missing))
}

fn anytime_title(source: &Curves, paper: &str) -> String {
    format!("Anytime curves, {paper}: {}", source.title)
}

/// Stages with their keys.
fn behind<'a>(
    artifacts: &Artifacts,
    stages: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<(String, String)>> {
    let stages = stages.into_iter();
    stages.map(|stage| Ok((stage.to_owned(), artifacts.key(stage)?.to_string()))).collect()
}

fn legend(methods: &[Method]) -> Vec<Series> {
    let series = |(place, method): (usize, &Method)| Series {
        place,
        sample: method.sample(),
        name: method.name.clone(),
    };
    methods.iter().enumerate().map(series).collect()
}

/// The header of a table with a column for each method.
fn columns(methods: &[Method]) -> Vec<String> {
    let names = methods.iter().map(|method| method.name.clone());
    std::iter::once("problem".to_owned()).chain(names).collect()
}

fn anytime(
    source: &Curves,
    paper: &str,
    panels: &[Panel],
    sources: Vec<(String, String)>,
) -> Figure {
    let methods = curves::methods(panels);
    let row = |panel: &Panel| {
        let cells = methods.iter().map(|method| number(panel.last(&method.id)));
        std::iter::once(panel.problem.clone()).chain(cells).collect()
    };
    Figure {
        id: anchor(source.stage),
        title: anytime_title(source, paper),
        caption: format!(
            "The {} of each method against {}; a panel for each problem. Median over repeats, band \
             between the quartiles, from where every repeat has a value.",
            source.label, source.budget
        ),
        legend: legend(&methods),
        panels: panels.iter().map(|panel| panel.problem.clone()).collect(),
        drawings: panels.iter().filter_map(|panel| panel.draw(&methods)).collect(),
        table: Behind {
            caption: format!("The {} at the end", source.label),
            head: columns(&methods),
            rows: panels.iter().map(row).collect(),
        },
        sources,
        outputs: vec![source.output],
        moves: false,
        offered: Offered::default(),
    }
}

fn traced(
    source: &Traces,
    paper: &str,
    panels: &[trace::Panel],
    sources: Vec<(String, String)>,
) -> Figure {
    let methods = trace::methods(panels);
    let (across, up) = (source.across.1, source.up.1);
    let row = |panel: &trace::Panel| {
        let last = |method: &Method| panel.traces.get(&method.id)?.last().map(|(_, y)| *y);
        let cells = methods.iter().map(|method| number(last(method).unwrap_or(f64::NAN)));
        std::iter::once(panel.problem.clone()).chain(cells).collect()
    };
    Figure {
        id: format!("{}-trace", anchor(source.stage)),
        title: format!("Step by step, {paper}: {}", source.title),
        caption: format!(
            "One run of each method, step by step: {up} against {across}. Thick grey, where it is there: the \
             same along a grid."
        ),
        legend: legend(&methods),
        panels: panels.iter().map(|panel| panel.problem.clone()).collect(),
        drawings: panels.iter().filter_map(|panel| panel.draw(&methods)).collect(),
        table: Behind {
            caption: format!("The {up} at the last step"),
            head: columns(&methods),
            rows: panels.iter().map(row).collect(),
        },
        sources,
        outputs: vec![source.output],
        moves: true,
        offered: Offered::default(),
    }
}

fn race(id: &str, paper: &str, panels: &[Panel], sources: Vec<(String, String)>) -> Option<Figure> {
    let methods = curves::methods(panels);
    let race = curves::race(panels)?;
    let scaled = match panels.first()?.source.across {
        Scale::Log => "share of the budget, on a logarithmic scale",
        Scale::Linear => "share of the budget",
    };
    let mut outputs: Vec<&str> = panels.iter().map(|panel| panel.source.output).collect();
    outputs.sort_unstable();
    outputs.dedup();
    let absent = methods.iter().filter(|method| !race.ranks.contains_key(&method.id));
    let left_out: Vec<&str> = absent.map(|method| method.name.as_str()).collect();
    let left_out = if left_out.is_empty() {
        String::new()
    } else {
        format!(" Left out, since not run on every problem: {}.", left_out.join(", "))
    };
    let at = [0, race.shares.len() / 4, race.shares.len() / 2, race.shares.len() - 1];
    let row = |method: &Method| {
        let ranks = race.ranks.get(&method.id)?;
        let cells = at.iter().map(|i| format!("{:.2}", ranks[*i]));
        Some(std::iter::once(method.name.clone()).chain(cells).collect())
    };
    Some(Figure {
        id: format!("{}-rank", anchor(id)),
        title: format!("Average rank over time, {paper}"),
        caption: format!(
            "The rank of each method by its median so far, averaged over {}; 1 is best, and a method \
             that has no value yet comes last.{left_out}",
            count(panels.len(), "problem")
        ),
        legend: legend(&methods)
            .into_iter()
            .filter(|series| race.ranks.contains_key(&methods[series.place].id))
            .collect(),
        panels: Vec::new(),
        drawings: vec![race.draw(&methods, scaled)],
        table: Behind {
            caption: "Average ranks".to_owned(),
            head: ["method", "at the start", "after a quarter", "after half", "at the end"]
                .map(str::to_owned)
                .to_vec(),
            rows: methods.iter().filter_map(row).collect(),
        },
        sources,
        outputs,
        moves: false,
        offered: Offered::default(),
    })
}

fn contested(
    contest: &Contest,
    name: &str,
    blocks: &[(String, Block)],
    standing: &Standing,
    sources: Vec<(String, String)>,
) -> Figure {
    let title = format!(
        "Critical differences, {name}: {} over {}",
        count(standing.methods.len(), "method"),
        count(blocks.len(), contest.blocks)
    );
    let left_out = if standing.partial.is_empty() {
        String::new()
    } else {
        format!(
            " Left out, since not run everywhere: {}.",
            standing.partial.iter().map(|one| style::label(one)).collect::<Vec<_>>().join(", ")
        )
    };
    let row = |(method, rank): &(String, f64)| {
        let value = |(_, block): &(String, Block)| {
            number(block.get(method).map_or(f64::NAN, |value| value + 0.0))
        };
        let head = [style::label(method), format!("{rank:.2}")];
        head.into_iter().chain(blocks.iter().map(value)).collect()
    };
    let head = ["method", "average rank"].map(str::to_owned).into_iter();
    Figure {
        id: format!("{}-critical", anchor(name)),
        caption: format!(
            "Average rank of each method by {}; 1 is best. A bar joins methods that Nemenyi's test does \
             not tell apart at the 5% level.{}{left_out}",
            contest.label, contest.note
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
        sources,
        outputs: vec!["main", "ranks", "bars"],
        moves: false,
        offered: Offered::default(),
    }
}
