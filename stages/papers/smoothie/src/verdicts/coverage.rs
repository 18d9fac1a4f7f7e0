//! Claims about all data sets of the paper, of which some may not be available.

use kit::claims::{Found, finding::Finding, rule::Rule};

use super::{
    evidence::{Evidence, Place},
    guidance,
};

/// β that the paper gives of data sets, its roughest ones of software (section 6.1), and its mean over software
/// (Figure 3).
const ROUGHEST: [(&str, f64); 3] = [("chromium-2", 9.4), ("eclipse-2", 14.9), ("firefox-2", 13.8)];
const MEAN: f64 = 2.0;

/// The paper's data sets that a claim is about, and those of them on which nothing could be measured.
pub(super) struct Coverage {
    /// What they are, in words.
    kind: &'static str,
    all: usize,
    lacking: Vec<String>,
}

impl Coverage {
    /// Of a claim about all data sets, or all of a family; `None` for other claims.
    pub(super) fn of(id: &str, evidence: &Evidence) -> Option<Self> {
        let measured: fn(&Evidence, &Place) -> bool = match id {
            "S6" => |evidence, place| guidance::smoothness(evidence, place).is_some(),
            "S8" => |evidence, place| guidance::chance(evidence, place).is_some(),
            "S9" => |evidence, place| evidence.sensitivity.contains_key(&place.task),
            "S11" => |evidence, place| guidance::lead(evidence, place).is_some(),
            "S12" => |evidence, place| evidence.curvatures.contains_key(&place.task),
            _ => return None,
        };
        let concerned = |place: &&Place| id != "S9" || place.family == "warnings";
        let own: Vec<&Place> = evidence.own().filter(concerned).collect();
        let lacking = own.iter().filter(|place| !measured(evidence, place));
        Some(Self {
            kind: if id == "S9" { "data sets of warnings" } else { "data sets" },
            all: own.len(),
            lacking: lacking.map(|place| place.task.clone()).collect(),
        })
    }

    /// The data sets on which something was measured, in words.
    pub(super) fn told(&self) -> String {
        let Self { kind, all, lacking } = self;
        // Where there is none, all are what the claim needs.
        if lacking.is_empty() || lacking.len() == *all {
            return format!("all {kind}");
        }
        format!("{} of the paper's {all} {kind}", all - lacking.len())
    }

    /// The data sets that are lacking, and why they matter; `None` if none is, or if all are: then the claim's own
    /// finding says why there is no value.
    pub(super) fn absent(&self) -> Option<Finding> {
        let Self { kind, all, lacking } = self;
        if lacking.is_empty() || lacking.len() == *all {
            return None;
        }
        let rough = ROUGHEST.iter().filter(|(task, _)| lacking.iter().any(|name| name == task));
        let rough: Vec<String> = rough.map(|(task, beta)| format!("{task} {beta}")).collect();
        let mut text = format!(
            "{} of the paper's {all} {kind}: their data are not available, or nothing could be measured on them",
            lacking.len()
        );
        if !rough.is_empty() {
            text.push_str(&format!(
                "; by the paper its roughest software data are among them (β of {}, against a mean of {MEAN})",
                rough.join(", ")
            ));
        }
        Some(Finding::missing(&lacking.join(", "), &text))
    }

    /// The findings with what is lacking, and the rule that combines them. All parts of a criterion have to be met;
    /// but a measurement on some of the data sets at the paper's size neither meets nor misses it, since those
    /// that are lacking could turn it. `scaled_down`: smaller evidence gives a direction, for which they do not count.
    pub(super) fn judged(&self, mut findings: Vec<Finding>, scaled_down: bool) -> Found {
        let Some(absent) = self.absent() else { return (Rule::All, findings) };
        findings.push(absent);
        (if scaled_down { Rule::All } else { Rule::Agree }, findings)
    }
}

#[cfg(test)]
mod tests {
    use kit::claims::{
        finding::Region,
        rule::{Joined, Tally},
    };
    use stats::bootstrap::Estimate;

    use super::*;

    fn coverage(all: usize, lacking: &[&str]) -> Coverage {
        let lacking = lacking.iter().map(|&name| name.to_owned()).collect();
        Coverage { kind: "data sets", all, lacking }
    }

    #[test]
    fn what_is_lacking_is_named_with_why_it_matters() {
        let some = coverage(24, &["chromium-2", "chromium-3"]);
        assert_eq!(some.told(), "22 of the paper's 24 data sets");
        let absent = some.absent().unwrap();
        assert_eq!(absent.place, "chromium-2, chromium-3");
        assert!(absent.in_paper && absent.estimate.is_none());
        assert!(absent.text.starts_with("2 of the paper's 24 data sets: "), "{}", absent.text);
        assert!(
            absent.text.ends_with("(β of chromium-2 9.4, against a mean of 2)"),
            "{}",
            absent.text
        );
        assert!(!coverage(24, &["ant"]).absent().unwrap().text.contains('β'));
        assert_eq!(coverage(24, &[]).told(), "all data sets");
        assert!(coverage(24, &[]).absent().is_none());
        assert!(coverage(1, &["ant"]).absent().is_none(), "nothing at all was measured");
        assert_eq!(coverage(1, &["ant"]).told(), "all data sets");
    }

    #[test]
    fn what_some_data_sets_say_decides_nothing_at_the_papers_size() {
        let found = |value| {
            let estimate = Estimate::exact(value, 18);
            Finding::new("18 of 24", estimate, String::new()).within(Region::above(0.0))
        };
        let ends = |coverage: &Coverage, values: &[f64], scaled_down: bool| {
            let findings = values.iter().map(|&value| found(value)).collect();
            let (rule, findings) = coverage.judged(findings, scaled_down);
            let tally = Tally::of(findings.iter().map(|finding| finding.answer(None)));
            if scaled_down { rule.lean(tally) } else { rule.join(tally) }
        };
        let (whole, some) = (coverage(24, &[]), coverage(24, &["eclipse-2"]));
        for (values, joined) in [
            (&[1.0][..], Joined::Met),
            (&[-1.0], Joined::Missed),
            (&[1.0, 1.0], Joined::Met),
            (&[1.0, -1.0], Joined::Missed),
        ] {
            assert_eq!(ends(&whole, values, false), joined, "{values:?}");
            assert_eq!(ends(&some, values, false), Joined::Open, "{values:?}");
            assert_eq!(ends(&some, values, true), joined, "a direction: {values:?}");
        }
    }
}
