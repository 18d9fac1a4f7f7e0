//! The verdict on a claim, by one rule for all papers. Evidence of the paper's own size decides whether the
//! claim holds; smaller evidence only gives a direction.

use super::{
    finding::{Answer, Finding},
    rates::Rates,
    rule::{Joined, Rule, Tally},
};

/// What the evidence says about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The criterion is met at the paper's size, or in exact mathematics.
    Replicated,
    /// The criterion is met in some of the places that the paper names, and contradicted in others.
    Partly,
    /// The criterion is missed at the paper's size, and the intervals exclude what the paper says.
    Contradicted,
    /// The evidence is of the paper's size, and cannot tell.
    Inconclusive,
    /// The required evidence is not available here.
    NotTestable,
    /// Evidence below the paper's size agrees.
    PointsThePapersWay,
    /// Evidence below the paper's size disagrees.
    PointsTheOtherWay,
    /// Evidence below the paper's size gives no direction.
    CannotTell,
}

impl Verdict {
    /// The name in tables and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replicated => "replicated",
            Self::Partly => "partly",
            Self::Contradicted => "contradicted",
            Self::Inconclusive => "inconclusive",
            Self::NotTestable => "not testable",
            Self::PointsThePapersWay => "points the paper's way",
            Self::PointsTheOtherWay => "points the other way",
            Self::CannotTell => "cannot tell",
        }
    }

    /// Whether it is only a direction, from sizes below the paper's.
    #[must_use]
    pub fn scaled_down(self) -> bool {
        matches!(self, Self::PointsThePapersWay | Self::PointsTheOtherWay | Self::CannotTell)
    }

    fn of_the_papers_size(joined: Joined) -> Self {
        match joined {
            Joined::Met => Self::Replicated,
            Joined::InPart => Self::Partly,
            Joined::Missed => Self::Contradicted,
            Joined::Open => Self::Inconclusive,
        }
    }

    fn of_less(joined: Joined) -> Self {
        match joined {
            Joined::Met => Self::PointsThePapersWay,
            Joined::Missed => Self::PointsTheOtherWay,
            Joined::InPart | Joined::Open => Self::CannotTell,
        }
    }
}

/// The combined result of findings.
pub(super) struct Concluded<'a> {
    /// The answers as the criterion combines them.
    pub(super) joined: Joined,
    /// The findings that decide.
    deciding: Vec<&'a (Finding, Answer)>,
    /// Whether these are of the paper's size.
    whole: bool,
}

/// The combined result of the findings; `None` if none could be tested. Places outside the paper stand in
/// only if none of the paper's own could be tested; they are not the paper's, and so give only a direction.
/// If findings have different sizes, those of the paper's size decide if they can do so alone; otherwise all
/// of them give a direction.
#[must_use]
pub(super) fn concluded(
    rule: Rule,
    findings: &[(Finding, Answer)],
    scaled_down: bool,
) -> Option<Concluded<'_>> {
    let tested = |found: &&(Finding, Answer)| found.1 != Answer::Untested;
    let own: Vec<_> = findings.iter().filter(|found| found.0.in_paper).collect();
    let any_own = own.iter().any(&tested);
    let deciding: Vec<_> = if any_own { own } else { findings.iter().filter(tested).collect() };
    if deciding.is_empty() {
        return None;
    }
    let of_size =
        deciding.iter().map(|found| if found.0.scaled_down { Answer::Untested } else { found.1 });
    let joined = rule.join(Tally::of(of_size));
    let mixed = deciding.iter().any(|found| found.0.scaled_down);
    if any_own && !scaled_down && (!mixed || joined != Joined::Open) {
        return Some(Concluded { joined, deciding, whole: true });
    }
    let joined = rule.lean(Tally::of(deciding.iter().map(|found| found.1)));
    Some(Concluded { joined, deciding, whole: false })
}

/// The verdict on a claim, with its reason. An answer that the criterion cannot give here according to
/// `rates` does not count.
#[must_use]
pub(super) fn judge(
    rule: Rule,
    findings: &[(Finding, Answer)],
    scaled_down: bool,
    rates: Option<&Rates>,
) -> (Verdict, String) {
    let Some(Concluded { joined, deciding, whole }) = concluded(rule, findings, scaled_down) else {
        let mut why: Vec<&str> = findings.iter().map(|found| found.0.text.as_str()).collect();
        why.dedup();
        let why = if why.is_empty() {
            "nothing that it needs is available".to_owned()
        } else {
            why.join("; ")
        };
        return (Verdict::NotTestable, why);
    };
    let mut parts = Vec::new();
    for (what, answer) in [
        ("holds on", Answer::Yes),
        ("fails on", Answer::No),
        ("open on", Answer::Open),
        ("not testable on", Answer::Untested),
    ] {
        let places: Vec<&str> = deciding
            .iter()
            .filter(|found| found.1 == answer)
            .map(|found| found.0.place.as_str())
            .collect();
        if !places.is_empty() {
            // A comma that is part of a name does not separate names.
            let commas = places.iter().any(|place| place.contains(','));
            parts.push(format!("{what} {}", places.join(if commas { "; " } else { ", " })));
        }
    }
    let mut reason = parts.join("; ");
    if !deciding.iter().any(|found| found.0.in_paper) {
        reason.push_str(" (stand-ins: none of the paper's own data are available)");
    }
    let (joined, why) = rates.map_or((joined, None), |rates| rates.trusted(joined));
    if let Some(why) = why {
        reason = format!("{why}; {reason}");
    }
    let verdict =
        if whole { Verdict::of_the_papers_size(joined) } else { Verdict::of_less(joined) };
    (verdict, reason)
}
