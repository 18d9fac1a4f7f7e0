//! The two protocols of every experiment: honest, and as in the authors' code.

use data::defects;
use serde::{Deserialize, Serialize};

/// How an experiment is run; each field is one of the places where paper, code and good practice
/// differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Protocol {
    /// The part on whose score configurations are compared.
    pub select_on: SelectOn,
    /// Share of the training rows that becomes the validation part, by class; 0 for none.
    pub validation_share: f64,
    /// The learner-independent options.
    pub options: Options,
    /// The formula of the smoothness, and which of its ends is run in full.
    pub formula: Formula,
    /// What the labels of the test part are.
    pub test_labels: TestLabels,
    /// What stands behind the names of other tuners.
    pub peers: Peers,
    /// Which versions of a program are learned from and which is predicted, and how features are
    /// treated.
    pub defects: Defects,
}

/// The part on whose score configurations are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SelectOn {
    /// A part of the training data.
    Validation,
    /// The test part itself, as the authors' code does.
    Test,
}

/// The learner-independent options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Options {
    /// 60: scaler × SMOTE × fuzzy sampling never, once or twice × label engineering.
    Paper,
    /// 80: scaler × SMOTE × fuzzy sampling × "ultrasample" × label engineering.
    Code,
}

/// The formula of the smoothness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Formula {
    /// Theorems 1 and 2 and Corollary 1.1; the largest are run.
    Theorem,
    /// Frobenius norms without the factor (k − 1)/(k m); for naive Bayes the smallest are run.
    Code,
    /// Finite differences of the gradient: any learner, an extension (section 4.5 of the paper
    /// calls for one).
    Numeric,
}

/// What the labels of the test part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestLabels {
    /// Those of the data.
    True,
    /// As the authors' code leaves them after "ultrasample": flipped with two classes, "class 0 or
    /// not" with more.
    Code,
}

/// What stands behind the names of other tuners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Peers {
    /// BOHB and DEHB as their own papers describe them, with epochs as fidelity.
    Published,
    /// As the authors' code runs them: "BOHB" is a random-forest search at full training that
    /// minimises the score, one run for all repeats; DEHB never learns of fidelities.
    Code,
}

/// How defect data are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Defects {
    /// Versions 1 to n − 1, then n; all metrics.
    Chain,
    /// One version and the next; `avg_cc` left out and test features above 1 set to 1.
    Code,
}

impl Defects {
    /// Its rules.
    #[must_use]
    pub fn rules(self) -> defects::Protocol {
        match self {
            Self::Chain => defects::Protocol::PAPER,
            Self::Code => defects::Protocol::CODE,
        }
    }
}

impl Protocol {
    /// The first fault in it, by key.
    #[must_use]
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        let share = self.validation_share;
        match self.select_on {
            SelectOn::Validation if !(share.is_finite() && share > 0.0 && share < 1.0) => {
                Some(("validation-share", "a share in (0, 1), since select-on = \"validation\""))
            }
            SelectOn::Test if share != 0.0 => {
                Some(("validation-share", "0, since select-on = \"test\" has no validation part"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(select_on: SelectOn, validation_share: f64) -> Option<&'static str> {
        let protocol = Protocol {
            select_on,
            validation_share,
            options: Options::Paper,
            formula: Formula::Theorem,
            test_labels: TestLabels::True,
            peers: Peers::Published,
            defects: Defects::Chain,
        };
        protocol.fault().map(|(key, _)| key)
    }

    #[test]
    fn there_is_a_validation_part_where_it_is_selected_on_and_nowhere_else() {
        assert_eq!(fault(SelectOn::Validation, 0.25), None);
        assert_eq!(fault(SelectOn::Test, 0.0), None);
        for share in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(fault(SelectOn::Validation, share), Some("validation-share"), "{share}");
        }
        assert_eq!(fault(SelectOn::Test, 0.25), Some("validation-share"));
        assert_eq!(fault(SelectOn::Test, f64::NAN), Some("validation-share"));
    }
}
