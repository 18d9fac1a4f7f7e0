//! Expands the config to the stages of Harmonica.

use kit::claims::wiring::Source;
use pipeline::{error::Result, graph::Builder};

use super::{config::HarmonicaConfig, network, stages::claims::HarmonicaCriteria, synthetic};

/// Adds the stages under one root seed.
pub(super) fn add(values: &HarmonicaConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    let mut sources = synthetic::expand::expand(values, builder)?;
    sources.extend(network::expand::expand(&values.network, values.root_seed, builder)?);
    Ok(sources)
}

/// How claims are judged at these sizes.
pub(super) fn criteria(values: &HarmonicaConfig, paper: &HarmonicaConfig) -> HarmonicaCriteria {
    let mut small = synthetic::expand::scaled_down(values, paper);
    let networks = values.network.scaled_down(&paper.network);
    let whole_networks = !networks.contains(&"H9");
    small.extend(networks);
    HarmonicaCriteria {
        headline: values.headline.clone(),
        rules: values.synthetic.rules.keys().cloned().collect(),
        whole_networks,
        scaled_down: small.into_iter().map(str::to_owned).collect(),
    }
}
