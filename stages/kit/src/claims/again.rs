//! Repeats verdicts under other root seeds: whether they are the same, and how far our values are from the
//! point where the verdict would change.

use std::collections::BTreeSet;

use pipeline::{
    graph::{Builder, scoped},
    stage::{Context, Stop},
};
use serde::Deserialize;

use super::{Claim, Judged, verdict::Verdict};
use crate::{cell::NanIsNull, port::Many, row::Row};

/// Verdicts that are reached again under other root seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Again {
    /// The other root seeds; with none, each verdict is reached once.
    pub root_seeds: Vec<u64>,
    /// The claims, and with them all that they rest on.
    pub claims: Vec<String>,
    /// Whether this is one of the repetitions.
    #[serde(skip)]
    pub repeated: bool,
}

impl Again {
    /// The settings for the repetitions themselves.
    #[must_use]
    pub fn inside(&self) -> Self {
        Self { root_seeds: Vec::new(), claims: self.claims.clone(), repeated: true }
    }

    /// Adds the stages that the claims rest on under each of the other root seeds, as `add` does under the
    /// first, in `PAPER/root=SEED`. `judge` is the stage of verdicts.
    ///
    /// # Errors
    /// If `add` fails.
    pub fn expand(
        &self,
        builder: &mut Builder,
        judge: &str,
        add: impl Fn(u64, &mut Builder) -> pipeline::Result<()>,
    ) -> pipeline::Result<()> {
        for root in self.others() {
            builder.within(&scope(root), judge, |builder| add(root, builder))?;
        }
        Ok(())
    }

    /// The claims that are judged: in a repetition only those that are repeated.
    pub(super) fn judged(&self, mut claims: Vec<Claim>) -> Vec<Claim> {
        claims.retain(|claim| !self.repeated || self.claims.contains(&claim.id));
        claims
    }

    /// The repetitions: their root seeds, and the names of their verdict stages.
    pub(super) fn repetitions(&self, judge: &str) -> impl Iterator<Item = (u64, String)> {
        self.others().map(move |root| (root, scoped(&scope(root), judge)))
    }

    /// The other root seeds, if any verdict is to be repeated.
    fn others(&self) -> impl Iterator<Item = u64> {
        self.root_seeds.iter().copied().filter(|_| !self.claims.is_empty())
    }
}

/// Names of stages that are repeated under a root seed contain this.
fn scope(root: u64) -> String {
    format!("root={root}")
}

/// The verdicts under other root seeds.
pub(super) const OTHERS: Many<Reached> = Many::new("root seed ");

/// The findings about a claim under one root seed. Missing numbers are NaN.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Reached {
    /// the claim's short name
    pub id: String,
    /// variant of the method
    pub rules: String,
    /// root of all randomness
    pub root_seed: String,
    /// what the evidence under this root seed says by itself
    pub verdict: String,
    /// our value on the first place of the paper
    #[row(with = NanIsNull)]
    pub value: f64,
    /// lower end of its 95% interval
    #[row(with = NanIsNull)]
    pub low: f64,
    /// upper end of its 95% interval
    #[row(with = NanIsNull)]
    pub high: f64,
    /// distance of the value from the nearest one at which the criterion's answer changes
    #[row(with = NanIsNull)]
    pub margin: f64,
}

impl Reached {
    /// The verdict on a claim under the first root seed, before other root seeds are considered.
    pub(super) fn of(judged: &Judged, root_seed: u64) -> Self {
        let ([value, low, high], margin) =
            judged.main().map_or(([f64::NAN; 3], f64::NAN), |finding| {
                let estimate = finding.estimate.map_or([f64::NAN; 3], |e| [e.value, e.low, e.high]);
                (estimate, finding.region.map_or(f64::NAN, |region| region.margin(estimate[0])))
            });
        Self {
            id: judged.claim.id.clone(),
            rules: judged.rules.clone(),
            root_seed: root_seed.to_string(),
            verdict: judged.verdict.as_str().to_owned(),
            value,
            low,
            high,
            margin,
        }
    }

    fn about(&self, other: &Self) -> bool {
        (&self.id, &self.rules) == (&other.id, &other.rules)
    }
}

/// What other root seeds show about a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stability {
    /// The number of root seeds, including the first.
    pub root_seeds: u32,
    /// Whether one of them gives another verdict.
    pub flips: bool,
    /// The margin under the first root seed; NaN if there is none.
    pub margin: f64,
    /// The largest value less the smallest; NaN with one root seed.
    pub spread: f64,
}

impl Stability {
    /// What other root seeds show, in words; empty with one root seed.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { root_seeds, flips, margin, spread } = self;
        if *root_seeds < 2 {
            return String::new();
        }
        let mut told = if *flips {
            format!("flips between {root_seeds} root seeds")
        } else {
            format!("the same under {root_seeds} root seeds")
        };
        if spread.is_finite() {
            told += &format!("; our value varies by {} between them", short(*spread));
        }
        if margin.is_finite() && spread.is_finite() {
            let than = if margin < spread { "only " } else { "" };
            told += &format!(", and lies {than}{} from where the answer changes", short(*margin));
        }
        told
    }
}

