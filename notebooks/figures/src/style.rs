//! The style of each method, the same in every figure of every notebook.

/// The number of different styles of series: each has a colour and a mark, `s0` to `s7` in the style sheet.
/// The palette is that of Okabe and Ito (2008), which stays distinct under the common colour-vision
/// deficiencies, with a dark grey for its yellow; the mark is a second cue for readers who cannot distinguish
/// the colours.
pub const LOOKS: usize = 8;

/// A series, its index in the palette, its name in legends.
type Known = (&'static str, usize, &'static str);

/// The series that have a fixed index in the palette, with their names in legends.
const KNOWN: [Known; 43] = [
    ("hoag-exponential", 0, "HOAG, exponential ε"),
    ("hoag-quadratic", 1, "HOAG, quadratic ε"),
    ("hoag-cubic", 2, "HOAG, cubic ε"),
    ("hoag-exact", 3, "HOAG, exact"),
    ("smbo", 4, "SMBO (GP, EI)"),
    ("random", 5, "random search"),
    ("iterdiff", 6, "Iterdiff"),
    ("grid", 7, "grid search"),
    ("outer", 0, "objective (test part)"),
    ("validation", 4, "validation part"),
    ("smoothie", 0, "SMOOTHIE"),
    ("smoothie-FF", 0, "SMOOTHIE, networks"),
    ("smoothie-NB", 2, "SMOOTHIE, naive Bayes"),
    ("smoothie-LR", 6, "SMOOTHIE, logistic"),
    ("random-n2", 5, "random search, N2"),
    ("bohb", 7, "BOHB"),
    ("bohb-n2", 7, "BOHB, N2"),
    ("bohb-n1", 4, "BOHB, N1"),
    ("dehb", 2, "DEHB"),
    ("dehb-n1", 2, "DEHB, N1"),
    ("hebo-like", 3, "HEBO-like"),
    ("ghost", 3, "GHOST"),
    ("deeptriage", 3, "DeepTriage"),
    ("svm", 3, "SVM"),
    ("harmonica", 0, "Harmonica"),
    ("harmonica-1", 0, "Harmonica-1"),
    ("harmonica-2", 2, "Harmonica-2"),
    ("harmonica-3", 6, "Harmonica-3"),
    ("hypertune", 0, "HyperTune"),
    ("fabolas", 2, "Fabolas"),
    ("hyperband", 1, "Hyperband"),
    ("successive-halving", 6, "successive halving"),
    ("asha", 0, "ASHA"),
    ("prior-band", 4, "PriorBand"),
    ("tpe", 3, "TPE"),
    ("ei", 4, "GP-EI"),
    ("gp-ei", 4, "GP-EI (Spearmint)"),
    ("stn", 0, "STN"),
    ("stn-code", 6, "STN, public code"),
    ("delta-stn", 2, "Δ-STN"),
    ("pbt", 3, "population-based training"),
    ("before", 1, "before tuning"),
    ("after", 0, "after tuning"),
];

/// The style of `series`, the `position`-th of its figure: fixed for known series, otherwise by position.
#[must_use]
pub fn of(series: &str, position: usize) -> usize {
    known(series).map_or(position, |(&(_, index, _), _)| index) % LOOKS
}

/// The entry of `series`, and the budget that its name ends with, as in `bohb-30`.
fn known(series: &str) -> Option<(&'static Known, Option<&str>)> {
    let find = |wanted: &str| KNOWN.iter().find(|(name, ..)| *name == wanted);
    if let Some(entry) = find(series) {
        return Some((entry, None));
    }
    let (name, budget) = series.rsplit_once('-')?;
    budget.parse::<u32>().ok()?;
    Some((find(name)?, Some(budget)))
}

/// The name of `series` in legends.
#[must_use]
pub fn label(series: &str) -> String {
    match known(series) {
        Some((&(_, _, label), None)) => label.to_owned(),
        Some((&(_, _, label), Some(budget))) => format!("{label}, {budget}"),
        None => series.to_owned(),
    }
}

/// The position of `series` in a legend: known ones first, in their fixed order.
#[must_use]
pub fn rank(series: &str) -> usize {
    let place = known(series).and_then(|(entry, _)| KNOWN.iter().position(|k| k == entry));
    place.unwrap_or(KNOWN.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_of_a_figure_never_look_alike() {
        let hoag = KNOWN[..8].iter().map(|(name, ..)| *name).collect();
        let tuning = ["hypertune", "fabolas", "hyperband", "ei"].to_vec();
        let searches = ["random", "grid", "hyperband", "gp-ei", "pbt"];
        let stn = [&["stn", "stn-code", "delta-stn"][..], &searches].concat();
        let parts = ["random", "bohb", "dehb", "hyperband", "successive-halving"].to_vec();
        let parts = [&parts[..], &["asha", "prior-band", "tpe"]].concat();
        for methods in [hoag, tuning, stn, parts] {
            for (i, a) in methods.iter().enumerate() {
                for b in &methods[..i] {
                    assert_ne!(of(a, 0), of(b, 0), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_budget_is_no_part_of_the_look() {
        assert_eq!(of("bohb-30", 5), of("bohb", 0));
        assert_eq!(label("bohb-30"), "BOHB, 30");
        assert_eq!((label("toy-x"), label("jira-3")), ("toy-x".into(), "jira-3".into()));
        assert_eq!(rank("random-5"), rank("random"));
    }
}
