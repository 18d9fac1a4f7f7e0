//! The verdicts and what they look like.

/// How a verdict looks: its word, a sign and a style class. Each of the three is enough alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The word in the table of claims.
    pub word: &'static str,
    /// The sign, of a different shape for each.
    pub sign: &'static str,
    /// The style class.
    pub class: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn verdict(
    word: &'static str,
    sign: &'static str,
    class: &'static str,
    meaning: &'static str,
) -> Verdict {
    Verdict { word, sign, class, meaning }
}

/// What there is no evidence for.
pub const UNTESTED: Verdict =
    verdict("not testable", "–", "untested", "required data or hardware unavailable");

/// The verdicts on the paper, in order of merit: from evidence of the paper's size, or none.
pub const VERDICTS: [Verdict; 5] = [
    verdict(
        "replicated",
        "✔",
        "yes",
        "the criterion is met at the paper's size, or in exact mathematics",
    ),
    verdict(
        "partly",
        "◐",
        "partly",
        "met in some of the places that the paper names, contradicted in others",
    ),
    verdict(
        "contradicted",
        "✘",
        "no",
        "missed at the paper's size, and the intervals exclude what the paper says",
    ),
    verdict("inconclusive", "?", "unsure", "the evidence, of the paper's size, cannot tell"),
    UNTESTED,
];

/// What evidence below the paper's size says: where it points, not whether the paper is right.
pub const DIRECTIONS: [Verdict; 3] = [
    verdict("points the paper's way", "↗", "toward", "smaller evidence agrees with the paper"),
    verdict("points the other way", "↘", "away", "smaller evidence disagrees with the paper"),
    verdict("cannot tell", "↔", "level", "smaller evidence gives no direction"),
];

impl Verdict {
    /// The verdict of this word; a word that is not known does not decide.
    #[must_use]
    pub fn of(word: &str) -> Self {
        let all = || VERDICTS.iter().chain(&DIRECTIONS);
        all().find(|verdict| verdict.word == word).copied().unwrap_or(VERDICTS[3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_differ_in_word_sign_and_class() {
        let all = [&VERDICTS[..], &DIRECTIONS].concat();
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                assert!(a.word != b.word && a.sign != b.sign && a.class != b.class);
            }
        }
        assert_eq!(Verdict::of("a word of another version").word, "inconclusive");
    }
}
