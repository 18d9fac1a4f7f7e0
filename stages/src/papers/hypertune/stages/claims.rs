//! The verdicts on the paper's claims.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    claims::{self, Claim},
    papers::hypertune::verdicts::{
        self,
        evidence::{Evidence, Place},
    },
};

/// Judges every claim.
#[derive(Serialize, Deserialize)]
pub struct ClaimsStage {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// The tasks asked for.
    pub places: Vec<Place>,
}

impl Stage for ClaimsStage {
    const KIND: &'static str = "hypertune/claims";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::table("findings")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let evidence = Evidence::read(cx, &self.places)?;
        let mut judged = Vec::new();
        for claim in &self.claims {
            let mut rng = cx.rng(&claim.id)?;
            let (verdict, reason, findings) = verdicts::judge(&claim.id, &evidence, &mut rng);
            let digest = cx.evidence(verdicts::rests_on(&claim.id));
            judged.push(claims::Judged {
                claim: claim.clone(),
                rules: "paper".to_owned(),
                headline: true,
                scaled_down: verdicts::scaled_down(&claim.id, &findings, &self.places),
                verdict,
                reason,
                findings,
                evidence: digest.map(|d| d.to_string()).unwrap_or_default(),
            });
        }
        cx.write("main", &claims::table(&judged)?)?;
        Ok(cx.write("findings", &claims::findings_table(&judged)?)?)
    }
}
