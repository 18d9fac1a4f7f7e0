//! From the stages of the tasks to what is concluded from them: tables across tasks, the theorems, the
//! audit, the verdicts.

use kit::{
    claims::{
        self,
        criteria::{self, Source},
    },
    gather::Gather,
};
use pipeline::{config::Config, error::Result, graph::Builder, seed::Seed};

use super::{
    config::SmoothieConfig,
    protocol::{Defects, Protocol},
    stages::{
        audit::{Audit, Published},
        bounds::Bounds,
        claims::SmoothieCriteria,
        contrasts::Contrasts,
        sensitivity::Sensitivity,
        standings::Standings,
    },
    verdicts::Place,
};

/// A protocol, and what its stages are called.
pub(super) struct At<'a> {
    pub(super) name: &'a str,
    pub(super) protocol: &'a Protocol,
    pub(super) headline: bool,
}

impl At<'_> {
    /// The stage's name under this protocol; the headline's has no suffix.
    pub(super) fn stage(&self, name: &str) -> String {
        if self.headline { name.to_owned() } else { format!("{name}@{}", self.name) }
    }
}

/// One table a figure, across the tasks, and what is computed from it.
pub(super) fn figures(
    builder: &mut Builder,
    root_seed: u64,
    at: &At,
    runs: &[String],
    pools: &[String],
    surfaces: &[String],
) -> Result<()> {
    let figure = |what: &str| at.stage(&format!("smoothie/figures/{what}"));
    for (what, output, stages) in
        [("runs", "main", runs), ("pools", "main", pools), ("landscape", "main", surfaces)]
    {
        if stages.is_empty() {
            continue;
        }
        let draft = builder.add(figure(what), &Gather::<false> {})?;
        for (i, stage) in stages.iter().enumerate() {
            draft.read(format!("{i:05}"), stage.clone(), output, true);
        }
    }
    let draft = builder.add(figure("times"), &Gather::<true> {})?;
    for (i, stage) in runs.iter().enumerate() {
        draft.read(format!("{i:05}"), stage.clone(), "times", true);
    }
    builder.add(figure("standings"), &Standings {})?.input("runs", figure("runs"));
    let seed = Seed::new(root_seed, "smoothie/sensitivity", 0);
    builder
        .add(figure("sensitivity"), &Sensitivity { formula: at.protocol.formula })?
        .seed(seed)
        .input("pools", figure("pools"));
    Ok(())
}

/// SMOOTHIE against its rivals over all tasks.
pub(super) fn contrasts(builder: &mut Builder, at: &At, values: &SmoothieConfig) -> Result<()> {
    let figure = |what: &str| at.stage(&format!("smoothie/figures/{what}"));
    let own = values.tasks.iter().filter(|(_, task)| task.in_paper).map(|(name, _)| name.clone());
    let stage = Contrasts { formula: at.protocol.formula, own: own.collect() };
    let draft = builder.add(figure("contrasts"), &stage)?;
    for what in ["standings", "runs", "pools"] {
        draft.input(what, figure(what));
    }
    Ok(())
}

/// The theorems and the verdicts.
pub(super) fn conclude(
    config: &Config,
    values: &SmoothieConfig,
    builder: &mut Builder,
) -> Result<()> {
    let seed = Seed::new(values.root_seed, "smoothie/bounds", 0);
    builder.add("smoothie/bounds", &Bounds { cases: values.bounds.cases })?.seed(seed);
    let file = config.file().with_file_name("smoothie.claims.toml");
    // The file as it stands is the paper's scale: whatever a profile or a flag changes makes it
    // another size.
    let paper = SmoothieConfig::read(&Config::read(config.file(), "paper")?)?;
    let whole = (values.repeats, values.pool, values.training)
        == (paper.repeats, paper.pool, paper.training);
    let places = values.tasks.iter().map(|(name, task)| Place {
        task: name.clone(),
        family: task.family.clone(),
        in_paper: task.in_paper,
        published: task.outcome.clone(),
        software: values.families[&task.family].software,
        scaled_down: !whole
            || paper.tasks.get(name) != Some(task)
            || paper.families.get(&task.family) != values.families.get(&task.family),
    });
    let criteria = SmoothieCriteria {
        headline: values.headline.clone(),
        protocols: values.protocols.iter().map(|(n, p)| (n.clone(), p.formula)).collect(),
        places: places.collect(),
        fewer_cases: values.bounds.cases < paper.bounds.cases,
    };
    let mut sources = vec![
        Source::named("bounds", "smoothie/bounds", "main"),
        Source::named("landscape", "smoothie/figures/landscape", "main"),
    ];
    for (name, protocol) in &values.protocols {
        let at = At { name, protocol, headline: *name == values.headline };
        for what in ["standings", "sensitivity", "pools", "times", "runs"] {
            let stage = at.stage(&format!("smoothie/figures/{what}"));
            sources.push(Source::named(format!("{what} {name}"), stage, "main"));
        }
        let stage = at.stage("smoothie/figures/standings");
        sources.push(Source::named(format!("outcomes {name}"), stage, "outcomes"));
    }
    let claims = claims::read(&file)?;
    let seeds = (values.root_seed, &values.again);
    criteria::conclude(builder, seeds, claims, &criteria, &sources)?;
    audit(values, builder)
}

/// The published numbers beside ours.
fn audit(values: &SmoothieConfig, builder: &mut Builder) -> Result<()> {
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
        let at = At { name, protocol: &values.protocols[name], headline: *name == values.headline };
        let stage = at.stage("smoothie/figures/standings");
        draft.read(format!("standings {name}"), stage, "main", false);
        // The test part of the authors' code is where their constant predictions are found.
        if at.protocol.defects == Defects::Code {
            let defects = values.tasks.iter().filter(|(_, task)| task.family == "defects");
            for (task, _) in defects {
                draft.read(
                    format!("cut {task}"),
                    at.stage(&format!("smoothie/{task}/cut")),
                    "main",
                    true,
                );
            }
        }
    }
    Ok(())
}
