//! The verdicts on the paper's claims.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    claims::{self, Claim},
    papers::smoothie::verdicts::{self, Evidence, Place},
};

/// Judges every claim under every protocol.
#[derive(Serialize, Deserialize)]
pub struct ClaimsStage {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// The protocol that counts.
    pub headline: String,
    /// All protocols with the formula that guides under each.
    pub protocols: Vec<(String, crate::papers::smoothie::protocol::Formula)>,
    /// The tasks asked for.
    pub places: Vec<Place>,
}

impl Stage for ClaimsStage {
    const KIND: &'static str = "smoothie/claims";
    const MODULE: &'static str = module_path!();
    // Claims about speed rest on measured times, and so do these tables.
    const OUTPUTS: &'static [Output] = &[Output::measured("main"), Output::measured("findings")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut judged = Vec::new();
        let mut protocols = self.protocols.clone();
        protocols.sort_by_key(|(name, _)| *name != self.headline);
        for (name, formula) in &protocols {
            let headline = *name == self.headline;
            let evidence = Evidence::read(cx, &self.places, name, *formula)?;
            for claim in &self.claims {
                if !headline && !verdicts::depends_on_protocol(&claim.id) {
                    continue;
                }
                let mut rng = cx.rng(&claim.id)?;
                let found = verdicts::find(&claim.id, &evidence, &mut rng)?;
                let scaled_down = verdicts::scaled_down(&found.1, &self.places);
                let digest = cx.evidence(&verdicts::rests_on(&claim.id, name));
                judged.push(claims::Judged {
                    rules: name.clone(),
                    headline,
                    evidence: digest.map(|d| d.to_string()).unwrap_or_default(),
                    ..claims::Judged::new(claim, found, scaled_down)
                });
            }
        }
        cx.write("main", &claims::tables::judged(&judged)?)?;
        Ok(cx.write("findings", &claims::tables::findings(&judged)?)?)
    }
}
