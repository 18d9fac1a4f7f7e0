//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{Found, calibration::World, criteria::Criteria, finding::Finding};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::verdicts::{self, evidence::Evidence, simulated};

/// How the claims are judged.
#[derive(Clone, Serialize, Deserialize)]
pub struct StnCriteria {
    /// Claims with evidence of a size different from the paper's.
    pub scaled_down: Vec<String>,
}

impl Criteria for StnCriteria {
    const CLAIMS: &'static str = "stn/claims";
    const CALIBRATION: &'static str = "stn/calibration";
    const MODULE: &'static str = module_path!();
    const MEASURED: bool = true;
    type Evidence = Evidence;

    fn rests_on(&self, id: &str, _: &str) -> Vec<String> {
        verdicts::rests_on(id)
    }

    fn read(&self, cx: &Context, _: &str) -> Result<Evidence, Stop> {
        Evidence::read(cx)
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
