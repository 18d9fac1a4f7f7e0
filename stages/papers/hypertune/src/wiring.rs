//! Connects the stages of the tasks to the conclusions: one table per figure, and the verdicts.

use kit::{
    claims::{
        Claim,
        published::{Kind, Published},
        wiring::Source,
    },
    wire::{Handle, Wire, gather_any, numbered},
};
use pipeline::{
    error::Result,
    graph::{Builder, Draft},
};

use super::{
    config::{HyperTuneConfig, Task},
    runs::{EI, HYPERTUNE},
    stages::{
        claims::HyperTuneCriteria, complexity::Complexity, convergence::Convergence,
        standings::Standings,
    },
    tables::{
        complexity::Along,
        trials::{Evaluated, Taken},
    },
    trials,
    verdicts::{
        FIGURE_1,
        evidence::{AREAS, COMPLEXITY, Place, RUNS, SUBSETS, TAKEN},
        held_out::{PAPER, against},
    },
};

/// The outputs of a run.
#[derive(Clone)]
pub(super) struct Traced {
    pub(super) evaluated: Handle<Evaluated>,
    pub(super) taken: Handle<Taken>,
}

impl Traced {
    pub(super) fn of(draft: &Draft) -> Self {
        Self { evaluated: draft.gives(&trials::MAIN), taken: draft.gives(&trials::TIMES) }
    }

    fn evaluated(all: &[Self]) -> impl Iterator<Item = Handle<Evaluated>> {
        all.iter().map(|run| run.evaluated.clone())
    }
}

/// Tables, by the one that gathers them.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) subsets: Vec<Traced>,
    pub(super) runs: Vec<Traced>,
    pub(super) complexity: Vec<Handle<Along>>,
}

fn figure(what: &str) -> String {
    format!("hypertune/figures/{what}")
}

/// Adds the tables across tasks; returns those that claims rest on.
pub(super) fn conclude(
    values: &HyperTuneConfig,
    builder: &mut Builder,
    tables: &Tables,
) -> Result<Vec<Source>> {
    let runs = gather_any(
        builder,
        figure("runs"),
        &trials::MAIN,
        numbered(Traced::evaluated(&tables.runs)),
    )?;
    let subsets = gather_any(
        builder,
        figure("subsets"),
        &trials::MAIN,
        numbered(Traced::evaluated(&tables.subsets)),
    )?;
    let ways = numbered(tables.complexity.iter().cloned());
    let ways = gather_any(builder, figure("complexity"), &Complexity::MAIN, ways)?;
    let taken = tables.subsets.iter().chain(&tables.runs).map(|run| run.taken.clone());
    let taken = gather_any(builder, figure("times"), &trials::TIMES, numbered(taken))?;
    let published = values.tasks.iter().map(|(name, t)| (name.clone(), t.published.clone()));
    let standings = Standings { published: published.collect() };
    builder.add(figure("standings"), &standings)?.reads(&Standings::RUNS, &runs);
    let convergence = Convergence { points: values.curve_points };
    let draft = builder.add(figure("convergence"), &convergence)?;
    let areas = draft.reads(&Convergence::RUNS, &runs).gives(&Convergence::AREAS);
    Ok(vec![
        Source::new(&RUNS, &runs),
        Source::new(&TAKEN, &taken),
        Source::new(&AREAS, &areas),
        Source::new(&COMPLEXITY, &ways),
        Source::new(&SUBSETS, &subsets),
    ])
}

/// How claims are judged at these sizes; those about a task get the paper's numbers for it.
pub(super) fn criteria(
    values: &HyperTuneConfig,
    paper: &HyperTuneConfig,
    claims: &mut [Claim],
) -> HyperTuneCriteria {
    // The number of repeats is no size: the paper does not state its own, and intervals reflect it.
    let whole = values.hypertune == paper.hypertune && values.search == paper.search;
    let reduced = |task: &Task| -> Vec<String> {
        let (own, whole) = (values.fabolas_on(task), paper.fabolas_on(task));
        let fabolas = own.settings != whole.settings || own.evaluations < whole.evaluations;
        let reduced = [("fabolas", fabolas), ("hyperband", values.hyperband != paper.hyperband)];
        reduced.into_iter().filter(|(_, less)| *less).map(|(name, _)| name.to_owned()).collect()
    };
    let learner = |of: &HyperTuneConfig, task: &Task| {
        of.learners.get(&task.learner).map(|learner| learner.sized())
    };
    let same = |task: &Task| {
        values.data.get(&task.data) == paper.data.get(&task.data)
            && learner(values, task) == learner(paper, task)
    };
    let place = |(name, task): (&String, &Task)| {
        let mut methods = vec![HYPERTUNE.to_owned()];
        methods.extend(task.rivals.iter().map(|rival| rival.as_str().to_owned()));
        Place {
            task: name.clone(),
            learner: values.learners[&task.learner].as_str().to_owned(),
            claim: task.claim.clone(),
            methods,
            published: task.published.clone(),
            figure: task.figure,
            complexity: task.complexity,
            scaled_down: !(whole && same(task)),
            reduced: reduced(task),
        }
    };
    let (run, idle): (Vec<_>, Vec<_>) = values.tasks.iter().partition(|(_, task)| task.runs);
    let [places, idle]: [Vec<Place>; 2] =
        [run, idle].map(|tasks| tasks.into_iter().map(place).collect());
    for claim in &mut *claims {
        let own = places.iter().filter(|place| place.claim.as_ref() == Some(&claim.id));
        claim.published.extend(own.flat_map(published));
    }
    let figure_1 = claims.iter().find(|claim| claim.id == FIGURE_1);
    let figure_1 = figure_1.and_then(|claim| Some(claim.calibration.as_ref()?.levels.clone()));
    HyperTuneCriteria { places, idle, figure_1: figure_1.unwrap_or_default() }
}

/// The numbers of Tables 1 to 4 for the findings on a task: HyperTune's error, and its differences.
fn published(place: &Place) -> Vec<Published> {
    let Some(own) = place.published.get(HYPERTUNE) else { return Vec::new() };
    let number = |rival: &str, value: f64, kind: Kind| Published {
        place: Some(against(&place.task, rival)),
        value,
        at_least: false,
        kind,
        unit: "held-out error".to_owned(),
    };
    let rivals = place.methods.iter().filter(|method| *method != HYPERTUNE && *method != EI);
    let differences = rivals.filter_map(|rival| {
        let other = place.published.get(rival)?;
        Some(number(rival, own - other, Kind::Difference))
    });
    differences.chain([number(PAPER, *own, Kind::Level)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_numbers_stand_where_findings_do() {
        let all = [(HYPERTUNE, 0.25), ("fabolas", 0.5)];
        let place = Place {
            task: "t".to_owned(),
            learner: "l".to_owned(),
            claim: Some("T".to_owned()),
            methods: [HYPERTUNE, EI, "fabolas", "hyperband"].map(str::to_owned).into(),
            published: all.map(|(method, error)| (method.to_owned(), error)).into(),
            figure: None,
            complexity: false,
            scaled_down: false,
            reduced: Vec::new(),
        };
        let told = |p: &Published| (p.place.clone().unwrap_or_default(), p.value, p.kind);
        let found: Vec<_> = published(&place).iter().map(told).collect();
        // GP-EI is in none of the tables, and this one lacks Hyperband.
        let difference = ("t against fabolas".to_owned(), -0.25, Kind::Difference);
        assert_eq!(found, [difference, ("t against the paper".to_owned(), 0.25, Kind::Level)]);
    }
}
