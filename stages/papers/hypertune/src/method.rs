//! The methods that HyperTune is compared with, by name.

use serde::Deserialize;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// GP-EI on the whole training part, up to HyperTune's last evaluation.
    Ei,
    /// Fabolas, whose recommendation is finally trained on the whole training part.
    Fabolas,
    /// Hyperband, with training rows as the resource.
    Hyperband,
}

impl Method {
    /// Its name in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ei => "ei",
            Self::Fabolas => "fabolas",
            Self::Hyperband => "hyperband",
        }
    }
}
