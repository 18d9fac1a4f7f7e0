//! The stages of the verdicts on the paper's claims, and of the calibration of their criteria.

use kit::claims::{Found, calibration::World, criteria::Criteria, finding::Finding};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::{
    grid::Grid,
    verdicts::{self, evidence::Evidence, simulated},
};

/// How the claims are judged.
#[expect(clippy::struct_excessive_bools, reason = "the parts are scaled down each by itself")]
#[derive(Clone, Serialize, Deserialize)]
pub struct TpeCriteria {
    /// The first study's settings, and how many of them were tried.
    pub components: (Grid, usize),
    /// The second study's.
    pub widths: (Grid, usize),
    /// Whether the first study is of another size than the paper's.
    pub small_components: bool,
    /// Whether the second one is.
    pub small_widths: bool,
    /// Whether the comparison of methods is.
    pub small_methods: bool,
    /// Whether the times are.
    pub small_times: bool,
}

impl Criteria for TpeCriteria {
    const CLAIMS: &'static str = "tpe/claims";
    const CALIBRATION: &'static str = "tpe/calibration";
    const MODULE: &'static str = module_path!();
    /// P14 rests on times.
    const MEASURED: bool = true;
    type Evidence = Evidence;

    fn rests_on(&self, id: &str, _: &str) -> Vec<String> {
        verdicts::rests_on(id)
    }

    fn read(&self, cx: &Context, _: &str) -> Result<Evidence, Stop> {
        Evidence::read(cx, &self.components, &self.widths)
    }

    fn find(
        &self,
        id: &str,
        _: &str,
        all: &Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop> {
        let (rule, mut findings) = verdicts::find(id, all, rng)?;
        // P3 is about methods; the masses beside it are of the first study, whose size has no part in the verdict's.
        for finding in findings.iter_mut().filter(|found| id == "P3" && !found.in_paper) {
            finding.scaled_down = self.small_components;
        }
        Ok((rule, findings))
    }

    fn simulate(
        &self,
        id: &str,
        _: &str,
        all: &Evidence,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        let all = simulated::evidence(id, all, world, rng)?;
        Some(verdicts::find(id, &all, rng).map(|found| found.1))
    }

    fn scaled_down(&self, id: &str, _: &[Finding]) -> bool {
        match id {
            "P1" | "P3" | "P12" | "P13" => self.small_methods,
            "P2" | "P4" => self.small_components,
            "P5" => self.small_components || self.small_methods,
            "P11" => self.small_components || self.small_widths,
            "P14" => self.small_times,
            _ => self.small_widths,
        }
    }
}
