//! TITLE \[Author2026\]: how the config expands to stages. search ─ searches ─ calibration ─ claims

pub mod claims;
pub mod config;
pub mod objective;
pub mod search;
pub mod work;

use kit::claims::lowest::{Compared, SEARCHES};
use kit::claims::{Claim, wiring::Source};
use kit::wire::{Wire, gather_any, numbered};
use pipeline::{code::Table, error::Result, graph::Builder, registry::Kinds, seed::Seed};

use self::{claims::PaperIdClaims, config::PaperIdConfig, search::Search};

/// The paper.
pub struct PaperId;

impl kit::paper::Paper for PaperId {
    const ID: &'static str = "paper_id";
    type Values = PaperIdConfig;
    type Criteria = Compared<PaperIdClaims>;

    fn stages(kinds: &mut Kinds, code: Table) {
        kinds.add::<Search>(code);
    }

    fn add(values: &PaperIdConfig, builder: &mut Builder) -> Result<Vec<Source>> {
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
        Ok(vec![Source::new(&SEARCHES, &all)])
    }

    fn criteria(values: &PaperIdConfig, paper: &PaperIdConfig, _: &mut [Claim]) -> Self::Criteria {
        Compared::new(values != paper)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_profile_has_a_search_for_each_method_and_repeat() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for profile in ["smoke", "desk", "paper"] {
            let (values, graph) = kit::paper::expanded::<super::PaperId>(&root, profile).unwrap();
            let all = graph.order().iter().filter(|&&id| graph[id].kind == "paper_id/search");
            assert_eq!(all.count(), values.methods.len() * values.repeats as usize, "{profile}");
        }
    }
}
