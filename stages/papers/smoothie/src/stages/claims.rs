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
        _: &str,
        evidence: &Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        verdicts::find(id, evidence, rng)
    }

    fn simulate(
        &self,
        id: &str,
        _: &str,
        evidence: &Evidence,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        verdicts::simulated::simulate(id, evidence, world, rng).map(Ok)
    }

    fn scaled_down(&self, id: &str, findings: &[Finding]) -> bool {
        (id == "S10" && self.fewer_cases) || verdicts::scaled_down(id, findings, &self.places)
    }
}
