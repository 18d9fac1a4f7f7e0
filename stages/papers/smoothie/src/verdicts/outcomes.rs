//! Claims about wins (Tables V to IX) and about time (Figure 6).

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    better::Better, bootstrap::interval, effect::cliffs_delta, improvement::improvement,
    moments::mean, ratio::interval_of_ratio,
};

use super::evidence::{Evidence, Outcome, Place, Seconds, absent};
use crate::results::largest_budget;

/// One finding per task: the outcome of SMOOTHIE against the best of the others.
fn outcome(evidence: &Evidence, place: &Place, holds: Holds, rng: &mut ChaCha12Rng) -> Finding {
    let Some(found) = evidence.outcomes.get(&place.task) else { return absent(place) };
    let pair = evidence.pair(&place.task, &found.rival);
    let estimate = pair.as_ref().map(|(own, other)| improvement(own, other, Better::Higher, rng));
    let effect = pair.map(|(own, other)| (cliffs_delta(&own, &other), "Cliff's δ"));
    let chance = estimate.map_or(f64::NAN, |e| e.value);
    // The procedure's own tests decide whether it is a win, a tie or a loss.
    Finding {
        place: place.task.clone(),
        in_paper: place.in_paper,
        met: holds(place, found),
        region: None,
        estimate,
        effect,
        text: format!(
            "{} of SMOOTHIE ({}) against {}, as good or better in {:.0}% of pairs{}",
            found.word,
            found.learner,
            found.rival,
            100.0 * chance,
            groups(&found.groups)
        ),
        replicated: false,
        scaled_down: false,
    }
}

/// The groups of treatments by rank, in words.
fn groups([first, second]: &[Vec<String>; 2]) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, true) => String::new(),
        (_, true) => "; no treatment differs from the best".to_owned(),
        _ => format!("; first rank: {}; second: {}", first.join(", "), second.join(", ")),
    }
}

/// Whether an outcome on a task agrees with the paper; `None` if the paper has none.
pub(super) type Holds = fn(&Place, &Outcome) -> Option<bool>;

/// The family of tasks of a claim about wins, and the outcomes that agree with it: S1 and S2, no loss; S3, no
/// win; S4, a tie; S5, what the paper's table gives. They are SMOOTHIE's, with the learner that represents it,
/// against its rival: that others of its learners have another rank is no win and no loss.
pub(super) fn criterion(id: &str) -> Option<(&'static str, Holds)> {
    Some(match id {
        "S1" => ("warnings", |_, o| Some(o.word != "loss")),
        "S2" => ("lifetime-3", |_, o| Some(o.word != "loss")),
        "S3" => ("lifetime-2", |_, o| Some(o.word != "win")),
        "S4" => ("defects", |_, o| Some(o.word == "tie")),
        "S5" => ("bayesmark", |p, o| p.published.as_ref().map(|word| *word == o.word)),
        _ => return None,
    })
}

/// The outcome on every task of a family.
pub(super) fn family(
    evidence: &Evidence,
    (family, holds): (&str, Holds),
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    evidence.family(family).map(|place| outcome(evidence, place, holds, rng)).collect()
}

/// The task of Figure 6, and its factors over BOHB and DEHB.
const FIGURE_6: (&str, f64, f64) = ("chromium-2", 4.7, 8.3);
/// Smoothness is negligible below this share of SMOOTHIE's time.
const NEGLIGIBLE: f64 = 0.05;

/// S7: time of the others over SMOOTHIE's at N1 evaluations each.
pub(super) fn faster(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
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
        let in_paper = place.task == FIGURE_6.0;
        for (rival, other, least) in [("BOHB", bohb, FIGURE_6.1), ("DEHB", dehb, FIGURE_6.2)] {
            let estimate = interval_of_ratio(&total(other), &total(own), rng);
            let text = format!("{rival} takes {:.1} times SMOOTHIE's CPU time", estimate.value);
            let found = Finding::new(&format!("{}, {rival}", place.task), estimate, text);
            let found = found.in_paper(in_paper).within(Region::above(least));
            findings.push(found.of_replicates());
        }
        let probe: Vec<f64> = own.iter().map(|s| s.probe / s.total).collect();
        let estimate = interval(&probe, rng, mean);
        let text = format!("smoothness is {:.1}% of SMOOTHIE's CPU time", 100.0 * estimate.value);
        let found = Finding::new(&format!("{}, smoothness", place.task), estimate, text);
        let found = found.in_paper(in_paper).within(Region::below(NEGLIGIBLE));
        findings.push(found.of_replicates());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(id: &str, word: &str, published: Option<&str>) -> Option<bool> {
        let (family, holds) = criterion(id).unwrap();
        let place = Place {
            task: "t".to_owned(),
            family: family.to_owned(),
            in_paper: true,
            software: true,
            published: published.map(str::to_owned),
            scaled_down: false,
        };
        let [word, learner, rival] = [word, "FF", "bohb-5"].map(str::to_owned);
        let groups = [vec![rival.clone()], vec!["smoothie NB".to_owned()]];
        holds(&place, &Outcome { word, learner, rival, groups })
    }

    #[test]
    fn each_claim_about_wins_accepts_what_its_text_says() {
        for (id, accepted) in [
            ("S1", &["win", "tie"][..]),
            ("S2", &["win", "tie"]),
            ("S3", &["tie", "loss"]),
            // Although a learner of SMOOTHIE's own has another rank.
            ("S4", &["tie"]),
        ] {
            for word in ["win", "tie", "loss"] {
                let expected = Some(accepted.contains(&word));
                assert_eq!(holds(id, word, None), expected, "{id} {word}");
            }
        }
        assert_eq!(holds("S5", "loss", Some("loss")), Some(true));
        assert_eq!(holds("S5", "win", Some("loss")), Some(false));
        assert_eq!(holds("S5", "win", None), None, "the paper has no outcome");
        assert!(criterion("S6").is_none());
    }

    #[test]
    fn the_text_names_the_treatments_of_each_rank() {
        let names = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let told = groups(&[names(&["smoothie FF", "ghost"]), names(&["bohb-5"])]);
        assert_eq!(told, "; first rank: smoothie FF, ghost; second: bohb-5");
        let told = groups(&[names(&["smoothie FF", "ghost"]), Vec::new()]);
        assert_eq!(told, "; no treatment differs from the best");
        assert_eq!(groups(&<[Vec<String>; 2]>::default()), "");
    }
}
