//! The verdicts on the paper's claims, and what their criteria are worth.

use kit::claims::{
    Found, calibration::World, criteria::Criteria, evidence::Tables, finding::Finding,
};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::verdicts::{self, simulated};

/// How claims are judged: those that rest on a synthetic function under all rules, networks under those
/// that count.
#[derive(Clone, Serialize, Deserialize)]
pub struct HarmonicaCriteria {
    /// The rules that count.
    pub headline: String,
    /// All rules, these among them.
    pub rules: Vec<String>,
    /// Whether the big network has the paper's size.
    pub whole_networks: bool,
    /// Claims some part of whose evidence has another size than the paper's.
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
    type Evidence = Tables;

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

    fn read(&self, cx: &Context, _: &str) -> Result<Tables, Stop> {
        Tables::read(cx)
    }

    fn find(
        &self,
        id: &str,
        rules: &str,
        evidence: &Tables,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        verdicts::find(id, evidence, rules, self.networks(rules), rng)
    }

    fn simulate(
        &self,
        id: &str,
        rules: &str,
        evidence: &Tables,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        let tables = simulated::tables(id, evidence, rules, world, rng)?;
        let find = |tables| verdicts::find(id, &tables, rules, self.networks(rules), rng);
        Some(tables.and_then(find).map(|(_, findings)| findings))
    }

    fn scaled_down(&self, id: &str, _: &[Finding]) -> bool {
        self.scaled_down.iter().any(|own| own == id)
    }
}
