//! Expands the config to the stages.

use kit::{
    claims::{
        self,
        again::Again,
        wiring::{self, Source},
    },
    wire::{Wire, gather_any, numbered},
};
use pipeline::{config::Config, error::Result, graph::Builder, seed::Seed};

use super::{
    config::PaperIdConfig,
    stages::{claims::PaperIdCriteria, search::Search},
    verdicts::SEARCHES,
};

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = PaperIdConfig::read(config)?;
    let mut searches = Vec::new();
    for (method, &tuner) in &values.methods {
        for repeat in 0..values.repeats {
            let name = format!("paper_id/{method}/search/repeat={repeat}");
            let (method, evaluations) = (method.clone(), values.evaluations);
            let stage = Search { method, tuner, evaluations, repeat };
            // The same label for all methods: those of a repeat share their random numbers.
            let seed = Seed::new(values.root_seed, "paper_id/search", repeat.into());
            searches.push(builder.add(name, &stage)?.seed(seed).gives(&Search::MAIN));
        }
    }
    let all = gather_any(builder, "paper_id/searches", &Search::MAIN, numbered(searches))?;
    conclude(config, &values, builder, &[Source::new(&SEARCHES, &all)])
}

/// Adds the verdicts, from all available evidence.
fn conclude(
    config: &Config,
    values: &PaperIdConfig,
    builder: &mut Builder,
    sources: &[Source],
) -> Result<()> {
    let file = config.file().with_file_name("paper_id.claims.toml");
    // The file itself has the paper's scale: any change by a profile or a flag makes it another size.
    let paper = PaperIdConfig::read(&Config::read(config.file(), "paper")?)?;
    let criteria = PaperIdCriteria { scaled_down: *values != paper };
    // One root seed; `harmonica/src/expand.rs` shows how verdicts are reached again under others.
    let seeds = (values.root_seed, &Again::default());
    wiring::conclude(builder, seeds, claims::read(&file)?, &criteria, sources)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pipeline::registry::Kinds;

    use super::*;

    #[test]
    fn every_profile_has_a_search_for_each_method_and_repeat() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for profile in ["smoke", "desk", "paper"] {
            let file = root.join("configs/paper_id.toml");
            let config = Config::read(&file, profile).unwrap();
            let mut kinds = Kinds::default();
            kit::kinds(&mut kinds, &[]);
            crate::kinds(&mut kinds, &[]);
            let mut builder = Builder::new(&kinds);
            expand(&config, &mut builder).unwrap();
            let graph = builder.build().unwrap();
            let search = |kind: &str| kind == "paper_id/search";
            let searches = graph.order().iter().filter(|&&id| search(graph[id].kind)).count();
            let values = PaperIdConfig::read(&config).unwrap();
            assert_eq!(searches, values.methods.len() * values.repeats as usize, "{profile}");
        }
    }
}
