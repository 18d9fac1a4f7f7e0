//! Connects the stages of the tasks to the conclusions: tables across tasks, the theorems, the audit, the
//! verdicts.

use kit::{
    claims::wiring::Source,
    wire::{Handle, Wire, gather_any, gathered, numbered},
};
use pipeline::{error::Result, graph::Builder, seed::Seed};

use super::{
    config::SmoothieConfig,
    protocol::{Defects, Protocol},
    stages::{
        audit::{Audit, Published},
        bounds::Bounds,
        claims::SmoothieCriteria,
        contrasts::Contrasts,
        cut::CutStage,
        intervals::Intervals,
        landscape::Landscape,
        pool::Pool,
        sensitivity::Sensitivity,
        standings::Standings,
        tune,
    },
    tables::{
        landscape::Curved,
        pool::Tried,
        trials::{Entry, Spent},
    },
    verdicts::{
        Place,
        evidence::{BOUNDS, ENDED, Epochs, LANDSCAPE, POOLS, SENSITIVITY, STANDINGS, TIMES},
    },
};

/// A protocol, and the names of its stages.
pub(super) struct At<'a> {
    pub(super) name: &'a str,
    pub(super) protocol: &'a Protocol,
    pub(super) headline: bool,
    /// How often everything is repeated.
    pub(super) repeats: u32,
}

impl<'a> At<'a> {
    pub(super) fn of(values: &SmoothieConfig, name: &'a str, protocol: &'a Protocol) -> Self {
        let headline = *name == values.headline;
        let repeats = if headline { values.repeats } else { values.variant_repeats };
        Self { name, protocol, headline, repeats }
    }

    /// The stage's name under this protocol; the headline's has no suffix.
    pub(super) fn stage(&self, name: &str) -> String {
        if self.headline { name.to_owned() } else { format!("{name}@{}", self.name) }
    }
}

/// The outputs of the stages of one protocol on all tasks.
#[derive(Default)]
pub(super) struct Traced {
    pub(super) runs: Vec<Handle<Entry>>,
    pub(super) times: Vec<Handle<Spent>>,
    pub(super) pools: Vec<Handle<Tried>>,
    pub(super) surfaces: Vec<Handle<Curved>>,
}

/// One table per figure, across the tasks, and the results computed from it, on which claims rest.
pub(super) fn figures(
    builder: &mut Builder,
    values: &SmoothieConfig,
    at: &At,
    traced: Traced,
) -> Result<Vec<Source>> {
    let figure = |what: &str| at.stage(&format!("smoothie/figures/{what}"));
    let mut sources = Vec::new();
    let runs = gathered(figure("runs"), &tune::MAIN);
    let pools = gathered(figure("pools"), &Pool::MAIN);
    if !traced.runs.is_empty() {
        gather_any(builder, runs.stage(), &tune::MAIN, numbered(traced.runs))?;
    }
    if !traced.pools.is_empty() {
        gather_any(builder, pools.stage(), &Pool::MAIN, numbered(traced.pools))?;
    }
    if !traced.surfaces.is_empty() {
        let surfaces = numbered(traced.surfaces);
        let all = gather_any(builder, figure("landscape"), &Landscape::MAIN, surfaces)?;
        sources.push(Source::new(&LANDSCAPE, &all));
    }
    let times = gather_any(builder, figure("times"), &tune::TIMES, numbered(traced.times))?;
    let draft = builder.add(figure("standings"), &Standings {})?.reads(&Standings::RUNS, &runs);
    let (standings, ended) = (draft.gives(&Standings::MAIN), draft.gives(&Standings::ENDED));
    let seed = Seed::new(values.root_seed, "smoothie/intervals", 0);
    let draft = builder.add(figure("intervals"), &Intervals {})?.seed(seed);
    draft.reads(&Intervals::STANDINGS, &standings).reads(&Intervals::ENDED, &ended);
    let seed = Seed::new(values.root_seed, "smoothie/sensitivity", 0);
    let stage = Sensitivity { formula: at.protocol.formula };
    let draft = builder.add(figure("sensitivity"), &stage)?.seed(seed);
    let cells = draft.reads(&Sensitivity::POOLS, &pools).gives(&Sensitivity::MAIN);
    // SMOOTHIE against its rivals over all tasks.
    let own = values.tasks.iter().filter(|(_, task)| task.in_paper).map(|(name, _)| name.clone());
    let stage = Contrasts { formula: at.protocol.formula, own: own.collect() };
    let draft = builder.add(figure("contrasts"), &stage)?;
    draft.reads(&Contrasts::ENDED, &ended).reads(&Contrasts::POOLS, &pools);
    sources.extend([
        Source::new(&STANDINGS.at(at.name), &standings),
        Source::new(&SENSITIVITY.at(at.name), &cells),
        Source::new(&POOLS.at(at.name), &pools),
        Source::new(&TIMES.at(at.name), &times),
        Source::new(&ENDED.at(at.name), &ended),
    ]);
    Ok(sources)
}

