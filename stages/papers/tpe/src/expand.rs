//! Expands the config to the stages.

use kit::{
    claims::{
        self,
        criteria::Criteria as _,
        wiring::{self, Source},
    },
    data_sets::source,
    port::Out,
    wire::{self, Handle, Wire, gather_any, numbered},
};
use pipeline::{
    config::Config,
    error::Result,
    graph::{Builder, Draft},
    seed::Seed,
};
use tuners::method::Method;

use super::{
    config::{StudyConfig, TpeConfig},
    stages::{
        ablation::Ablation, arm::Arm, claims::TpeCriteria, importance::Importances, ranks::Ranks,
        runtime::Runtime,
    },
    tables::{ablated::Ablated, run::Run, spent::Spent},
    target::Target,
    verdicts::{self, COMPARED, evidence},
};

/// Seeds of one stage.
const SEEDS_PER_STAGE: u32 = 10;
/// Seeds of the ranks.
pub(super) const RANKED_SEEDS: u32 = 10;

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = TpeConfig::read(config)?;
    for id in &values.tables {
        source::add(builder, data(id), id)?;
    }
    let usual = targets(&values);
    let components = study(&values, &values.components, ("components", &usual), builder)?;
    let widths = study(&values, &values.widths, ("widths", &usual), builder)?;
    let shifted = study(&values, &values.components, ("shifted", &shifted(&values)), builder)?;
    for (name, own, runs) in
        [("components", &values.components, &components), ("widths", &values.widths, &widths)]
    {
        let (grid, evaluations) = (own.grid.clone(), values.evaluations);
        let stage = Importances { grid, draw: own.settings, evaluations };
        builder.add(format!("tpe/figures/{name}"), &stage)?.reads(&Importances::RUNS, runs);
    }
    let runs = methods(&values, &usual, builder)?;
    let adapted = std::iter::once("adapted").chain(COMPARED.into_iter().skip(1)).collect();
    for (name, compared) in [("ranks", COMPARED.to_vec()), ("ranks-adapted", adapted)] {
        let compared = compared.into_iter().filter(|name| values.methods.contains_key(*name));
        let stage = Ranks { methods: compared.map(str::to_owned).collect(), seeds: RANKED_SEEDS };
        builder.add(format!("tpe/figures/{name}"), &stage)?.reads(&Ranks::RUNS, &runs);
    }
    let times = times(&values, builder)?;
    let sources = [
        Source::new(&evidence::COMPONENTS, &components),
        Source::new(&evidence::SHIFTED, &shifted),
        Source::new(&evidence::WIDTHS, &widths),
        Source::new(&evidence::RUNS, &runs),
        Source::new(&evidence::TIMES, &times),
    ];
    conclude(config, &values, builder, &sources)?;
    repeat(config, &values, builder)
}

/// Adds what is repeated under other root seeds: the methods that its claims compare, and nothing of the studies.
fn repeat(config: &Config, values: &TpeConfig, builder: &mut Builder) -> Result<()> {
    values.again.expand(builder, TpeCriteria::CLAIMS, |root, builder| {
        let mut own = TpeConfig { root_seed: root, again: values.again.inside(), ..values.clone() };
        let compared = |name: &str| {
            values.again.claims.iter().any(|id| verdicts::methods_of(id).contains(&name))
        };
        own.methods.retain(|name, _| compared(name));
        for id in &own.tables {
            source::add(builder, data(id), id)?;
        }
        let runs = methods(&own, &targets(&own), builder)?;
        let sources = [Source::new(&evidence::RUNS, &runs)];
        conclude(config, &own, builder, &sources)
    })
}

/// Functions in all numbers of dimensions, and tables.
fn targets(values: &TpeConfig) -> Vec<Target> {
    let of = |&dimensions: &usize| {
        let one = move |&function| Target::Function { function, dimensions, shifted: false };
        values.functions.iter().map(one)
    };
    let tables = values.tables.iter().map(|id| Target::Table { id: id.clone() });
    values.dimensions.iter().flat_map(of).chain(tables).collect()
}

/// The functions whose minimum is in the middle of the box, with another one.
fn shifted(values: &TpeConfig) -> Vec<Target> {
    let of = |&dimensions: &usize| {
        let centred = values.functions.iter().filter(|function| function.centred());
        centred.map(move |&function| Target::Function { function, dimensions, shifted: true })
    };
    values.dimensions.iter().flat_map(of).collect()
}

/// The random numbers of a target: the same for all settings and methods.
fn seed(values: &TpeConfig, target: &Target) -> Seed {
    Seed::new(values.root_seed, &format!("tpe/{}", target.name()), 0)
}

fn reads_target(draft: &mut Draft, target: &Target) {
    if let Target::Table { id } = target {
        wire::benchmark(draft, &data(id));
    }
}

