//! The sensitivity of the verdicts on one claim: under each run, variant and root seed, and what a script
//! needs to reach them again with other thresholds and samples.

use serde_json::{Value, json};

use crate::{
    paper::{Paper, SMOKE},
    published::Kind,
    verdicts::claims::{Claim, Finding},
    verdicts::grounds::{Grounds, Place},
    verdicts::verdict::{DIRECTIONS, VERDICTS, Verdict},
};

/// A verdict that was reached.
pub struct Reached {
    /// The run.
    pub run: String,
    /// The variant of the method.
    pub rules: String,
    /// The root seed; empty where only one was tried.
    pub root_seed: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Power and rate of false positives; empty where the criterion was not calibrated.
    pub worth: String,
}

/// What is known of a claim's sensitivity.
pub struct Explorer {
    /// What would change the verdict, in sentences; empty where the run did not say.
    pub change: String,
    /// All verdicts that were reached.
    pub reached: Vec<Reached>,
    /// The same for a script, as JSON without `<`.
    pub json: String,
}

impl Explorer {
    /// The sensitivity of claim `id` of `paper`, which was judged under `profile`.
    pub fn of(paper: &Paper, profile: &str, id: &str) -> Self {
        let mut runs: Vec<(String, &[Claim])> = Vec::new();
        match &paper.recorded {
            Some(run) if paper.here => {
                runs.push((format!("recorded, profile {}", run.profile), &run.claims));
                runs.push((format!("computed here, profile {profile}"), &paper.claims));
            }
            Some(run) => {
                if !paper.aside.is_empty() {
                    runs.push((format!("computed here, profile {SMOKE}"), &paper.aside));
                }
                runs.push((format!("recorded, profile {}", run.profile), &paper.claims));
            }
            None => runs.push((format!("computed here, profile {profile}"), &paper.claims)),
        }
        // The one whose verdict the page shows comes first.
        runs.reverse();
        let claims: Vec<(&String, &Claim)> = runs
            .iter()
            .flat_map(|(run, claims)| claims.iter().map(move |claim| (run, claim)))
            .filter(|(_, claim)| claim.id == id)
            .collect();
        let change = claims.first().and_then(|(_, claim)| claim.grounds.as_ref());
        let told: Vec<Value> = claims.iter().map(|(run, claim)| told(run, claim)).collect();
        Self {
            change: change.map(|grounds| grounds.change.clone()).unwrap_or_default(),
            reached: claims.iter().flat_map(|(run, claim)| reached(run, claim)).collect(),
            json: inert(&json!({ "runs": told })),
        }
    }
}

/// How verdicts look, for the script: word, sign and style class.
pub fn looks() -> String {
    let all = VERDICTS.iter().chain(&DIRECTIONS);
    inert(&all.map(|verdict| json!([verdict.word, verdict.sign, verdict.class])).collect())
}

/// JSON that cannot end the element in which it stands.
fn inert(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

fn reached(run: &str, claim: &Claim) -> Vec<Reached> {
    let worth = claim.worth.as_ref().map_or_else(String::new, |worth| {
        format!("power {}, false positives {}", worth.power, worth.false_positives)
    });
    let one = |root_seed: &str, verdict: Verdict, worth: String| Reached {
        run: run.to_owned(),
        rules: claim.rules.clone(),
        root_seed: root_seed.to_owned(),
        verdict,
        worth,
    };
    let mut all = vec![one("", claim.verdict, worth)];
    if claim.root_seeds.len() > 1 {
        let seeds = claim.root_seeds.iter();
        all.extend(seeds.map(|(seed, verdict)| one(seed, *verdict, String::new())));
    }
    all
}

fn told(run: &str, claim: &Claim) -> Value {
    // Rows of two tables belong together only if none is missing.
    let whole = |grounds: &&Grounds| grounds.places.len() == claim.findings.len();
    let grounds = claim.grounds.as_ref().filter(whole).map(|grounds| {
        let findings = claim.findings.iter().zip(&grounds.places);
        json!({
            "rule": grounds.rule,
            "scaled_down": grounds.scaled_down,
            "flips": grounds.flips,
            "rates": grounds.rates,
            "findings": findings.map(|(finding, place)| found(finding, place)).collect::<Value>(),
        })
    });
    json!({ "run": run, "rules": claim.rules, "verdict": claim.verdict.word, "grounds": grounds })
}

fn found(finding: &Finding, place: &Place) -> Value {
    let kind = |kind: Kind| match kind {
        Kind::Level => "level",
        Kind::Difference => "difference",
        Kind::Ratio => "ratio",
    };
    let published = finding.published.as_ref();
    // What JSON has no number for, infinite ends among it, is written as null.
    json!({
        "place": finding.place, "in_paper": finding.in_paper,
        "value": finding.value, "low": finding.low, "high": finding.high,
        "n": place.n, "replicated": place.replicated, "scaled_down": place.scaled_down,
        "met": place.met, "region": place.region, "without_effect": place.without_effect,
        "published": published.map(|p| json!([p.value, p.at_least, kind(p.measure.kind)])),
    })
}
