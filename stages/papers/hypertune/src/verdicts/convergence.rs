//! Figures 2 to 5: HyperTune is ahead of GP-EI on the validation part at every budget.

use kit::claims::finding::{Answer, Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean};

use super::evidence::{Evidence, Place};
use crate::runs::EI;

/// The area between the curves is above 0 with its interval. By work, including the subset searches, it
/// decides; by evaluations on only the whole training part it is shown. A lead that is lost by work, and by evaluations
/// not surely lost, is open: what the subset searches cost is our choice, since the paper states neither their
/// evaluations nor the size of the subsets.
pub(super) fn ahead(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in &evidence.places {
        let by_work = one(evidence, place, "work", place.figure.is_some(), rng);
        let by_evaluations = one(evidence, place, "evaluations", false, rng);
        let gives = |found: &Option<Finding>, answer| {
            found.as_ref().is_some_and(|found| found.answer(None) == answer)
        };
        let by_cost = gives(&by_work, Answer::No) && !gives(&by_evaluations, Answer::No);
        findings.extend(by_work.map(|found| if by_cost { open(found) } else { found }));
        findings.extend(by_evaluations);
    }
    findings
}

fn open(found: Finding) -> Finding {
    let text = format!(
        "{}; not surely behind by evaluations, and the paper does not state what its subset searches cost",
        found.text
    );
    Finding { text, ..found.met(None) }
}

fn one(
    evidence: &Evidence,
    place: &Place,
    axis: &str,
    in_paper: bool,
    rng: &mut ChaCha12Rng,
) -> Option<Finding> {
    let name = if in_paper { place.task.clone() } else { format!("{} by {axis}", place.task) };
    let Some(repeats) = evidence.areas.get(&(place.task.clone(), axis.to_owned())) else {
        let compared = place.methods.iter().any(|method| method == EI);
        let why = if compared {
            "its data are not available"
        } else {
            "GP-EI is not run on it in this profile"
        };
        return in_paper.then(|| Finding::missing(&name, why));
    };
    let (areas, shares): (Vec<f64>, Vec<f64>) = repeats.iter().copied().unzip();
    let estimate = interval(&areas, rng, mean);
    let text = format!(
        "mean lead {:.4}; not behind on {:.0}% of the way",
        estimate.value,
        100.0 * mean(&shares)
    );
    Some(
        Finding::new(&name, estimate, text)
            .in_paper(in_paper)
            .within(Region::above(0.0))
            .of_replicates()
            .scaled_down(place.scaled_down),
    )
}

#[cfg(test)]
mod tests {
    use kit::claims::{Claim, Judged, rule::Rule, verdict::Verdict};
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Tasks of Figure 2 with their leads by work and by evaluations in eight repeats, some of reduced size.
    fn found(tasks: &[(&str, [f64; 2], bool)]) -> Vec<Finding> {
        let place = |(task, _, scaled_down): &(&str, [f64; 2], bool)| Place {
            task: (*task).to_owned(),
            learner: "elastic-net".to_owned(),
            claim: None,
            methods: vec![EI.to_owned()],
            published: std::collections::BTreeMap::new(),
            figure: Some(2),
            complexity: false,
            scaled_down: *scaled_down,
            reduced: Vec::new(),
        };
        let places: Vec<Place> = tasks.iter().map(place).collect();
        let mut evidence = Evidence::new(&places);
        for (task, leads, _) in tasks {
            for (axis, lead) in ["work", "evaluations"].into_iter().zip(leads) {
                let repeats = (0..8).map(|r| (lead + 1e-4 * f64::from(r % 4), 0.5)).collect();
                evidence.areas.insert(((*task).to_owned(), axis.to_owned()), repeats);
            }
        }
        ahead(&evidence, &mut ChaCha12Rng::seed_from_u64(1))
    }

    fn verdict(findings: Vec<Finding>) -> Verdict {
        let text = String::new;
        let claim = Claim {
            id: "T-CONV".to_owned(),
            item: text(),
            statement: text(),
            paper_value: text(),
            criterion: text(),
            profile: text(),
            published: Vec::new(),
            calibration: None,
        };
        Judged::new(&claim, (Rule::Each, findings), false, None).verdict
    }

    #[test]
    fn a_reduced_task_leaves_the_decision_to_those_of_the_papers_size() {
        let (ahead, behind) = ([0.01, 0.02], [-0.02, -0.01]);
        let [letter, mnist] = [("letter", behind, false), ("mnist", ahead, false)];
        let reduced = ("adult", [0.0, 0.01], true);
        assert_eq!(verdict(found(&[letter, mnist, reduced])), Verdict::Partly);
        // One that is behind and no other of the paper's size: elsewhere it may be ahead.
        assert_eq!(verdict(found(&[letter, reduced])), Verdict::CannotTell);
        let tasks = [("letter", behind, true), ("adult", behind, true)];
        assert_eq!(verdict(found(&tasks)), Verdict::PointsTheOtherWay);
        let tasks = [("letter", ahead, false), ("adult", behind, false)];
        assert_eq!(verdict(found(&tasks)), Verdict::Partly);
    }

    #[test]
    fn a_lead_that_the_subset_searches_use_up_decides_nothing() {
        let answers = |leads| {
            let found = found(&[("letter", leads, false)]);
            [found[0].answer(None), found[1].answer(None)]
        };
        assert_eq!(answers([-0.02, 0.01]), [Answer::Open, Answer::Yes]);
        assert_eq!(answers([-0.02, -0.00015]), [Answer::Open, Answer::Open]);
        assert_eq!(answers([-0.02, -0.01]), [Answer::No, Answer::No]);
        assert_eq!(answers([0.01, -0.01]), [Answer::Yes, Answer::No], "by work decides");
    }
}
