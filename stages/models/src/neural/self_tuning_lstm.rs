//! The training of a self-tuning language model, as data: the network, its hyper-parameters, what moves them,
//! and how weights are trained. the crate `nets` trains.

use serde::{Deserialize, Serialize};

use super::language::{BadLanguage, Language, Regularisers};
use super::self_tuning::{BadControl, BadHyper, BadSgdConfig, Control, Hyper, SgdConfig};

/// What is trained, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StLstm {
    /// The network, and how it goes through a text.
    pub network: Language,
    /// The hyper-parameters, by the names that `language` knows; others are not there.
    pub hypers: Vec<Hyper>,
    /// What moves them.
    pub control: Control,
    /// How weights are trained.
    pub descent: SgdConfig,
}

/// Settings that cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadStLstm {
    /// The network, or the names of hyper-parameters.
    #[error(transparent)]
    Network(#[from] BadLanguage),
    /// A hyper-parameter.
    #[error(transparent)]
    Hyper(#[from] BadHyper),
    /// What moves hyper-parameters.
    #[error(transparent)]
    Control(#[from] BadControl),
    /// How weights are trained.
    #[error(transparent)]
    SgdConfig(#[from] BadSgdConfig),
}

impl StLstm {
    /// Checks the settings.
    ///
    /// # Errors
    /// If one of them cannot be.
    pub fn check(&self) -> Result<(), BadStLstm> {
        self.network.check()?;
        Regularisers::of(&self.hypers)?;
        self.hypers.iter().try_for_each(Hyper::check)?;
        self.control.check(self.hypers.len())?;
        Ok(self.descent.check()?)
    }
}
