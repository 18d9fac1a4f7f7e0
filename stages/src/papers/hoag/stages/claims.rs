//! The verdicts on the paper's claims.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    claims::{self, Claim},
    papers::hoag::verdicts::{
        self,
        evidence::{Evidence, Place},
    },
};

/// Judges every claim under every configuration.
#[derive(Serialize, Deserialize)]
pub struct ClaimsStage {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// The configuration that counts.
    pub headline: String,
    /// The others.
    pub variants: Vec<String>,
    /// The problems asked for.
    pub problems: Vec<Place>,
}

impl Stage for ClaimsStage {
    const KIND: &'static str = "hoag/claims";
    const MODULE: &'static str = module_path!();
    // Claims about speed rest on measured times, and so do these tables.
    const OUTPUTS: &'static [Output] = &[Output::measured("main"), Output::measured("findings")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let evidence = Evidence::read(cx, &self.problems, &self.headline)?;
        let digest = cx.evidence("curves").map(|digest| digest.to_string()).unwrap_or_default();
        let mut judged = Vec::new();
        for rules in std::iter::once(&self.headline).chain(&self.variants) {
            let headline = *rules == self.headline;
            for claim in &self.claims {
                if !headline && !verdicts::depends_on_rules(&claim.id) {
                    continue;
                }
                let mut rng = cx.rng(&claim.id)?;
                let found = verdicts::find(&claim.id, &evidence, rules, &mut rng)?;
                let scaled_down = verdicts::scaled_down(&found.1, &self.problems);
                judged.push(claims::Judged {
                    rules: rules.clone(),
                    headline,
                    evidence: digest.clone(),
                    ..claims::Judged::new(claim, found, scaled_down)
                });
            }
        }
        cx.write("main", &claims::tables::judged(&judged)?)?;
        Ok(cx.write("findings", &claims::tables::findings(&judged)?)?)
    }
}
