//! A paper in one headline and at most three sentences, made from its verdicts: what holds, what does not,
//! what stays open, and where smaller evidence points.

use pipeline::artifacts::Artifacts;

use crate::{
    drawing::frame::Frame,
    error::Result,
    verdicts::claims::Claim,
    verdicts::verdict::{DIRECTIONS, VERDICTS, Verdict},
    words::count,
};

/// Claims that a sentence names; the others it counts.
const NAMED: usize = 3;

/// Sentences below a headline.
const SENTENCES: usize = 3;

/// Characters of a paper's value and ours that a sentence has room for; longer ones stand beside the claim.
const VALUES: usize = 80;

/// What the claims of one run come to.
pub struct Summary {
    /// The answer.
    pub headline: String,
    /// What it rests on.
    pub sentences: Vec<String>,
}

impl Summary {
    /// The summary of these claims, which are those of the variant fixed beforehand, and of what an audit of
    /// the published numbers found ([`audit`]).
    #[must_use]
    pub fn of(claims: &[&Claim], audit: Option<&String>) -> Self {
        let with = |verdict: Verdict| -> Vec<&Claim> {
            claims.iter().copied().filter(|claim| claim.verdict == verdict).collect()
        };
        let [replicated, partly, contradicted, open, _] = VERDICTS.map(with);
        let [toward, away, level] = DIRECTIONS.map(with);
        let decided = [
            ("Replicated", &replicated),
            ("Replicated in part", &partly),
            ("Contradicted", &contradicted),
        ]
        .map(|(what, claims)| Group { what, claims, values: true });
        let undecided = [
            ("Left open at the paper's size", &open),
            ("Smaller evidence points the paper's way", &toward),
            ("Smaller evidence points the other way", &away),
            ("Smaller evidence cannot tell", &level),
        ]
        .map(|(what, claims)| Group { what, claims, values: false });
        let room = SENTENCES - usize::from(audit.is_some());
        let mut sentences: Vec<String> = audit.cloned().into_iter().collect();
        let (first, second) = (present(&decided), present(&undecided));
        let left = room - usize::from(!second.is_empty());
        if first.len() <= left {
            sentences.extend(first.iter().map(|group| group.sentence(NAMED)));
        } else {
            sentences.push(in_one(&first, 1));
        }
        let left = SENTENCES - sentences.len();
        let alone = if second.len() <= left { second.len() } else { left - 1 };
        sentences.extend(second[..alone].iter().map(|group| group.sentence(NAMED)));
        if alone < second.len() {
            sentences.push(in_one(&second[alone..], 0));
        }
        let decided = replicated.len() + partly.len() + contradicted.len();
        let headline = if decided + open.len() == 0 {
            headline_below(toward.len(), away.len(), level.len())
        } else {
            headline(replicated.len(), partly.len(), contradicted.len(), open.len())
        };
        Self { headline, sentences }
    }
}

/// The claims that came out alike.
struct Group<'a> {
    what: &'static str,
    claims: &'a [&'a Claim],
    /// Whether the paper's value and ours are told.
    values: bool,
}

/// The groups with a claim.
fn present<'a>(groups: &'a [Group<'a>]) -> Vec<&'a Group<'a>> {
    groups.iter().filter(|group| !group.claims.is_empty()).collect()
}

/// All groups in one sentence, each with the words of its first `named` claims.
fn in_one(groups: &[&Group], named: usize) -> String {
    let told = |(i, group): (usize, &&Group)| {
        let told = group.told(named);
        if i == 0 { told } else { told[..1].to_lowercase() + &told[1..] }
    };
    let told: Vec<String> = groups.iter().enumerate().map(told).collect();
    format!("{}.", told.join("; "))
}

impl Group<'_> {
    /// The group as a sentence of its own.
    fn sentence(&self, named: usize) -> String {
        format!("{}.", self.told(named))
    }

    /// The words of the first `named` claims, with both values where they decide, and the ids of the others.
    fn told(&self, named: usize) -> String {
        let words = |claim: &&Claim| {
            let values = format!("; paper {}, ours {}", claim.paper_value, claim.told());
            let room = self.values && claim.told() != "–" && values.chars().count() <= VALUES;
            format!("{} ({}{})", claim.statement, claim.id, if room { &values } else { "" })
        };
        let mut told: Vec<String> = self.claims.iter().take(named).map(words).collect();
        let rest: Vec<&str> =
            self.claims.iter().skip(named).map(|claim| claim.id.as_str()).collect();
        if !rest.is_empty() {
            let and = if told.is_empty() { "" } else { "and " };
            told.push(format!("{and}{}", rest.join(", ")));
        }
        format!("{}: {}", self.what, told.join("; "))
    }
}

