//! Expands the config to the stages of self-tuning networks.

use kit::{beside::Beside, claims::wiring::Source, wire::Wire};
use pipeline::{error::Result, graph::Builder, seed::Seed};

use super::{
    config::StnConfig,
    exact, images,
    stages::claims::StnCriteria,
    text::{self, stages::collect::Collect},
};

/// Adds the stages under one root seed.
pub(super) fn add(values: &StnConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    let mut sources = text::expand::expand(&values.text, values.root_seed, builder)?;
    sources.extend(exact::expand::expand(&values.exact, values.root_seed, builder)?);
    sources.extend(images::expand::expand(&values.images, values.root_seed, builder)?);
    beside(values, builder)?;
    Ok(sources)
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

/// How claims are judged at these sizes.
pub(super) fn criteria(values: &StnConfig, paper: &StnConfig) -> StnCriteria {
    let mut small = exact::expand::scaled_down(&values.exact, &paper.exact);
    if !values.images.same_size(&paper.images) {
        small.extend(images::CLAIMS);
    }
    small.extend(text::expand::scaled_down(&values.text, &paper.text));
    StnCriteria { scaled_down: small.into_iter().map(str::to_owned).collect() }
}
