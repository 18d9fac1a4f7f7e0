//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{Found, calibration::World, criteria::Criteria, finding::Finding};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::verdicts::{self, Runs, SEARCHES};

/// How the claims are judged.
#[derive(Clone, Serialize, Deserialize)]
pub struct PaperIdCriteria {
    /// Whether the size of the evidence differs from the paper's.
    pub scaled_down: bool,
}

impl Criteria for PaperIdCriteria {
    const CLAIMS: &'static str = "paper_id/claims";
    const CALIBRATION: &'static str = "paper_id/calibration";
    const MODULE: &'static str = module_path!();
    const MEASURED: bool = false;
    type Evidence = Runs;

    fn rests_on(&self, _: &str, _: &str) -> Vec<String> {
        vec![SEARCHES.role()]
    }

    fn read(&self, cx: &Context, _: &str) -> Result<Runs, Stop> {
        Runs::read(cx)
    }

    fn find(&self, id: &str, _: &str, runs: &Runs, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
        verdicts::find(id, runs, rng)
    }

    fn simulate(
        &self,
        id: &str,
        _: &str,
        runs: &Runs,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        Some(verdicts::simulate(id, runs, world, rng))
    }

    fn scaled_down(&self, _: &str, _: &[Finding]) -> bool {
        self.scaled_down
    }
}
