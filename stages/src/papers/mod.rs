//! The papers, and the registry of everything the program knows. A new paper is five lines here.

pub mod corpus;
pub mod device;
pub mod gather;
pub mod harmonica;
pub mod hoag;
pub mod hypertune;
pub mod images;
pub mod load;
pub mod smoothie;
pub mod source;
pub mod stn;
pub mod stored;

use std::sync::Arc;

use pipeline::{
    cli::Command,
    code::Table,
    registry::{Experiment, Kinds, Registry},
};

use crate::commands::{
    self,
    report::Named,
    schema::{Described, of},
};

/// Module → what its code reaches, made by the build script.
const CODE: Table = include!(concat!(env!("OUT_DIR"), "/code.rs"));

/// What each paper's config may hold.
fn schemas() -> Vec<Described> {
    vec![
        ("harmonica", of::<harmonica::config::HarmonicaConfig>),
        ("hoag", of::<hoag::config::HoagConfig>),
        ("hypertune", of::<hypertune::config::HyperTuneConfig>),
        ("smoothie", of::<smoothie::config::SmoothieConfig>),
        ("stn", of::<stn::config::StnConfig>),
    ]
}

/// What readers call each paper, and its title. Here, where no stage looks: a title is no part of a key.
fn names() -> Vec<Named> {
    vec![
        ("harmonica", "Harmonica", "Hyperparameter optimization: a spectral approach"),
        ("hoag", "HOAG", "Hyperparameter optimization with approximate gradient"),
        (
            "hypertune",
            "HyperTune",
            "Fast hyperparameter tuning using Bayesian optimization with directional derivatives",
        ),
        (
            "smoothie",
            "SMOOTHIE",
            "Is hyper-parameter optimization different for software analytics?",
        ),
        (
            "stn",
            "STN",
            "Self-tuning networks: bilevel optimization of hyperparameters using structured best-response functions",
        ),
    ]
}

/// Everything `retune` knows.
#[must_use]
pub fn registry() -> Registry {
    let mut kinds = Kinds::default();
    kinds
        .add::<corpus::LoadCorpus>(CODE)
        .add::<images::LoadImages>(CODE)
        .add::<load::LoadData>(CODE)
        .add::<gather::Gather<false>>(CODE)
        .add::<gather::Gather<true>>(CODE);
    harmonica::kinds(&mut kinds, CODE);
    hoag::kinds(&mut kinds, CODE);
    hypertune::kinds(&mut kinds, CODE);
    smoothie::kinds(&mut kinds, CODE);
    stn::kinds(&mut kinds, CODE);
    let experiments: Vec<Box<dyn Experiment>> = vec![
        Box::new(harmonica::Harmonica),
        Box::new(hoag::Hoag),
        Box::new(hypertune::HyperTune),
        Box::new(smoothie::Smoothie),
        Box::new(stn::Stn),
    ];
    let commands: Vec<Box<dyn Command>> = vec![
        Box::new(commands::claims::Claims),
        Box::new(commands::data::Data),
        Box::new(commands::new::New),
        Box::new(commands::reference::Reference),
        Box::new(commands::report::Report(names())),
        Box::new(commands::schema::Schema(schemas())),
    ];
    Registry {
        program: "retune",
        about: "Replicates hyper-parameter-optimisation papers and says which of their claims hold",
        default_profile: "desk",
        kinds: Arc::new(kinds),
        experiments,
        commands,
    }
}
