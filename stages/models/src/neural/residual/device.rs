//! The device on which a network is trained, as a config names it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A device by name: `auto`, `cpu` or `cuda:N`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub enum Device {
    /// The first GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU, with one thread.
    Cpu,
    /// A GPU by number, from 0.
    Cuda(usize),
}

/// A text that names no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("device `{0}`: expected `auto`, `cpu` or `cuda:N` with N from 0")]
pub struct BadDevice(pub String);

impl FromStr for Device {
    type Err = BadDevice;

    fn from_str(text: &str) -> Result<Self, BadDevice> {
        let number = |n: &str| n.parse().map(Self::Cuda).map_err(|_| BadDevice(text.to_owned()));
        match text.split_once(':') {
            None if text == "auto" => Ok(Self::Auto),
            None if text == "cpu" => Ok(Self::Cpu),
            Some(("cuda", n)) => number(n),
            _ => Err(BadDevice(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Device {
    type Error = BadDevice;

    fn try_from(text: String) -> Result<Self, BadDevice> {
        text.parse()
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.to_string()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(n) => write!(f, "cuda:{n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["auto", "cpu", "cuda:0", "cuda:13"] {
            assert_eq!(name.parse::<Device>().unwrap().to_string(), name);
        }
        for bad in ["", "gpu", "cuda", "cuda:", "cuda:-1", "cuda:x", "CPU", "cpu:0"] {
            assert_eq!(bad.parse::<Device>(), Err(BadDevice(bad.to_owned())));
        }
    }
}
