//! A paper in one headline and at most four sentences, made from its verdicts: what holds, what does not,
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

/// What the claims of one run come to.
pub struct Summary {
    /// The answer.
    pub headline: String,
    /// What it rests on.
    pub sentences: Vec<String>,
}

impl Summary {
    /// The summary of these claims, which are those of the configuration fixed beforehand.
    #[must_use]
    pub fn of(claims: &[&Claim]) -> Self {
        let with = |verdict: Verdict| -> Vec<&Claim> {
            claims.iter().copied().filter(|claim| claim.verdict == verdict).collect()
        };
        let [replicated, partly, contradicted, open, _] = VERDICTS.map(with);
        let [toward, away, level] = DIRECTIONS.map(with);
        let mut sentences: Vec<String> = [
            ("Replicated", &replicated, true),
            ("Replicated in part", &partly, true),
            ("Contradicted", &contradicted, true),
            ("Left open at the paper's size", &open, false),
            ("Smaller evidence points the paper's way", &toward, false),
            ("Smaller evidence points the other way", &away, false),
        ]
        .into_iter()
        .filter_map(|(what, claims, with_values)| sentence(what, claims, with_values))
        .collect();
        if !level.is_empty() && (toward.len() + away.len()) > 0 {
            sentences.push(format!("On {} smaller evidence cannot tell.", others(&level)));
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

/// Which claims came out like that: their words, and both values where they decide.
fn sentence(what: &str, claims: &[&Claim], with_values: bool) -> Option<String> {
    if claims.is_empty() {
        return None;
    }
    let told = |claim: &&Claim| {
        let values = match (with_values, claim.told().as_str()) {
            (true, ours) if ours != "–" => format!("; paper {}, ours {ours}", claim.paper_value),
            _ => String::new(),
        };
        format!("{} ({}{values})", claim.statement, claim.id)
    };
    let named: Vec<String> = claims.iter().take(NAMED).map(told).collect();
    let rest = match claims.get(NAMED..) {
        Some(rest) if !rest.is_empty() => format!("; and {}", others(rest)),
        _ => String::new(),
    };
    Some(format!("{what}: {}{rest}.", named.join("; ")))
}

/// The ids of claims.
fn others(claims: &[&Claim]) -> String {
    claims.iter().map(|claim| claim.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// What an audit of the paper's published numbers found, where its stage `ID/audit` was run: how many of them
/// something else explains.
///
/// # Errors
/// When the table cannot be read.
pub fn audit(artifacts: &Artifacts, id: &str) -> Result<Vec<String>> {
    let Some(frame) = Frame::find(artifacts, &format!("{id}/audit"), "main")? else {
        return Ok(Vec::new());
    };
    let (Ok(measure), Ok(explained)) = (frame.text("measure"), frame.text("explained")) else {
        return Ok(Vec::new());
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
        format!(
            "Audit of the published numbers: {explains} of {all} values of {of} are those of {why}."
        )
    };
    Ok(found.into_iter().map(told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        Summary::of(&claims.iter().collect::<Vec<_>>())
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
        let [yes, _, no, ..] = VERDICTS;
        let [toward, _, level] = DIRECTIONS;
        let told = summary(&[yes, no, toward, toward, toward, toward, level]).sentences;
        assert_eq!(told[0], "Replicated: A0 is so (A0; paper 2, ours 3 [1, 4]).");
        assert_eq!(told[1], "Contradicted: A1 is so (A1; paper 2, ours 3 [1, 4]).");
        assert_eq!(
            told[2],
            "Smaller evidence points the paper's way: A2 is so (A2); A3 is so (A3); A4 is so (A4); and A5."
        );
        assert_eq!(told[3], "On A6 smaller evidence cannot tell.");
        assert_eq!(told.len(), 4);
    }
}
