//! From tables to verdicts: one function per claim, each with its criterion as pre-registered.

mod contest;
mod network;
pub mod simulated;
mod synthetic;

use kit::claims::{Found, evidence::Tables, finding::Finding, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stats::proportion::share;

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

/// How a criterion joins its findings: parts of one claim, or runs of it that have to agree.
fn rule(id: &str) -> Option<Rule> {
    Some(match id {
        "H1" | "H3" | "H6" | "H9" | "H10" => Rule::Each,
        "H4" | "H7" | "H8" => Rule::All,
        "H2" | "H5" => Rule::Agree,
        _ => return None,
    })
}

/// What is found about one claim under one set of rules. Networks have one set of their own, so they
/// speak only where `networks` says whether the big one has the paper's size.
///
/// # Errors
/// When no function judges the claim, or a table is corrupt or lacks a column.
pub fn find(
    id: &str,
    tables: &Tables,
    rules: &str,
    networks: Option<bool>,
    rng: &mut ChaCha12Rng,
) -> Result<Found, Stop> {
    let rule = rule(id).ok_or_else(|| unjudged(id))?;
    let table = synthetic_input(id, rules).and_then(|role| tables.get(&role));
    let mut findings = match (id, table) {
        ("H1", Some(table)) => synthetic::recovery(table)?,
        ("H2", Some(table)) => synthetic::noise(table, rng)?,
        ("H3", Some(table)) => synthetic::times(table, rng)?,
        ("H4", Some(table)) => synthetic::stability(table)?,
        ("H6", Some(table)) => synthetic::dummies(table)?,
        ("H8", Some(table)) => contest::synthetic(table, rng)?,
        _ => Vec::new(),
    };
    if let Some(whole) = networks {
        findings.extend(network::judge(id, tables, whole, rng)?);
    }
    Ok((rule, findings))
}

/// Whether all, or none, of some cases hold; that some do and others do not decides nothing.
fn agreed(cases: &[bool]) -> Option<bool> {
    let first = *cases.first()?;
    cases.iter().all(|case| *case == first).then_some(first)
}

/// A claim that nothing is selected which does nothing says something only where a selection at random
/// would be caught: of so many features, of a share of dummies, this is how likely it would not be.
fn unnoticed(selected: usize, dummies: f64) -> f64 {
    (1.0 - dummies).powi(i32::try_from(selected).unwrap_or(i32::MAX))
}

/// The most that [`unnoticed`] may be.
const VACUOUS: f64 = 0.1;

/// H6: of some selected features `alone` are dummy variables on their own; dummies are a `share` of the
/// features that can be selected.
fn no_dummies(place: &str, alone: &[bool], part: usize, share_of: f64) -> Finding {
    let count = alone.iter().filter(|a| **a).count();
    let by_chance = unnoticed(alone.len(), share_of);
    let text = format!(
        "{count} of {} selected features are a dummy variable alone, {part} contain one; as many \
         features at random would have none with probability {by_chance:.2}",
        alone.len()
    );
    let met = match count {
        0 if by_chance > VACUOUS => None,
        _ => Some(count == 0),
    };
    Finding::new(place, share(alone), text).met(met)
}
