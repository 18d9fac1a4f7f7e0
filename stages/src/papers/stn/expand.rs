//! From the config to the stages of self-tuning networks.

use pipeline::{config::Config, error::Result, graph::Builder};

use super::{config::StnConfig, exact, images, stages::claims::StnCriteria, text};
use crate::claims::{self, criteria};

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = StnConfig::read(config)?;
    exact::expand::expand(&values.exact, values.root_seed, builder)?;
    images::expand::expand(&values.images, values.root_seed, builder)?;
    text::expand::expand(&values.text, values.root_seed, builder)?;
    conclude(config, &values, builder)
}

/// The verdicts, from whatever could be had.
fn conclude(config: &Config, values: &StnConfig, builder: &mut Builder) -> Result<()> {
    let file = config.file().with_file_name("stn.claims.toml");
    // The file as it stands is the paper's scale: whatever a profile or a flag changes of a part
    // makes it another size.
    let paper = StnConfig::read(&Config::read(config.file(), "paper")?)?;
    let mut small = exact::expand::scaled_down(&values.exact, &paper.exact);
    if !values.images.same_size(&paper.images) {
        small.extend(images::CLAIMS);
    }
    small.extend(text::expand::scaled_down(&values.text, &paper.text));
    let scaled_down = small.into_iter().map(str::to_owned).collect();
    let criteria = StnCriteria { scaled_down };
    let sources =
        [exact::expand::sources(), images::expand::sources(), text::expand::sources()].concat();
    criteria::conclude(builder, values.root_seed, claims::read(&file)?, &criteria, &sources)
}
