//! The verdicts on the paper's claims.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    claims::{self, Claim},
    papers::stn::verdicts,
};

/// Judges every claim.
#[derive(Serialize, Deserialize)]
pub struct ClaimsStage {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// Claims some part of whose evidence has another size than the paper's.
    pub scaled_down: Vec<String>,
}

impl Stage for ClaimsStage {
    const KIND: &'static str = "stn/claims";
    const MODULE: &'static str = module_path!();
    // Claims about time rest on measured times, and so do these tables.
    const OUTPUTS: &'static [Output] = &[Output::measured("main"), Output::measured("findings")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut judged = Vec::new();
        for claim in &self.claims {
            let found = verdicts::find(&claim.id, cx)?;
            let roles = verdicts::rests_on(&claim.id);
            let digests = roles.iter().filter_map(|role| cx.evidence(role));
            let scaled_down = self.scaled_down.contains(&claim.id);
            judged.push(claims::Judged {
                rules: "paper".to_owned(),
                evidence: digests.map(|d| d.to_string()).collect::<Vec<_>>().join(" "),
                ..claims::Judged::new(claim, found, scaled_down)
            });
        }
        cx.write("main", &claims::tables::judged(&judged)?)?;
        Ok(cx.write("findings", &claims::tables::findings(&judged)?)?)
    }
}
