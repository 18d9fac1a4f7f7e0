//! Claims about who wins (Tables V to IX) and about time (Figure 6).

use rand_chacha::ChaCha12Rng;

use super::{
    Judgement,
    evidence::{Evidence, Outcome, Place, Seconds, absent},
};
use crate::{
    claims::{Finding, Verdict},
    papers::smoothie::results::largest_budget,
    stats::{
        better::Better,
        bootstrap::{Estimate, interval_of_two},
        effect::cliffs_delta,
        improvement::improvement,
        moments::mean,
    },
};

/// Replicated if no data set contradicts the claim, partly if at most a third do. Data that the
/// paper does not have are shown and decide nothing.
fn by_share(findings: Vec<Finding>) -> Judgement {
    let own: Vec<_> = findings.iter().filter(|f| f.in_paper && f.holds.is_some()).collect();
    let against: Vec<&str> =
        own.iter().filter(|f| f.holds == Some(false)).map(|f| f.place.as_str()).collect();
    let missing = findings.iter().filter(|f| f.in_paper && f.holds.is_none()).count();
    if own.is_empty() {
        let why =
            "none of the paper's data sets can be had; the others are shown but do not decide";
        return (Verdict::NotTestable, why.to_owned(), findings);
    }
    let verdict = match against.len() {
        0 if missing == 0 => Verdict::Replicated,
        n if 3 * n <= own.len() => Verdict::Partly,
        _ => Verdict::NotReplicated,
    };
    let names =
        if against.is_empty() { String::new() } else { format!(" ({})", against.join(", ")) };
    let mut reason = format!("{} of {} data sets contradict it{names}", against.len(), own.len());
    if missing > 0 {
        reason.push_str(&format!("; {missing} cannot be had"));
    }
    (verdict, reason, findings)
}

/// One finding a task: what SMOOTHIE came to against the best of the others.
fn outcome(
    evidence: &Evidence,
    place: &Place,
    holds: impl Fn(&Place, &Outcome) -> Option<bool>,
    rng: &mut ChaCha12Rng,
) -> Finding {
    let Some(found) = evidence.outcomes.get(&place.task) else { return absent(place) };
    let pair = evidence.pair(&place.task, &found.rival);
    let estimate = pair.as_ref().map(|(own, other)| improvement(own, other, Better::Higher, rng));
    let effect = pair.map(|(own, other)| (cliffs_delta(&own, &other), "Cliff's δ"));
    let chance = estimate.map_or(f64::NAN, |e| e.value);
    let tie = if found.all_tie { "; no treatment differs from the best" } else { "" };
    Finding {
        place: place.task.clone(),
        in_paper: place.in_paper,
        holds: holds(place, found),
        estimate,
        effect,
        text: format!(
            "{} of SMOOTHIE ({}) against {}, as good or better in {:.0}% of pairs{tie}",
            found.word,
            found.learner,
            found.rival,
            100.0 * chance
        ),
    }
}

/// S1 to S3: the outcome on every task of a family.
pub(super) fn family(
    evidence: &Evidence,
    family: &str,
    agrees: impl Fn(&str) -> bool,
    rng: &mut ChaCha12Rng,
) -> Judgement {
    let holds = |_: &Place, o: &Outcome| Some(agrees(&o.word));
    by_share(evidence.family(family).map(|p| outcome(evidence, p, holds, rng)).collect())
}

/// S4: no treatment differs from the best.
pub(super) fn all_tie(evidence: &Evidence, family: &str, rng: &mut ChaCha12Rng) -> Judgement {
    let holds = |_: &Place, o: &Outcome| Some(o.all_tie);
    by_share(evidence.family(family).map(|p| outcome(evidence, p, holds, rng)).collect())
}

/// S5: the outcome that the paper's table gives.
pub(super) fn as_published(evidence: &Evidence, family: &str, rng: &mut ChaCha12Rng) -> Judgement {
    let holds = |p: &Place, o: &Outcome| p.published.as_ref().map(|word| *word == o.word);
    by_share(evidence.family(family).map(|p| outcome(evidence, p, holds, rng)).collect())
}

/// The task of Figure 6, and its factors over BOHB and DEHB.
const FIGURE_6: (&str, f64, f64) = ("chromium-2", 4.7, 8.3);
/// Smoothness is negligible below this share of SMOOTHIE's time.
const NEGLIGIBLE: f64 = 0.05;

/// S7: time of the others over SMOOTHIE's at N1 evaluations each.
pub(super) fn faster(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let mut findings = Vec::new();
    for place in evidence.places.iter().filter(|p| p.software) {
        let networks = || {
            let all = evidence.seconds.iter();
            all.filter(|((task, _, learner), _)| *task == place.task && learner == "FF")
                .map(|((_, method, _), seconds)| (method.as_str(), seconds))
        };
        let of = |wanted: &str| networks().find(|(method, _)| *method == wanted).map(|m| m.1);
        let largest = |name: &str| of(largest_budget(networks().map(|m| m.0), name)?);
        let all = (of("smoothie"), largest("bohb-"), largest("dehb-"));
        let (Some(own), Some(bohb), Some(dehb)) = all else {
            if place.task == FIGURE_6.0 {
                findings.push(absent(place));
            }
            continue;
        };
        let total = |list: &[Seconds]| list.iter().map(|s| s.total).collect::<Vec<_>>();
        let mut ratio = |other: &[Seconds]| -> Estimate {
            interval_of_two(&total(other), &total(own), rng, |a, b| mean(a) / mean(b))
        };
        let (over_bohb, over_dehb) = (ratio(bohb), ratio(dehb));
        let probe = mean(&own.iter().map(|s| s.probe / s.total).collect::<Vec<_>>());
        let in_paper = place.task == FIGURE_6.0;
        let fast = over_bohb.high >= FIGURE_6.1 && over_dehb.high >= FIGURE_6.2;
        findings.push(Finding {
            place: place.task.clone(),
            in_paper,
            holds: Some(fast && probe < NEGLIGIBLE),
            estimate: Some(over_bohb),
            effect: None,
            text: format!(
                "BOHB takes {:.1} and DEHB {:.1} times SMOOTHIE's CPU time; smoothness is {:.0}% of it",
                over_bohb.value,
                over_dehb.value,
                100.0 * probe
            ),
        });
    }
    by_share(findings)
}
