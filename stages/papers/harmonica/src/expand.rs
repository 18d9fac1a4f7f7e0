//! Expands the config to the stages of Harmonica.

use kit::claims::{
    self,
    criteria::Criteria,
    wiring::{self, Source},
};
use pipeline::{config::Config, error::Result, graph::Builder};

use super::{config::HarmonicaConfig, network, stages::claims::HarmonicaCriteria, synthetic};

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = HarmonicaConfig::read(config)?;
    add(config, &values, builder)?;
    values.again.expand(builder, HarmonicaCriteria::CLAIMS, |root_seed, builder| {
        let again = values.again.inside();
        add(config, &HarmonicaConfig { root_seed, again, ..values.clone() }, builder)
    })
}

/// Adds the stages under one root seed.
fn add(config: &Config, values: &HarmonicaConfig, builder: &mut Builder) -> Result<()> {
    let mut sources = synthetic::expand::expand(values, builder)?;
    sources.extend(network::expand::expand(&values.network, values.root_seed, builder)?);
    conclude(config, values, builder, &sources)
}

/// Adds the verdicts, from all available evidence.
fn conclude(
    config: &Config,
    values: &HarmonicaConfig,
    builder: &mut Builder,
    sources: &[Source],
) -> Result<()> {
    let file = config.file().with_file_name("harmonica.claims.toml");
    // The file itself has the paper's scale: any change of a part by a profile or a flag makes it another
    // size.
    let paper = HarmonicaConfig::read(&Config::read(config.file(), "paper")?)?;
    let mut small = synthetic::expand::scaled_down(values, &paper);
    let networks = values.network.scaled_down(&paper.network);
    let whole_networks = !networks.contains(&"H9");
    small.extend(networks);
    let criteria = HarmonicaCriteria {
        headline: values.headline.clone(),
        rules: values.synthetic.rules.keys().cloned().collect(),
        whole_networks,
        scaled_down: small.into_iter().map(str::to_owned).collect(),
    };
    let seeds = (values.root_seed, &values.again);
    wiring::conclude(builder, seeds, claims::read(&file)?, &criteria, sources)
}
