//! From tables to verdicts: one function a claim, each with its criterion as pre-registered.

mod contest;
mod network;
mod synthetic;

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;

use crate::{
    claims::{Finding, Verdict, judge_each},
    stats::{
        bootstrap::{Estimate, interval},
        moments::mean,
    },
};

/// What every claim comes to.
type Judgement = (Verdict, String, Vec<Finding>);

/// Whether a claim has a verdict under each of the rules of the synthetic function.
#[must_use]
pub fn depends_on_rules(id: &str) -> bool {
    matches!(id, "H2" | "H4" | "H6" | "H8")
}

/// The inputs that a claim rests on under these rules; with `networks` also what these say.
#[must_use]
pub fn rests_on(id: &str, rules: &str, networks: bool) -> Vec<String> {
    let own = network::rests_on(id).filter(|_| networks).map(str::to_owned);
    [synthetic_input(id, rules)].into_iter().flatten().chain(own).collect()
}

/// The input of the synthetic part of a claim.
fn synthetic_input(id: &str, rules: &str) -> Option<String> {
    Some(match id {
        "H1" => "recovery".to_owned(),
        "H2" => format!("noise {rules}"),
        "H3" => "times".to_owned(),
        "H4" => format!("stability {rules}"),
        "H6" => format!("dummies {rules}"),
        "H8" => format!("contest {rules}"),
        _ => return None,
    })
}

/// Judges one claim under one set of rules. Networks have one set of their own, so they speak only
/// where `networks` says whether they have the paper's size.
///
/// # Errors
/// When a table is corrupt or lacks a column.
pub fn judge(
    id: &str,
    cx: &Context,
    rules: &str,
    networks: Option<bool>,
    rng: &mut ChaCha12Rng,
) -> Result<Judgement, Stop> {
    let table = match synthetic_input(id, rules) {
        Some(role) => optional(cx, &role)?,
        None => None,
    };
    let mut findings = match (id, &table) {
        ("H1", Some(table)) => synthetic::recovery(table, rng)?,
        ("H2", Some(table)) => synthetic::noise(table, rng)?,
        ("H3", Some(table)) => synthetic::times(table, rng)?,
        ("H4", Some(table)) => synthetic::stability(table, rng)?,
        ("H6", Some(table)) => synthetic::dummies(table, rng)?,
        ("H8", Some(table)) => contest::synthetic(table, rng)?,
        _ => Vec::new(),
    };
    if let Some(whole) = networks {
        findings.extend(network::judge(id, cx, whole, rng)?);
    }
    let (verdict, reason) = judge_each(&findings);
    Ok((verdict, reason, findings))
}

/// An input that may be unavailable.
fn optional(cx: &Context, role: &str) -> Result<Option<RecordBatch>, Stop> {
    let has = cx.roles().any(|r| r == role);
    Ok(if has { Some(cx.input(role)?) } else { None })
}

fn finding(
    place: &str,
    in_paper: bool,
    holds: Option<bool>,
    estimate: Estimate,
    text: String,
) -> Finding {
    let (place, estimate) = (place.to_owned(), Some(estimate));
    Finding { place, in_paper, holds, estimate, effect: None, text }
}

/// The share of cases that hold.
fn share(cases: &[bool], rng: &mut ChaCha12Rng) -> Estimate {
    let values: Vec<f64> = cases.iter().map(|&c| f64::from(u8::from(c))).collect();
    interval(&values, rng, mean)
}