/// A number with two significant digits.
fn short(value: f64) -> String {
    if (1e-3..10.0).contains(&value) {
        let digits =
            usize::from(value < 1.0) + usize::from(value < 0.1) + usize::from(value < 0.01);
        return format!("{value:.*}", digits + 1);
    }
    format!("{value:.1e}")
}

/// Takes the other root seeds into account: a verdict at the paper's size becomes inconclusive if it differs
/// under one of them.
pub(super) fn hear(judged: &mut Judged, own: &Reached, others: &[Reached]) {
    let all: Vec<&Reached> =
        std::iter::once(own).chain(others.iter().filter(|other| other.about(own))).collect();
    let verdicts: BTreeSet<&str> = all.iter().map(|one| one.verdict.as_str()).collect();
    let values = || all.iter().map(|one| one.value);
    let (least, most) = (values().fold(f64::NAN, f64::min), values().fold(f64::NAN, f64::max));
    let several = all.len() > 1;
    judged.stability = Stability {
        root_seeds: u32::try_from(all.len()).unwrap_or(u32::MAX),
        flips: verdicts.len() > 1,
        margin: own.margin,
        spread: if several { most - least } else { f64::NAN },
    };
    if verdicts.len() > 1 && !judged.verdict.scaled_down() {
        let told: Vec<_> =
            all.iter().map(|one| format!("{} under {}", one.verdict, one.root_seed)).collect();
        judged.reason = format!("flips between root seeds: {}; {}", told.join(", "), judged.reason);
        judged.verdict = Verdict::Inconclusive;
    }
}

/// Reads the available verdicts under other root seeds.
///
/// # Errors
/// If a table is corrupt.
pub(super) fn others(cx: &Context) -> Result<Vec<Reached>, Stop> {
    Ok(OTHERS.read(cx)?.into_iter().flat_map(|(_, reached)| reached).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{
        finding::{Finding, Region},
        rule::Rule,
        tests::claim,
    };
    use crate::row;
    use stats::bootstrap::Estimate;

    fn judged(value: f64, scaled_down: bool) -> Judged {
        let estimate = Estimate { value, low: value - 0.1, high: value + 0.1, n: 8 };
        let found = Finding::new("there", estimate, String::new()).within(Region::above(0.5));
        Judged::new(&claim(), (Rule::All, vec![found]), scaled_down, None)
    }

    fn heard(value: f64, other: f64, scaled_down: bool) -> Judged {
        let mut first = judged(value, scaled_down);
        let own = Reached::of(&first, 1);
        let others = [Reached::of(&judged(other, scaled_down), 2)];
        // By way of the table, as between stages.
        let read = row::read(&row::batch(&others).unwrap()).unwrap();
        assert_eq!(read, others);
        hear(&mut first, &own, &read);
        first
    }

    #[test]
    fn a_verdict_that_flips_is_inconclusive() {
        let same = heard(0.9, 0.7, false);
        assert_eq!((same.verdict, same.stability.flips), (Verdict::Replicated, false));
        assert_eq!(same.stability.root_seeds, 2);
        assert!((same.stability.margin - 0.4).abs() < 1e-12);
        assert!((same.stability.spread - 0.2).abs() < 1e-12);
        assert_eq!(
            same.stability.told(),
            "the same under 2 root seeds; our value varies by 0.20 between them, and lies 0.40 from \
             where the answer changes"
        );
        let flips = heard(0.9, 0.3, false);
        assert_eq!((flips.verdict, flips.stability.flips), (Verdict::Inconclusive, true));
        assert!(flips.reason.starts_with(
            "flips between root seeds: replicated under 1, contradicted under 2; holds on there"
        ));
    }

    #[test]
    fn a_direction_stays_one() {
        let flips = heard(0.9, 0.3, true);
        assert_eq!((flips.verdict, flips.stability.flips), (Verdict::PointsThePapersWay, true));
    }

    #[test]
    fn other_claims_and_rules_say_nothing() {
        let mut first = judged(0.9, false);
        let own = Reached::of(&first, 1);
        let mut other = Reached::of(&judged(0.3, false), 2);
        other.rules = "others".to_owned();
        hear(&mut first, &own, &[other]);
        assert_eq!(first.verdict, Verdict::Replicated);
        assert_eq!(first.stability.root_seeds, 1);
        assert!(first.stability.spread.is_nan());
        assert_eq!(first.stability.told(), "");
    }

    #[test]
    fn a_repetition_judges_its_own_claims_alone() {
        let again = Again { root_seeds: vec![2], claims: vec!["A".to_owned()], repeated: false };
        let claims = || ["A", "B"].map(|id| Claim { id: id.to_owned(), ..claim() }).to_vec();
        let ids = |claims: Vec<Claim>| claims.into_iter().map(|c| c.id).collect::<Vec<_>>();
        assert_eq!(ids(again.judged(claims())), ["A", "B"]);
        assert_eq!(ids(again.inside().judged(claims())), ["A"]);
    }
}
