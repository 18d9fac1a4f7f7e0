//! A paper as an experiment: from its config, under each root seed, to its stages and the verdicts on its claims.
//! What is specific to a paper are the types and functions of its [`Paper`].

mod renamed;

use std::{fmt::Display, path::Path};

use pipeline::{
    code::Table,
    config::Config,
    error::Result,
    graph::{Builder, Graph},
    registry::{Experiment, Kinds},
};
use serde::de::DeserializeOwned;

use crate::{
    claims::{
        self, Claim,
        again::Again,
        criteria::{CalibrationStage, ClaimsStage, Criteria},
        wiring::{self, Source},
    },
    ranges::Ranges,
};

/// The values of a paper's config, `configs/ID.toml`.
pub trait Values: Clone + PartialEq + DeserializeOwned + Ranges {
    /// Keys that were renamed: the former name and the present one.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];

    /// Checks what ranges alone do not say.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    fn agree(&self, _config: &Config) -> Result<()> {
        Ok(())
    }

    /// The root of all randomness, and the verdicts that are reached again under others.
    fn roots(&mut self) -> (&mut u64, &mut Again);

    /// Reads and checks a config.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    fn read(config: &Config) -> Result<Self> {
        let values: Self =
            config.get().map_err(|e| renamed::explained(e, config, Self::RENAMED))?;
        values.check(config)?;
        values.agree(config)?;
        Ok(values)
    }
}

/// Checks each entry of the map `key` of a config by `check`, such as the settings of a tuner by the tuner.
///
/// # Errors
/// That of the first entry that is refused: names file, line and key.
pub fn each<'a, T: 'a, E: Display>(
    config: &Config,
    key: &str,
    entries: impl IntoIterator<Item = (&'a String, &'a T)>,
    check: impl Fn(&T) -> std::result::Result<(), E>,
) -> Result<()> {
    entries.into_iter().try_for_each(|(name, entry)| {
        check(entry).map_err(|e| config.invalid(&format!("{key}.{name}"), &e.to_string()))
    })
}

/// A paper.
pub trait Paper: Send + Sync {
    /// Its name: the stem of its files and the first part of its stages' names.
    const ID: &'static str;
    /// Its config.
    type Values: Values;
    /// How its claims are judged.
    type Criteria: Criteria;

    /// Registers the kinds of its stages, other than those of its claims.
    fn stages(kinds: &mut Kinds, code: Table);

    /// Adds its stages under one root seed; returns the tables that claims rest on.
    ///
    /// # Errors
    /// If a stage cannot be added.
    fn add(values: &Self::Values, builder: &mut Builder) -> Result<Vec<Source>>;

    /// What is repeated under other root seeds.
    fn part(values: &Self::Values) -> Self::Values {
        values.clone()
    }

    /// How its claims are judged at these sizes; `paper` are the values of the profile of that name. The claims are
    /// those of its file, to which numbers of the config can be added.
    fn criteria(
        values: &Self::Values,
        paper: &Self::Values,
        claims: &mut [Claim],
    ) -> Self::Criteria;
}

/// A paper's experiment.
pub struct Of<P>(pub P);

impl<P: Paper> Experiment for Of<P> {
    fn id(&self) -> &'static str {
        P::ID
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::<P>(config, builder)
    }
}

/// Registers the kinds of a paper's stages.
pub fn kinds<P: Paper>(kinds: &mut Kinds, code: Table) {
    P::stages(kinds, code);
    kinds.add::<CalibrationStage<P::Criteria>>(code).add::<ClaimsStage<P::Criteria>>(code);
}

/// Adds every stage that a paper's config asks for.
///
/// # Errors
/// If the config or the file of claims is wrong: names file, line and key.
pub fn expand<P: Paper>(config: &Config, builder: &mut Builder) -> Result<()> {
    let mut values = P::Values::read(config)?;
    // The file itself has the paper's scale: any change of a part by a profile or a flag makes it another size.
    let paper = P::Values::read(&Config::read(config.file(), "paper")?)?;
    let claims = claims::read(&config.file().with_file_name(format!("{}.claims.toml", P::ID)))?;
    let own = &claims;
    let add = |mut values: P::Values, builder: &mut Builder| {
        let sources = P::add(&values, builder)?;
        let mut claims = own.clone();
        let criteria = P::criteria(&values, &paper, &mut claims);
        let (root, again) = values.roots();
        wiring::conclude(builder, (*root, again), claims, &criteria, &sources)
    };
    let part = P::part(&values);
    let again = values.roots().1.clone();
    add(values, builder)?;
    again.expand(builder, P::Criteria::CLAIMS, |root, builder| {
        let mut values = part.clone();
        let (own, inside) = values.roots();
        (*own, *inside) = (root, again.inside());
        add(values, builder)
    })
}

/// The values of a profile in a checkout, and the stages that they ask for: what tests of a paper look at.
///
/// # Errors
/// As [`expand`].
pub fn expanded<P: Paper>(checkout: &Path, profile: &str) -> Result<(P::Values, Graph)> {
    let config = Config::read(&checkout.join(format!("configs/{}.toml", P::ID)), profile)?;
    Ok((P::Values::read(&config)?, graph::<P>(&config)?))
}

/// The stages that a paper's config asks for.
///
/// # Errors
/// As [`expand`].
pub fn graph<P: Paper>(config: &Config) -> Result<Graph> {
    let mut all = Kinds::default();
    crate::kinds(&mut all, &[]);
    kinds::<P>(&mut all, &[]);
    let mut builder = Builder::new(&all);
    expand::<P>(config, &mut builder)?;
    builder.build()
}
