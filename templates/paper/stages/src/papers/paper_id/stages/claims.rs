//! The verdicts on the paper's claims.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    claims::{self, Claim},
    papers::paper_id::verdicts::{self, Runs},
};

/// Judges every claim.
#[derive(Serialize, Deserialize)]
pub struct ClaimsStage {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// Whether the evidence has another size than the paper's.
    pub scaled_down: bool,
}

impl Stage for ClaimsStage {
    const KIND: &'static str = "paper_id/claims";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::table("findings")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::read(cx)?;
        let digest = cx.evidence("searches").map(|d| d.to_string()).unwrap_or_default();
        let mut judged = Vec::new();
        for claim in &self.claims {
            let mut rng = cx.rng(&claim.id)?;
            let found = verdicts::find(&claim.id, &runs, &mut rng)?;
            judged.push(claims::Judged {
                rules: "paper".to_owned(),
                evidence: digest.clone(),
                ..claims::Judged::new(claim, found, self.scaled_down)
            });
        }
        cx.write("main", &claims::tables::judged(&judged)?)?;
        Ok(cx.write("findings", &claims::tables::findings(&judged)?)?)
    }
}
