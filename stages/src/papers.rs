//! The papers, and the registry of stage kinds, experiments and commands. A new paper is an entry here.

use std::sync::Arc;

use kit::paper::{self, Of};
use pipeline::{
    cli::Command,
    code::Table,
    registry::{Experiment, Kinds, Recording, Registry},
};
use serde_json::Value;
use site::names::{Citation, Named};

use crate::{
    cited,
    commands::{self, schema::of},
    differs::Noted,
};

/// The papers whose stages have the permissions of the user. `retune run` confines the stages of other papers
/// to what they declare; a paper can be added after its code has been reviewed.
const OURS: &[&str] = &["compare", "harmonica", "hoag", "hypertune", "smoothie", "stn", "tpe"];

/// The verdicts, and the tables that they and the figures read. Data sets are never kept, because of their
/// publishers' licences.
const RECORDING: Recording = Recording {
    conclusion: "claims",
    meaningless: &["smoke"],
    labels: &["id", "rules"],
    answer: "verdict",
    keeps: &[
        "audit",
        "claims",
        "calibration/*",
        "contests/*",
        "differs",
        "figures/*",
        "images/figures/*",
        "network/figures/*",
        "text/figures/*",
        "published/*",
    ],
    never: &["data/"],
    // Every trial of SMOOTHIE: 6 MB. What the runs ended with is in the standings.
    too_large: &["smoothie/figures/runs", "smoothie/figures/runs@as-published"],
};

/// Module → what its code reaches, made by the build script.
const CODE: Table = include!(concat!(env!("OUT_DIR"), "/code.rs"));

/// A paper as it is registered.
struct Paper {
    experiment: Box<dyn Experiment>,
    /// Adds its stage kinds.
    kinds: fn(&mut Kinds, Table),
    /// The schema of its config.
    schema: fn() -> Value,
    /// Its name for readers, and its title. They are here, outside of the stages, because neither is part of
    /// a key.
    name: &'static str,
    title: &'static str,
    /// Who wrote it, and where it is.
    citation: Option<Citation>,
}

fn papers() -> Vec<Paper> {
    vec![
        Paper {
            experiment: Box::new(Of(harmonica::Harmonica)),
            kinds: paper::kinds::<harmonica::Harmonica>,
            schema: of::<harmonica::config::HarmonicaConfig>,
            name: "Harmonica",
            title: "Hyperparameter optimization: a spectral approach",
            citation: Some(cited::HARMONICA),
        },
        Paper {
            experiment: Box::new(Of(hoag::Hoag)),
            kinds: paper::kinds::<hoag::Hoag>,
            schema: of::<hoag::config::HoagConfig>,
            name: "HOAG",
            title: "Hyperparameter optimization with approximate gradient",
            citation: Some(cited::HOAG),
        },
        Paper {
            experiment: Box::new(Of(hypertune::HyperTune)),
            kinds: paper::kinds::<hypertune::HyperTune>,
            schema: of::<hypertune::config::HyperTuneConfig>,
            name: "HyperTune",
            title: "Fast hyperparameter tuning using Bayesian optimization with directional derivatives",
            citation: Some(cited::HYPERTUNE),
        },
        Paper {
            experiment: Box::new(Of(smoothie::Smoothie)),
            kinds: paper::kinds::<smoothie::Smoothie>,
            schema: of::<smoothie::config::SmoothieConfig>,
            name: "SMOOTHIE",
            title: "Is hyper-parameter optimization different for software analytics?",
            citation: Some(cited::SMOOTHIE),
        },
        Paper {
            experiment: Box::new(Of(stn::Stn)),
            kinds: paper::kinds::<stn::Stn>,
            schema: of::<stn::config::StnConfig>,
            name: "STN",
            title: "Self-tuning networks: bilevel optimization of hyperparameters using structured best-response functions",
            citation: Some(cited::STN),
        },
        Paper {
            experiment: Box::new(tpe::Tpe),
            kinds: tpe::kinds,
            schema: of::<tpe::config::TpeConfig>,
            name: "TPE",
            title: "Tree-structured Parzen estimator: understanding its algorithm components and their roles for better empirical performance",
            citation: Some(cited::TPE),
        },
    ]
}

/// The stages and experiments that `retune` knows.
#[must_use]
pub fn registry() -> Registry {
    let mut kinds = Kinds::default();
    kit::kinds(&mut kinds, CODE);
    // The rates of stages on the machine of development, as printed by `retune rates --typical`.
    kinds.bring(include_str!("../rates.jsonl"));
    kinds.built_by("retune-torch", "scripts/libtorch.sh && cargo build --release -p nets");
    let papers = papers();
    for paper in &papers {
        (paper.kinds)(&mut kinds, CODE);
    }
    compare::kinds(&mut kinds, CODE);
    let experiments = papers.into_iter().map(|paper| paper.experiment);
    // No paper: it has no claims, and the commands that are about papers leave it out.
    let experiments = experiments.chain([Box::new(compare::Compare) as _]);
    Registry {
        program: "retune",
        about: "Replicates hyper-parameter-optimisation papers and says which of their claims hold",
        default_profile: "desk",
        kinds: Arc::new(kinds),
        experiments: experiments.map(|one| Box::new(Noted(one)) as _).collect(),
        trusted: OURS,
        recording: RECORDING,
    }
}

/// The commands of `retune` beside the engine's own.
#[must_use]
pub fn commands() -> Vec<Box<dyn Command>> {
    let papers = papers();
    let named = |p: &Paper| Named {
        id: p.experiment.id(),
        name: p.name,
        title: p.title,
        citation: p.citation,
    };
    let names: Vec<Named> = papers.iter().map(named).collect();
    let schemas = papers.iter().map(|p| (p.experiment.id(), p.schema));
    let compare = ("compare", of::<compare::config::CompareConfig> as fn() -> Value);
    let schemas = schemas.chain([compare]).collect();
    let mut shown = names.clone();
    shown.push(Named {
        id: "compare",
        name: "the comparison",
        title: "A comparison of tuners on tabular benchmarks",
        citation: None,
    });
    vec![
        Box::new(commands::claims::Claims(names.clone())),
        Box::new(commands::data::Data),
        Box::new(commands::nanopub::Nanopub(names.clone())),
        Box::new(commands::new::New),
        Box::new(commands::open::Open),
        Box::new(commands::pages::Pages),
        Box::new(commands::papers::Papers(names.clone())),
        Box::new(commands::reference::Reference),
        Box::new(commands::report::Report(shown)),
        Box::new(commands::rubric::Rubric(names)),
        Box::new(commands::schema::Schema(schemas)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where stages cannot be confined, a run of all papers ends before it begins if one of them is not trusted.
    #[test]
    fn the_papers_that_come_with_the_sources_are_trusted() {
        for paper in papers() {
            let id = paper.experiment.id();
            assert!(paper.citation.is_none() || OURS.contains(&id), "{id}");
        }
    }

    #[test]
    fn every_paper_is_cited() {
        let cited = include_str!("../../CITATION.cff").to_lowercase();
        for paper in papers() {
            let id = paper.experiment.id();
            assert!(cited.contains(&paper.title.to_lowercase()), "{id} has no title there");
            let citation = paper.citation.expect("a paper of ours is cited");
            assert!(cited.contains(&format!("arxiv:{}\n", citation.arxiv)), "{id} is not found");
        }
    }
}
