//! Expands the config to the stages on synthetic functions.

use kit::{
    claims::wiring::Source,
    wire::{Wire, gather_all, numbered},
};
use pipeline::{error::Result, graph::Builder, seed::Seed};
use tuners::{bayesian::gp_ei::GpEiSettings, harmonica::HarmonicaSettings};

use super::{
    config::{Rules, Stability},
    stages::{
        contest::ContestStage, dummies::DummiesStage, noise::NoiseStage, recovery::RecoveryStage,
        stability::StabilityStage, times::TimesStage,
    },
};
use crate::{config::HarmonicaConfig, verdicts::evidence};

/// The stage's name under these rules; the headline's has no suffix.
fn at(values: &HarmonicaConfig, what: &str, rules: &str) -> String {
    let name = format!("harmonica/synthetic/{what}");
    if rules == values.headline { name } else { format!("{name}@{rules}") }
}

/// Adds the stages; returns the tables that the verdicts rest on.
///
/// # Errors
/// If a name occurs twice.
pub fn expand(values: &HarmonicaConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    let seed = |label: &str| Seed::new(values.root_seed, &format!("harmonica/{label}"), 0);
    let own = &values.synthetic;
    let stage = RecoveryStage { values: own.recovery };
    let draft = builder.add("harmonica/synthetic/recovery", &stage)?.seed(seed("recovery"));
    let mut sources = vec![Source::new(&evidence::RECOVERY, &draft.gives(&RecoveryStage::MAIN))];
    for (name, rules) in &values.synthetic.rules {
        sources.extend(by_rules(values, name, rules, builder)?);
    }
    let mut all = Vec::new();
    let rules = &own.rules[&values.headline];
    for &variables in &own.times.variables {
        let surrogate = own.times.gp_ei.variables.contains(&variables);
        let stage = TimesStage {
            weights: rules.weights,
            variables,
            settings: own.settings(rules),
            budgets: own.contest.budgets,
            samples: own.times.samples.clone(),
            gp_ei: surrogate.then_some((own.times.gp_ei.samples, GpEiSettings::default())),
            noise: own.times.noise,
            seeds: own.times.seeds,
        };
        let name = format!("harmonica/synthetic/times/n={variables}");
        all.push(builder.add(name, &stage)?.seed(seed("times")).gives(&TimesStage::MAIN));
    }
    let all = numbered(all);
    let times = gather_all(builder, "harmonica/figures/times", &TimesStage::MAIN, all)?;
    sources.push(Source::new(&evidence::TIMES, &times));
    Ok(sources)
}

fn by_rules(
    values: &HarmonicaConfig,
    name: &str,
    rules: &Rules,
    builder: &mut Builder,
) -> Result<[Source; 4]> {
    let own = &values.synthetic;
    let (weights, variables, settings) = (rules.weights, own.variables, own.settings(rules));
    // The rules share their random numbers.
    let seed = |what: &str| Seed::new(values.root_seed, &format!("harmonica/{what}"), 0);
    let stage = NoiseStage { weights, variables, settings, values: own.noise.clone() };
    let draft = builder.add(at(values, "noise", name), &stage)?.seed(seed("noise"));
    let noise = Source::new(&evidence::NOISE.at(name), &draft.gives(&NoiseStage::MAIN));
    let samples = |samples| HarmonicaSettings { samples, ..settings };
    let (settings, part) = (samples(own.dummies.samples), own.dummies);
    let stage = DummiesStage { weights, variables, settings, values: part };
    let draft = builder.add(at(values, "dummies", name), &stage)?.seed(seed("dummies"));
    let dummies = Source::new(&evidence::DUMMIES.at(name), &draft.gives(&DummiesStage::MAIN));
    let (settings, part) = (samples(own.stability.samples), own.stability.clone());
    let stage = StabilityStage { weights, variables, settings, values: part };
    let draft = builder.add(at(values, "stability", name), &stage)?.seed(seed("stability"));
    let stability = draft.gives(&StabilityStage::MAIN);
    let stability = Source::new(&evidence::STABILITY.at(name), &stability);
    let settings = HarmonicaSettings { stages: 1, ..samples(own.contest.samples) };
    let stage =
        ContestStage { weights, variables, levels: own.stages, settings, values: own.contest };
    let draft = builder.add(at(values, "contest", name), &stage)?.seed(seed("contest"));
    let contest = Source::new(&evidence::CONTEST.at(name), &draft.gives(&ContestStage::MAIN));
    Ok([noise, dummies, stability, contest])
}

/// The claims whose synthetic part differs in size from the paper's. How many functions H4 is looked at on is no size:
/// the paper has one set of samples, and intervals reflect the number.
#[must_use]
pub fn scaled_down(values: &HarmonicaConfig, paper: &HarmonicaConfig) -> Vec<&'static str> {
    let (own, whole) = (&values.synthetic, &paper.synthetic);
    let common = (own.variables, own.samples, own.features, own.stages, own.degree)
        == (whole.variables, whole.samples, whole.features, whole.stages, whole.degree);
    let stability = Stability { seeds: whole.stability.seeds, ..own.stability.clone() };
    let parts = [
        ("H1", own.recovery == whole.recovery),
        ("H2", common && own.noise == whole.noise),
        ("H3", common && own.times == whole.times),
        ("H4", common && stability == whole.stability),
        ("H6", common && own.dummies == whole.dummies),
        ("H8", common && own.contest == whole.contest),
    ];
    parts.into_iter().filter(|(_, same)| !same).map(|(id, _)| id).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kit::paper::Values as _;
    use pipeline::config::Config;

    use super::*;

    fn values(profile: &str) -> HarmonicaConfig {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let config = Config::read(&root.join("configs/harmonica.toml"), profile).unwrap();
        HarmonicaConfig::read(&config).unwrap()
    }

    #[test]
    fn fewer_functions_are_no_smaller_size_and_fewer_samples_are() {
        let (mut own, paper) = (values("desk"), values("paper"));
        assert!(own.synthetic.stability.seeds < paper.synthetic.stability.seeds);
        assert_eq!(scaled_down(&own, &paper), ["H3"], "GP-EI has fewer samples");
        own.synthetic.stability.samples -= 1;
        assert_eq!(scaled_down(&own, &paper), ["H3", "H4"]);
    }
}