/// Random cases of the theorems.
pub(super) fn theorems(values: &SmoothieConfig, builder: &mut Builder) -> Result<Source> {
    let seed = Seed::new(values.root_seed, "smoothie/bounds", 0);
    let stage = Bounds { cases: values.bounds.cases, batch: values.training.batch };
    let draft = builder.add("smoothie/bounds", &stage)?.seed(seed);
    Ok(Source::new(&BOUNDS, &draft.gives(&Bounds::MAIN)))
}

/// How claims are judged at these sizes.
pub(super) fn criteria(values: &SmoothieConfig, paper: &SmoothieConfig) -> SmoothieCriteria {
    let whole = (values.repeats, values.pool, values.training)
        == (paper.repeats, paper.pool, paper.training);
    let places = values.tasks.iter().map(|(name, task)| {
        let family = &values.families[&task.family];
        Place {
            task: name.clone(),
            family: task.family.clone(),
            in_paper: task.in_paper,
            published: task.outcome.clone(),
            software: family.software,
            epochs: Epochs::of(family.probes, family.full, family.epochs),
            scaled_down: !whole
                || paper.tasks.get(name) != Some(task)
                || paper.families.get(&task.family) != Some(family),
        }
    });
    SmoothieCriteria {
        headline: values.headline.clone(),
        protocols: values.protocols.iter().map(|(n, p)| (n.clone(), p.formula)).collect(),
        places: places.collect(),
        fewer_cases: values.bounds.cases < paper.bounds.cases,
        fewer_variants: values.variant_repeats != paper.variant_repeats,
    }
}

/// The published numbers beside ours.
pub(super) fn audit(values: &SmoothieConfig, builder: &mut Builder) -> Result<()> {
    let mut names: Vec<&String> = values.protocols.keys().collect();
    names.sort_by_key(|name| **name != values.headline);
    let mut published = Vec::new();
    for (task, settings) in &values.tasks {
        for (treatment, measures) in &settings.published {
            for (measure, &value) in measures {
                let (treatment, measure) = (treatment.clone(), measure.clone());
                published.push(Published { task: task.clone(), treatment, measure, value });
            }
        }
    }
    let stage = Audit { published, protocols: names.iter().map(|n| (*n).clone()).collect() };
    let draft = builder.add("smoothie/audit", &stage)?;
    for name in names {
        let at = At::of(values, name, &values.protocols[name]);
        let standings = Standings::MAIN.of(at.stage("smoothie/figures/standings"));
        draft.reads(&Audit::STANDINGS.at(name), &standings);
        // Constant predictions are scored on the test part of the authors' code.
        if at.protocol.defects == Defects::Code {
            let defects = values.tasks.iter().filter(|(_, task)| task.family == "defects");
            for (task, _) in defects {
                let cut = CutStage::MAIN.of(at.stage(&format!("smoothie/{task}/cut")));
                draft.may_read(&Audit::CUTS.at(task), &cut);
            }
        }
    }
    Ok(())
}
