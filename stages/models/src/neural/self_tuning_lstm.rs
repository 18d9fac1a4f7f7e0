//! The training of a self-tuning language model, as data: the network, its hyper-parameters, what changes
//! them, and how weights are trained. The crate `nets` trains it.

use serde::{Deserialize, Serialize};

use super::language::{BadLanguage, Language, Regularisers};
use super::self_tuning::{BadControl, BadHyper, BadSgdConfig, Control, Hyper, SgdConfig};

/// The settings of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StLstm {
    /// The network, and how it processes a text.
    pub network: Language,
    /// The hyper-parameters, by the names in `language`; others are not applied.
    pub hypers: Vec<Hyper>,
    /// What changes the hyper-parameters.
    pub control: Control,
    /// How weights are trained.
    pub descent: SgdConfig,
}

/// Invalid settings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadStLstm {
    /// The network, or the names of hyper-parameters.
    #[error(transparent)]
    Network(#[from] BadLanguage),
    /// A hyper-parameter.
    #[error(transparent)]
    Hyper(#[from] BadHyper),
    /// The change of hyper-parameters.
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
    /// If one of them is invalid.
    pub fn check(&self) -> Result<(), BadStLstm> {
        self.network.check()?;
        Regularisers::of(&self.hypers)?;
        self.hypers.iter().try_for_each(Hyper::check)?;
        self.control.check(self.hypers.len())?;
        Ok(self.descent.check()?)
    }
}
