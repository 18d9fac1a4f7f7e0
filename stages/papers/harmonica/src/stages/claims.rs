//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{Found, calibration::World, criteria::Criteria, finding::Finding};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::verdicts::{self, evidence::Evidence, simulated};

/// How claims are judged: those that rest on a synthetic function under all rules, those on networks under
/// the rules that count.
#[derive(Clone, Serialize, Deserialize)]
pub struct HarmonicaCriteria {
    /// The rules that count.
    pub headline: String,
    /// All rules, including these.
    pub rules: Vec<String>,
    /// Whether the big network has the paper's size.
    pub whole_networks: bool,
    /// Claims with evidence of a size different from the paper's.
    pub scaled_down: Vec<String>,
}

impl HarmonicaCriteria {
    fn networks(&self, rules: &str) -> Option<bool> {
        (rules == self.headline).then_some(self.whole_networks)
    }
}

impl Criteria for HarmonicaCriteria {
    const CLAIMS: &'static str = "harmonica/claims";
    const CALIBRATION: &'static str = "harmonica/calibration";
    const MODULE: &'static str = module_path!();
    const MEASURED: bool = true;
    type Evidence = Evidence;

    fn rules(&self) -> Vec<String> {
        let others = self.rules.iter().filter(|name| **name != self.headline);
        std::iter::once(&self.headline).chain(others).cloned().collect()
    }

    fn depends_on_rules(&self, id: &str) -> bool {
        verdicts::depends_on_rules(id)
    }

    fn rests_on(&self, id: &str, rules: &str) -> Vec<String> {
        verdicts::rests_on(id, rules, rules == self.headline)
    }

    fn read(&self, cx: &Context, rules: &str) -> Result<Evidence, Stop> {
        Evidence::read(cx, rules)
    }

    fn find(
        &self,
        id: &str,
        rules: &str,
        evidence: &Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        verdicts::find(id, evidence, self.networks(rules), rng)
    }

    fn imagined(
        &self,
        id: &str,
        evidence: &Evidence,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Evidence> {
        simulated::evidence(id, evidence, world, rng)
    }

    fn scaled_down(&self, id: &str, _: &[Finding]) -> bool {
        self.scaled_down.iter().any(|own| own == id)
    }
}
