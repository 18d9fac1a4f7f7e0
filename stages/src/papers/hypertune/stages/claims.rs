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
            let found = verdicts::find(&claim.id, &evidence, &mut rng);
            let scaled_down = verdicts::scaled_down(&claim.id, &self.places);
            let digest = cx.evidence(verdicts::rests_on(&claim.id));
            judged.push(claims::Judged {
                rules: "paper".to_owned(),
                evidence: digest.map(|d| d.to_string()).unwrap_or_default(),
                ..claims::Judged::new(claim, found, scaled_down)
            });
        }
        cx.write("main", &claims::tables::judged(&judged)?)?;
        Ok(cx.write("findings", &claims::tables::findings(&judged)?)?)
    }
}
