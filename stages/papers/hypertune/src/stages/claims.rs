//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{
    Found,
    calibration::{Level, World},
    criteria::Criteria,
    finding::Finding,
};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::verdicts::{
    self,
    evidence::{Evidence, Place},
};

/// How the claims are judged.
#[derive(Clone, Serialize, Deserialize)]
pub struct HyperTuneCriteria {
    /// The requested tasks.
    pub places: Vec<Place>,
    /// The tasks of the config that the profile does not run.
    pub idle: Vec<Place>,
    /// The levels of Figure 1's claim in both worlds.
    pub figure_1: Vec<Level>,
}

impl Criteria for HyperTuneCriteria {
    const CLAIMS: &'static str = "hypertune/claims";
    const CALIBRATION: &'static str = "hypertune/calibration";
    const MODULE: &'static str = module_path!();
    const MEASURED: bool = true;
    type Evidence = Evidence;

    fn rests_on(&self, id: &str, _: &str) -> Vec<String> {
        verdicts::rests_on(id)
    }

    fn read(&self, cx: &Context, _: &str) -> Result<Evidence, Stop> {
        Evidence::read(cx, &self.places)
    }

    fn find(
        &self,
        id: &str,
        _: &str,
        evidence: &Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        Ok(verdicts::find(id, evidence, &self.idle, rng))
    }

    fn simulate(
        &self,
        id: &str,
        _: &str,
        evidence: &Evidence,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        verdicts::simulate(id, (evidence, &self.figure_1), world, rng).map(Ok)
    }

    fn scaled_down(&self, id: &str, _: &[Finding]) -> bool {
        verdicts::scaled_down(id, &self.places)
    }
}