/// A stage per target and seed.
fn study(
    values: &TpeConfig,
    study: &StudyConfig,
    (name, targets): (&str, &[Target]),
    builder: &mut Builder,
) -> Result<Handle<Ablated>> {
    let mut tables = Vec::new();
    for target in targets {
        for number in 0..study.seeds {
            let stage = Ablation {
                grid: study.grid.clone(),
                draw: study.settings,
                target: target.clone(),
                evaluations: values.evaluations,
                number,
            };
            let name = format!("tpe/{name}/{}/seed={number}", target.name());
            let draft = builder.add(name, &stage)?.seed(seed(values, target));
            reads_target(draft, target);
            tables.push(draft.gives(&Ablation::MAIN));
        }
    }
    gather(builder, name, &Ablation::MAIN, tables)
}

fn gather<T>(
    builder: &mut Builder,
    name: &str,
    of: &Out<T>,
    tables: Vec<Handle<T>>,
) -> Result<Handle<T>> {
    gather_any(builder, format!("tpe/{name}/all"), of, numbered(tables))
}

/// A stage per method, target and ten seeds.
fn methods(values: &TpeConfig, targets: &[Target], builder: &mut Builder) -> Result<Handle<Run>> {
    let mut tables = Vec::new();
    for (name, own) in &values.methods {
        for target in targets {
            for first in (0..own.seeds).step_by(SEEDS_PER_STAGE as usize) {
                let stage = Arm {
                    name: name.clone(),
                    method: own.tuner,
                    target: target.clone(),
                    evaluations: values.evaluations,
                    first,
                    seeds: SEEDS_PER_STAGE.min(own.seeds - first),
                };
                let name = format!("tpe/methods/{name}/{}/first={first}", target.name());
                let draft = builder.add(name, &stage)?.seed(seed(values, target));
                reads_target(draft, target);
                tables.push(draft.gives(&Arm::MAIN));
            }
        }
    }
    gather(builder, "methods", &Arm::MAIN, tables)
}

/// A stage per method and number of dimensions.
fn times(values: &TpeConfig, builder: &mut Builder) -> Result<Handle<Spent>> {
    let own = values.methods.iter().filter(|(name, _)| name.as_str() == "recommended");
    let own = own.map(|(_, one)| ("recommended".to_owned(), one.tuner));
    let rivals = values.runtime.rivals.iter().map(|(name, method)| (name.clone(), *method));
    let all: Vec<(String, Method)> =
        own.chain([("random".to_owned(), Method::Random {})]).chain(rivals).collect();
    let mut tables = Vec::new();
    for (name, method) in all {
        for &dimensions in &values.dimensions {
            let stage = Runtime {
                name: name.clone(),
                method,
                dimensions,
                evaluations: values.runtime.evaluations,
                seeds: values.runtime.seeds,
            };
            let seed = Seed::new(values.root_seed, &format!("tpe/runtime/{dimensions}"), 0);
            let draft = builder.add(format!("tpe/runtime/{name}/{dimensions}d"), &stage)?;
            tables.push(draft.seed(seed).gives(&Runtime::MAIN));
        }
    }
    gather_any(builder, "tpe/figures/runtime", &Runtime::MAIN, numbered(tables))
}

/// Adds the verdicts, from all available evidence. Their sizes are those of the whole config, of which a repetition has
/// a part.
fn conclude(
    config: &Config,
    values: &TpeConfig,
    builder: &mut Builder,
    sources: &[Source],
) -> Result<()> {
    let file = config.file().with_file_name("tpe.claims.toml");
    let criteria = criteria(&TpeConfig::read(config)?, config)?;
    let seeds = (values.root_seed, &values.again);
    wiring::conclude(builder, seeds, claims::read(&file)?, &criteria, sources)
}

/// How claims are judged at these sizes.
fn criteria(values: &TpeConfig, config: &Config) -> Result<TpeCriteria> {
    // The file itself has the paper's scale: any change of a part by a profile or a flag makes it another size.
    let paper = TpeConfig::read(&Config::read(config.file(), "paper")?)?;
    let targets = |one: &TpeConfig| {
        (one.evaluations, one.dimensions.clone(), one.functions.clone(), one.tables.clone())
    };
    let other = targets(values) != targets(&paper);
    Ok(TpeCriteria {
        components: (values.components.grid.clone(), values.components.settings),
        widths: (values.widths.grid.clone(), values.widths.settings),
        small_components: other || values.components != paper.components,
        small_widths: other || values.widths != paper.widths,
        small_methods: other || values.methods != paper.methods,
        small_times: other || values.runtime != paper.runtime,
    })
}

/// The name of the stage that loads a table.
fn data(id: &str) -> String {
    format!("tpe/data/{id}")
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
