//! The words of the assertions that no public vocabulary has: what a verdict is, and how it may come out.

use std::fmt::Write;

use kit::claims::verdict::Verdict;

use super::trig::text;

/// Where the vocabulary is published, up to the name of a term.
pub(super) struct Terms<'a>(pub &'a str);

/// All outcomes.
pub(super) const OUTCOMES: [Verdict; 8] = [
    Verdict::Replicated,
    Verdict::Partly,
    Verdict::Contradicted,
    Verdict::Inconclusive,
    Verdict::NotTestable,
    Verdict::PointsThePapersWay,
    Verdict::PointsTheOtherWay,
    Verdict::CannotTell,
];

/// The name of an outcome in the vocabulary, and what it says.
fn outcome(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Replicated => {
            ("Replicated", "The criterion is met at the paper's size, or in exact mathematics.")
        }
        Verdict::Partly => (
            "PartlyReplicated",
            "The criterion is met in some of the places that the paper names, and contradicted in others.",
        ),
        Verdict::Contradicted => (
            "Contradicted",
            "The criterion is missed at the paper's size, and the intervals exclude what the paper says.",
        ),
        Verdict::Inconclusive => {
            ("Inconclusive", "The evidence is of the paper's size, and cannot tell.")
        }
        Verdict::NotTestable => ("NotTestable", "The required evidence was not available."),
        Verdict::PointsThePapersWay => {
            ("PointsThePapersWay", "Evidence below the paper's size agrees.")
        }
        Verdict::PointsTheOtherWay => {
            ("PointsTheOtherWay", "Evidence below the paper's size disagrees.")
        }
        Verdict::CannotTell => {
            ("CannotTell", "Evidence below the paper's size gives no direction.")
        }
    }
}

/// The term, below `term:`, of an outcome as tables name it.
pub(super) fn of(name: &str) -> Option<&'static str> {
    OUTCOMES.into_iter().find(|verdict| verdict.as_str() == name).map(|verdict| outcome(verdict).0)
}

const CLASSES: [(&str, &str); 3] = [
    ("Claim", "What a paper says, with a criterion by which it is judged."),
    ("Verdict", "What the evidence of one run says about a claim."),
    ("Outcome", "How a verdict may come out."),
];

/// Properties, with the kind of what they have.
pub(super) const PROPERTIES: [(&str, &str, &str); 14] = [
    ("about", "Claim", "The claim of a verdict."),
    ("outcome", "Outcome", "How a verdict came out."),
    ("place", "xsd:string", "Where in the paper a claim is made."),
    ("criterion", "xsd:string", "When a claim counts as replicated, fixed before any result."),
    ("published", "xsd:string", "The paper's value for what a claim is about."),
    ("configuration", "xsd:string", "The variant of the method that was judged."),
    ("found", "xsd:string", "Our values in the places that decide, in words."),
    ("reason", "xsd:string", "Why the verdict is this one."),
    ("value", "xsd:double", "Our value in the first place of the paper."),
    ("low", "xsd:double", "The lower end of its 95 % interval."),
    ("high", "xsd:double", "The upper end of its 95 % interval."),
    ("sampleSize", "xsd:integer", "The number of observations behind the value."),
    ("rootSeeds", "xsd:integer", "Root seeds under which the verdict was reached."),
    ("blake3", "xsd:string", "The BLAKE3 hash of a table's bytes, or the key of a computation."),
];

impl Terms<'_> {
    /// The vocabulary in Turtle.
    pub(super) fn document(&self) -> String {
        let mut turtle = format!(
            "@prefix term: <{}> .\n\
             @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n\
             @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
             @prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
             @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n\n",
            self.0
        );
        for (name, what) in CLASSES {
            let _ = writeln!(turtle, "term:{name} a rdfs:Class ; rdfs:comment {} .", text(what));
        }
        for (name, range, what) in PROPERTIES {
            let range =
                if range.contains(':') { range.to_owned() } else { format!("term:{range}") };
            let what = text(what);
            let _ = writeln!(
                turtle,
                "term:{name} a rdf:Property ; rdfs:range {range} ; rdfs:comment {what} ."
            );
        }
        for verdict in OUTCOMES {
            let ((name, what), label) = (outcome(verdict), text(verdict.as_str()));
            let what = text(what);
            let _ = writeln!(
                turtle,
                "term:{name} a term:Outcome, skos:Concept ; rdfs:label {label} ; skos:definition {what} ."
            );
        }
        turtle
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_outcome_of_the_tables_has_a_term_of_its_own() {
        let terms: BTreeSet<_> = OUTCOMES.iter().filter_map(|v| of(v.as_str())).collect();
        assert_eq!(terms.len(), OUTCOMES.len());
        assert_eq!(of("points the paper's way"), Some("PointsThePapersWay"));
        assert_eq!(of("refuted"), None);
    }

    #[test]
    fn the_vocabulary_defines_every_term_once() {
        let turtle = Terms("https://a.example/#").document();
        let defined: Vec<_> = turtle
            .lines()
            .filter_map(|line| line.strip_prefix("term:")?.split(' ').next())
            .collect();
        let once: BTreeSet<_> = defined.iter().collect();
        assert_eq!(once.len(), defined.len());
        assert_eq!(defined.len(), CLASSES.len() + PROPERTIES.len() + OUTCOMES.len());
    }
}