/// The answer where some claims were judged at the paper's size.
fn headline(replicated: usize, partly: usize, contradicted: usize, open: usize) -> String {
    let all = replicated + partly + contradicted + open;
    let claims = count(all, "claim");
    match (replicated, partly, contradicted, open) {
        (_, 0, 0, 0) if all == 1 => "The 1 claim that was judged at the paper's size holds.".into(),
        (_, 0, 0, 0) => format!("All {claims} that were judged at the paper's size hold."),
        (0, 0, _, 0) if all == 1 => {
            "The 1 claim that was judged at the paper's size is contradicted.".into()
        }
        (0, 0, _, 0) => {
            format!("All {claims} that were judged at the paper's size are contradicted.")
        }
        _ => {
            let parts = [
                (replicated, "holds", "hold"),
                (partly, "holds in part", "hold in part"),
                (contradicted, "is contradicted", "are contradicted"),
                (open, "stays open", "stay open"),
            ];
            let told: Vec<String> = parts
                .iter()
                .filter(|(n, ..)| *n > 0)
                .map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }))
                .collect();
            format!("Of {claims} judged at the paper's size, {}.", told.join(", "))
        }
    }
}

/// The answer where no claim was judged at the paper's size.
fn headline_below(toward: usize, away: usize, level: usize) -> String {
    let parts = [
        (toward, "points the paper's way on"),
        (away, "points the other way on"),
        (level, "cannot tell on"),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{what} {}", count(*n, "claim")))
        .collect();
    if told.is_empty() {
        return "Nothing could be judged.".to_owned();
    }
    format!("Nothing was judged at the paper's size. Smaller evidence {}.", told.join(", "))
}

/// What an audit of the paper's published numbers found, where its stage `ID/audit` was run: how many of them
/// something else explains, in a sentence.
///
/// # Errors
/// When the table cannot be read.
pub fn audit(artifacts: &Artifacts, id: &str) -> Result<Option<String>> {
    let Some(frame) = Frame::find(artifacts, &format!("{id}/audit"), "main")? else {
        return Ok(None);
    };
    let (Ok(measure), Ok(explained)) = (frame.text("measure"), frame.text("explained")) else {
        return Ok(None);
    };
    let published = frame.number("published")?;
    let rows = || explained.iter().zip(&measure).zip(&published);
    let mut found: Vec<(&String, &String)> = Vec::new();
    for (pair, _) in rows() {
        if !pair.0.is_empty() && !found.contains(&pair) {
            found.push(pair);
        }
    }
    let told = |(why, of): (&String, &String)| {
        let all = rows().filter(|((_, own), value)| *own == of && value.is_finite()).count();
        let explains = rows().filter(|(pair, _)| *pair == (why, of)).count();
        format!("{explains} of {all} values of {of} are those of {why}")
    };
    let told: Vec<String> = found.into_iter().map(told).collect();
    Ok((!told.is_empty()).then(|| format!("Audit of the published numbers: {}.", told.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::claims::Finding;

    fn claim(id: &str, verdict: Verdict) -> Claim {
        Claim {
            id: id.to_owned(),
            item: "Table 1".to_owned(),
            statement: format!("{id} is so"),
            criterion: String::new(),
            paper_value: "2".to_owned(),
            rules: String::new(),
            headline: true,
            scaled_down: DIRECTIONS.contains(&verdict),
            verdict,
            reason: String::new(),
            worth: None,
            stability: String::new(),
            ours: "3 [1, 4]".to_owned(),
            effect: String::new(),
            n: 8.0,
            evidence: String::new(),
            findings: Vec::new(),
            grounds: None,
            root_seeds: Vec::new(),
        }
    }

    fn summary(verdicts: &[Verdict]) -> Summary {
        let claims: Vec<Claim> =
            verdicts.iter().enumerate().map(|(i, &v)| claim(&format!("A{i}"), v)).collect();
        Summary::of(&claims.iter().collect::<Vec<_>>(), None)
    }

    #[test]
    fn a_contradicted_claim_tells_what_contradicts_it() {
        let finding = |place: &str, holds: &str| Finding {
            place: place.to_owned(),
            in_paper: true,
            holds: holds.to_owned(),
            value: 0.25,
            low: 0.125,
            high: 0.5,
            text: "optimum".to_owned(),
            published: None,
        };
        let told = |verdict: Verdict| {
            let findings = vec![finding("digits", "open"), finding("letter", "no")];
            Claim { findings, ..claim("A0", verdict) }.told()
        };
        let [yes, _, no, ..] = VERDICTS;
        let contradicts = "letter: optimum: 0.25 [0.125, 0.5] (one of 2 places; it contradicts)";
        assert_eq!(told(no), contradicts);
        assert_eq!(told(yes), "digits: optimum: 0.25 [0.125, 0.5] (the first of 2 places)");
    }

    #[test]
    fn the_headline_changes_with_the_verdicts() {
        let [yes, partly, no, open, untested] = VERDICTS;
        let [toward, away, level] = DIRECTIONS;
        for (verdicts, headline) in [
            (&[yes][..], "The 1 claim that was judged at the paper's size holds."),
            (&[yes, yes, toward], "All 2 claims that were judged at the paper's size hold."),
            (&[no, no], "All 2 claims that were judged at the paper's size are contradicted."),
            (
                &[yes, no, open, open, partly],
                "Of 5 claims judged at the paper's size, 1 holds, 1 holds in part, 1 is contradicted, 2 stay open.",
            ),
            (
                &[toward, away, level, untested],
                "Nothing was judged at the paper's size. Smaller evidence points the paper's way on 1 claim, points \
                 the other way on 1 claim, cannot tell on 1 claim.",
            ),
            (
                &[level, level],
                "Nothing was judged at the paper's size. Smaller evidence cannot tell on 2 claims.",
            ),
            (&[untested], "Nothing could be judged."),
        ] {
            assert_eq!(summary(verdicts).headline, headline);
        }
    }

    #[test]
    fn sentences_have_the_claims_words_and_both_values() {
        let [yes, _, no, open, _] = VERDICTS;
        let [toward, away, level] = DIRECTIONS;
        let told = summary(&[yes, toward, toward, toward, toward, toward]).sentences;
        assert_eq!(
            told,
            [
                "Replicated: A0 is so (A0; paper 2, ours 3 [1, 4]).",
                "Smaller evidence points the paper's way: A1 is so (A1); A2 is so (A2); A3 is so (A3); and A4, A5.",
            ]
        );
        let told = summary(&[open, toward, away, level]).sentences;
        assert_eq!(told[1], "Smaller evidence points the paper's way: A1 is so (A1).");
        assert_eq!(
            told[2],
            "Smaller evidence points the other way: A2; smaller evidence cannot tell: A3."
        );
        let told = summary(&[yes, no, toward, level, level]).sentences;
        assert_eq!(told[1], "Contradicted: A1 is so (A1; paper 2, ours 3 [1, 4]).");
        assert_eq!(
            told[2],
            "Smaller evidence points the paper's way: A2; smaller evidence cannot tell: A3, A4."
        );
    }

    #[test]
    fn a_long_value_is_left_to_the_claims_own_row() {
        let [yes, ..] = VERDICTS;
        let long = Claim { ours: "very long ".repeat(9), ..claim("A0", yes) };
        assert_eq!(Summary::of(&[&long], None).sentences, ["Replicated: A0 is so (A0)."]);
    }

    #[test]
    fn there_are_never_more_than_three_sentences() {
        let all: Vec<Verdict> = VERDICTS.into_iter().chain(DIRECTIONS).collect();
        for which in 0..1 << all.len() {
            let some: Vec<Verdict> = all
                .iter()
                .enumerate()
                .filter(|(i, _)| which >> i & 1 == 1)
                .map(|(_, &v)| v)
                .collect();
            let claims: Vec<Claim> =
                some.iter().enumerate().map(|(i, &v)| claim(&format!("A{i}"), v)).collect();
            for audit in [None, Some(&"Audited.".to_owned())] {
                let told = Summary::of(&claims.iter().collect::<Vec<_>>(), audit).sentences;
                assert!(told.len() <= SENTENCES, "{told:?}");
                for claim in claims.iter().filter(|claim| claim.verdict != VERDICTS[4]) {
                    assert!(
                        told.iter().any(|one| one.contains(&claim.id)),
                        "{}: {told:?}",
                        claim.id
                    );
                }
            }
        }
    }
}
