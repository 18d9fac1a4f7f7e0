//! Expands the config to the stages of self-tuning networks.

use kit::{
    beside::Beside,
    claims::{
        self,
        criteria::Criteria,
        wiring::{self, Source},
    },
    wire::Wire,
};
use pipeline::{config::Config, error::Result, graph::Builder, seed::Seed};

use super::{
    config::StnConfig,
    exact, images,
    stages::claims::StnCriteria,
    text::{self, stages::collect::Collect},
};

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = StnConfig::read(config)?;
    add(config, &values, builder)?;
    values.again.expand(builder, StnCriteria::CLAIMS, |root_seed, builder| {
        let again = values.again.inside();
        add(config, &StnConfig { root_seed, again, ..values.clone() }, builder)
    })
}

/// Adds the stages under one root seed.
fn add(config: &Config, values: &StnConfig, builder: &mut Builder) -> Result<()> {
    let mut sources = text::expand::expand(&values.text, values.root_seed, builder)?;
    sources.extend(exact::expand::expand(&values.exact, values.root_seed, builder)?);
    sources.extend(images::expand::expand(&values.images, values.root_seed, builder)?);
    beside(values, builder)?;
    conclude(config, values, builder, &sources)
}

/// Compares the paper's tables with ours.
fn beside(values: &StnConfig, builder: &mut Builder) -> Result<()> {
    let published = &values.published;
    let table_1 = Collect::MAIN.of("stn/text/figures/table-1").seen_as();
    let on_text = text::stages::race::Race::MAIN.of("stn/text/figures/race").seen_as();
    let on_images = images::stages::race::Race::MAIN.of("stn/images/figures/race").seen_as();
    for (name, printed, ours, chosen_by) in [
        ("table-1", &published.table_1, table_1, "perplexity"),
        ("table-2-text", &published.table_2_text, on_text, "perplexity"),
        ("table-2-images", &published.table_2_images, on_images, "valid_loss"),
    ] {
        let name = format!("stn/published/{name}");
        let stage = Beside { printed: printed.clone(), chosen_by: chosen_by.to_owned() };
        let seed = Seed::new(values.root_seed, &name, 0);
        builder.add(name, &stage)?.seed(seed).reads(&Beside::OURS, &ours);
    }
    Ok(())
}

/// Adds the verdicts, from all available evidence.
fn conclude(
    config: &Config,
    values: &StnConfig,
    builder: &mut Builder,
    sources: &[Source],
) -> Result<()> {
    let file = config.file().with_file_name("stn.claims.toml");
    // The file itself has the paper's scale: any change of a part by a profile or a flag makes it another
    // size.
    let paper = StnConfig::read(&Config::read(config.file(), "paper")?)?;
    let mut small = exact::expand::scaled_down(&values.exact, &paper.exact);
    if !values.images.same_size(&paper.images) {
        small.extend(images::CLAIMS);
    }
    small.extend(text::expand::scaled_down(&values.text, &paper.text));
    let scaled_down = small.into_iter().map(str::to_owned).collect();
    let criteria = StnCriteria { scaled_down };
    let seeds = (values.root_seed, &values.again);
    wiring::conclude(builder, seeds, claims::read(&file)?, &criteria, sources)
}
