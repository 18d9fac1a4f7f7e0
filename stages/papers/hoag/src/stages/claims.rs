//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{Found, criteria::Criteria};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::verdicts::{
    self,
    evidence::{Evidence, Place},
};

/// How the claims are judged. Findings are drawn around the levels of the claims file in both worlds.
#[derive(Clone, Serialize, Deserialize)]
pub struct HoagCriteria {
    /// The variant that counts.
    pub headline: String,
    /// The variant of Theorem 2.
    pub theorem_2: String,
    /// The other variants.
    pub variants: Vec<String>,
    /// The requested problems.
    pub problems: Vec<Place>,
}

impl Criteria for HoagCriteria {
    const CLAIMS: &'static str = "hoag/claims";
    const CALIBRATION: &'static str = "hoag/calibration";
    const MODULE: &'static str = module_path!();
    const MEASURED: bool = true;
    type Evidence = Evidence;

    fn rules(&self) -> Vec<String> {
        std::iter::once(&self.headline).chain(&self.variants).cloned().collect()
    }

    fn depends_on_rules(&self, id: &str) -> bool {
        verdicts::depends_on_rules(id)
    }

    fn rests_on(&self, id: &str, _: &str) -> Vec<String> {
        verdicts::rests_on(id)
    }

    fn read(&self, cx: &Context, _: &str) -> Result<Evidence, Stop> {
        Evidence::read(cx, &self.problems, [&self.headline, &self.theorem_2])
    }

    fn find(
        &self,
        id: &str,
        rules: &str,
        evidence: &Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        verdicts::find(id, evidence, rules, rng)
    }
}
