//! The verdicts on the paper's claims.

use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    claims::{self, Claim},
    papers::harmonica::verdicts,
};

/// Judges every claim, and those that rest on a synthetic function under all rules.
#[derive(Serialize, Deserialize)]
pub struct ClaimsStage {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// The rules that count.
    pub headline: String,
    /// All rules, these among them.
    pub rules: Vec<String>,
    /// Whether the big network has the paper's size.
    pub whole_networks: bool,
    /// Claims some part of whose evidence has another size than the paper's.
    pub scaled_down: Vec<String>,
}

impl Stage for ClaimsStage {
    const KIND: &'static str = "harmonica/claims";
    const MODULE: &'static str = module_path!();
    // Claims about speed rest on measured times, and so do these tables.
    const OUTPUTS: &'static [Output] = &[Output::measured("main"), Output::measured("findings")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut judged = Vec::new();
        let others = self.rules.iter().filter(|name| **name != self.headline);
        for rules in std::iter::once(&self.headline).chain(others) {
            let headline = *rules == self.headline;
            for claim in &self.claims {
                if !headline && !verdicts::depends_on_rules(&claim.id) {
                    continue;
                }
                let mut rng = cx.rng(&claim.id)?;
                let networks = headline.then_some(self.whole_networks);
                let found = verdicts::find(&claim.id, cx, rules, networks, &mut rng)?;
                let digests = verdicts::rests_on(&claim.id, rules, headline);
                let digests = digests.iter().filter_map(|role| cx.evidence(role));
                let scaled_down = self.scaled_down.contains(&claim.id);
                judged.push(claims::Judged {
                    rules: rules.clone(),
                    headline,
                    evidence: digests.map(|d| d.to_string()).collect::<Vec<_>>().join(" "),
                    ..claims::Judged::new(claim, found, scaled_down)
                });
            }
        }
        cx.write("main", &claims::tables::judged(&judged)?)?;
        Ok(cx.write("findings", &claims::tables::findings(&judged)?)?)
    }
}
