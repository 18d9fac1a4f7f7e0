//! Figures 2 to 5: HyperTune is ahead of GP-EI on the validation part at every budget.

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean};

use super::evidence::{Evidence, Place};
use crate::runs::EI;

/// The area between the curves is above 0 with its interval. By work, including the subset searches, it
/// decides; by evaluations on only the whole training part it is shown.
pub(super) fn ahead(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in &evidence.places {
        for (axis, decides) in [("work", true), ("evaluations", false)] {
            let in_paper = decides && place.figure.is_some();
            findings.extend(one(evidence, place, axis, in_paper, rng));
        }
    }
    findings
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
            .of_replicates(),
    )
}
