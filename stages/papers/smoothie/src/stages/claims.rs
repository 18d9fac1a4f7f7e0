//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{Found, calibration::World, criteria::Criteria, finding::Finding};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::{
    protocol::Formula,
    verdicts::{self, Evidence, Place},
};

/// How the claims are judged.
#[derive(Clone, Serialize, Deserialize)]
pub struct SmoothieCriteria {
    /// The protocol that counts.
    pub headline: String,
    /// All protocols, each with the formula that guides the search.
    pub protocols: Vec<(String, Formula)>,
    /// The requested tasks.
    pub places: Vec<Place>,
    /// Whether the theorems are tested on fewer cases than the criterion requires.
    pub fewer_cases: bool,
    /// Whether the protocols that do not count have another number of repeats than in the paper.
    pub fewer_variants: bool,
}

impl SmoothieCriteria {
    /// The findings under some protocol, marked as of a size below the paper's where it has fewer repeats.
    fn sized(&self, rules: &str, findings: Vec<Finding>) -> Vec<Finding> {
        let fewer = self.fewer_variants && rules != self.headline;
        let sized = |found: Finding| if fewer { found.scaled_down(true) } else { found };
        findings.into_iter().map(sized).collect()
    }
}

impl Criteria for SmoothieCriteria {
    const CLAIMS: &'static str = "smoothie/claims";
    const CALIBRATION: &'static str = "smoothie/calibration";
    const MODULE: &'static str = module_path!();
    const MEASURED: bool = true;
    type Evidence = Evidence;

    fn rules(&self) -> Vec<String> {
        let names = self.protocols.iter().map(|(name, _)| name);
        let others = names.filter(|name| **name != self.headline);
        std::iter::once(&self.headline).chain(others).cloned().collect()
    }

    fn depends_on_rules(&self, id: &str) -> bool {
        verdicts::depends_on_protocol(id)
    }

    fn rests_on(&self, id: &str, rules: &str) -> Vec<String> {
        verdicts::rests_on(id, rules)
    }

    fn read(&self, cx: &Context, rules: &str) -> Result<Evidence, Stop> {
        let own = self.protocols.iter().find(|(name, _)| name == rules);
        let Some((_, formula)) = own else {
            return Err(Stop::Failed(format!("protocol {rules} is not among the config's")));
        };
        Evidence::read(cx, &self.places, rules, *formula)
    }

    fn find(
        &self,
        id: &str,
        rules: &str,
        evidence: &Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        let (rule, findings) = verdicts::find(id, evidence, rng)?;
        Ok((rule, self.sized(rules, findings)))
    }

    fn simulate(
        &self,
        id: &str,
        rules: &str,
        evidence: &Evidence,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        let findings = verdicts::simulated::simulate(id, evidence, world, rng)?;
        Some(Ok(self.sized(rules, findings)))
    }

    fn scaled_down(&self, id: &str, findings: &[Finding]) -> bool {
        (id == "S10" && self.fewer_cases) || verdicts::scaled_down(id, findings, &self.places)
    }
}
