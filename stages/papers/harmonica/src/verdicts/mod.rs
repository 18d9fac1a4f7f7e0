//! Derives verdicts from tables: one function per claim, each with its criterion as pre-registered.

mod contest;
pub mod evidence;
mod network;
#[cfg(test)]
mod one_run_tests;
pub mod simulated;
mod synthetic;

use kit::claims::{Found, finding::Finding, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stats::proportion::share;

use self::evidence::{CONTEST, DUMMIES, Evidence, NOISE, RECOVERY, STABILITY, TIMES};

/// Whether a claim has a verdict under each of the rules of the synthetic function.
#[must_use]
pub fn depends_on_rules(id: &str) -> bool {
    matches!(id, "H2" | "H4" | "H6" | "H8")
}

/// The inputs that a claim rests on under these rules; with `networks` also their tables.
#[must_use]
pub fn rests_on(id: &str, rules: &str, networks: bool) -> Vec<String> {
    let synthetic = match id {
        "H1" => Some(RECOVERY.role()),
        "H2" => Some(NOISE.at(rules).role()),
        "H3" => Some(TIMES.role()),
        "H4" => Some(STABILITY.at(rules).role()),
        "H6" => Some(DUMMIES.at(rules).role()),
        "H8" => Some(CONTEST.at(rules).role()),
        _ => None,
    };
    let networks = network::rests_on(id).filter(|_| networks);
    synthetic.into_iter().chain(networks).collect()
}

/// How a criterion combines its findings: parts of one claim, or runs of it that have to agree.
fn rule(id: &str) -> Option<Rule> {
    Some(match id {
        "H1" | "H3" | "H6" | "H9" | "H10" => Rule::Each,
        "H4" | "H7" | "H8" => Rule::All,
        "H2" | "H5" => Rule::Agree,
        _ => return None,
    })
}

/// The findings about one claim under one set of rules. Networks have their own rules, so that they are
/// included only if `networks` says whether the big one has the paper's size.
///
/// # Errors
/// If no function judges the claim.
pub fn find(
    id: &str,
    evidence: &Evidence,
    networks: Option<bool>,
    rng: &mut ChaCha12Rng,
) -> Result<Found, Stop> {
    let rule = rule(id).ok_or_else(|| unjudged(id))?;
    let found = match id {
        "H1" => evidence.recovery.as_deref().map(synthetic::recovery),
        "H2" => evidence.noise.as_deref().map(|rows| synthetic::noise(rows, rng)),
        "H3" => evidence.times.as_deref().map(|rows| synthetic::times(rows, rng)),
        "H4" => evidence.stability.as_deref().map(synthetic::stability),
        "H6" => evidence.dummies.as_deref().map(synthetic::dummies),
        "H8" => evidence.contest.as_deref().map(|rows| contest::synthetic(rows, rng)),
        _ => None,
    };
    let mut findings = found.unwrap_or_default();
    if let Some(whole) = networks {
        findings.extend(network::judge(id, evidence, whole, rng));
    }
    Ok((rule, findings))
}

/// Whether all or none of some cases hold; if only some do, there is no answer.
fn agreed(cases: &[bool]) -> Option<bool> {
    let first = *cases.first()?;
    cases.iter().all(|case| *case == first).then_some(first)
}

/// The claim that no dummy is selected is informative only if a random selection would fail it: this is the
/// probability that a random selection would pass, given the number of features and the share of dummies.
fn unnoticed(selected: usize, dummies: f64) -> f64 {
    (1.0 - dummies).powi(i32::try_from(selected).unwrap_or(i32::MAX))
}

/// The largest accepted value of [`unnoticed`].
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
