//! Claims and their verdicts. A claim is read from a file together with its criterion, which is fixed before
//! any result; a paper's statistics give findings, one per place; the verdict follows from these by one rule
//! for all papers.

pub mod again;
pub mod calibration;
pub mod change;
pub mod criteria;
pub mod finding;
pub mod grounds;
pub mod lowest;
pub mod p_value;
pub mod published;
pub mod rates;
pub mod rule;
pub mod tables;
pub mod verdict;
pub mod wiring;

use std::path::Path;

use pipeline::stage::Stop;
use serde::{Deserialize, Serialize};

use self::{
    again::Stability,
    calibration::Worlds,
    finding::{Answer, Finding},
    published::Published,
    rates::Rates,
    rule::Rule,
    verdict::{Verdict, judge},
};

/// A claim as pre-registered in `configs/<paper>.claims.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// Short name, such as `G1`.
    pub id: String,
    /// Where the paper makes it.
    pub item: String,
    /// What it says.
    pub statement: String,
    /// The paper's own value.
    pub paper_value: String,
    /// When it counts as replicated.
    pub criterion: String,
    /// The profile it is meant to be judged at.
    pub profile: String,
    /// The paper's numbers for what is estimated here, where it has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// The two worlds in which its criterion is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Worlds>,
}

impl Claim {
    /// Each finding with the answer that it gives, and the paper's number for the same place.
    fn answered(&self, findings: Vec<Finding>) -> Vec<(Finding, Answer)> {
        let answered = |finding: Finding| {
            let answer = finding.answer(published::at(&self.published, &finding.place));
            (finding, answer)
        };
        findings.into_iter().map(answered).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    claim: Vec<Claim>,
}

/// Reads a claims file.
///
/// # Errors
/// If it is missing or malformed: the error names the file, and the line or the claim.
pub fn read(path: &Path) -> pipeline::Result<Vec<Claim>> {
    let text = std::fs::read_to_string(path).map_err(|e| pipeline::Error::io("read", path, &e))?;
    let file: File = toml::from_str(&text).map_err(|e| {
        let start = e.span().map_or(0, |span| span.start);
        let line = text.bytes().take(start).filter(|&b| b == b'\n').count() + 1;
        pipeline::Error::usage(format!("{}:{line}: {}", path.display(), e.message()))
    })?;
    let fault = |claim: &Claim| {
        Some((claim.id.clone(), claim.published.iter().find_map(Published::fault)?))
    };
    match file.claim.iter().find_map(fault) {
        Some((id, fault)) => {
            Err(pipeline::Error::usage(format!("{}: claim {id}: {fault}", path.display())))
        }
        None => Ok(file.claim),
    }
}

/// The findings about a claim, and the rule that combines them into one answer.
pub type Found = (Rule, Vec<Finding>);

/// A claim judged under one variant of the method.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// The variant.
    pub rules: String,
    /// Whether this is the variant that was fixed beforehand as the one that counts.
    pub headline: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason.
    pub reason: String,
    /// How the answers at several places are combined.
    pub rule: Rule,
    /// Whether the evidence is of sizes below the paper's.
    pub scaled_down: bool,
    /// The findings that it rests on, each with the answer that it gives.
    pub findings: Vec<(Finding, Answer)>,
    /// How often simulated evidence meets the criterion.
    pub rates: Option<Rates>,
    /// Whether the verdict is the same under other root seeds.
    pub stability: Stability,
    /// Digests of the artifacts the findings were computed from.
    pub evidence: String,
}

impl Judged {
    /// Judges `claim` by its findings; `scaled_down` if these are of sizes below the paper's, `rates` if the
    /// criterion has been calibrated.
    #[must_use]
    pub fn new(
        claim: &Claim,
        (rule, findings): Found,
        scaled_down: bool,
        rates: Option<Rates>,
    ) -> Self {
        let findings = claim.answered(findings);
        let (verdict, reason) = judge(rule, &findings, scaled_down, rates.as_ref());
        Self {
            claim: claim.clone(),
            rules: String::new(),
            headline: true,
            verdict,
            reason,
            rule,
            scaled_down,
            findings,
            rates,
            stability: Stability::default(),
            evidence: String::new(),
        }
    }

    /// The finding at the first place of the paper that has a value, otherwise at the first place that has
    /// one.
    #[must_use]
    pub fn main(&self) -> Option<&Finding> {
        let all = || self.findings.iter().map(|found| &found.0).filter(|f| f.estimate.is_some());
        all().find(|finding| finding.in_paper).or_else(|| all().next())
    }
}

/// A claim without a function that judges it: the claims file and the code do not match.
#[must_use]
pub fn unjudged(id: &str) -> Stop {
    Stop::Failed(format!(
        "claim {id}: nothing in the paper's folder `verdicts` judges it; add a function there, or \
         take the claim out of the claims file"
    ))
}

#[cfg(test)]
mod tests;
