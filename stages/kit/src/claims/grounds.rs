//! The tables of what verdicts rest on besides values: with them and the findings a reader can reach a verdict
//! again, and see when it changes.

use super::{Judged, change, finding::Finding, rates::Ends};
use crate::row::Row;

/// What a verdict rests on besides its findings.
#[derive(Row, Clone, Debug)]
pub struct GroundsRow {
    /// the claim's short name
    pub id: String,
    /// variant of the method
    pub rules: String,
    /// how answers are combined: each, all, at least N, a third may contradict, all, partly without the last (then the
    /// last part alone makes the criterion met in part), agree
    pub rule: String,
    /// whether the evidence as a whole is of sizes below the paper's
    pub scaled_down: bool,
    /// whether some root seed gives another verdict
    pub flips: bool,
    /// simulations with the paper's effect that meet the criterion; 0 in all eight where none were made
    pub claimed_met: u32,
    /// those that meet it in some places
    pub claimed_in_part: u32,
    /// those that miss it
    pub claimed_missed: u32,
    /// those that cannot tell
    pub claimed_open: u32,
    /// simulations without the effect that meet the criterion
    pub absent_met: u32,
    /// those that meet it in some places
    pub absent_in_part: u32,
    /// those that miss it
    pub absent_missed: u32,
    /// those that cannot tell
    pub absent_open: u32,
    /// what would change the verdict, in sentences
    pub change: String,
}

impl From<&Judged> for GroundsRow {
    fn from(judged: &Judged) -> Self {
        let none = (Ends::default(), Ends::default());
        let (claimed, absent) = judged.rates.map_or(none, |rates| (rates.claimed, rates.absent));
        Self {
            id: judged.claim.id.clone(),
            rules: judged.rules.clone(),
            rule: judged.rule.told(),
            scaled_down: judged.scaled_down,
            flips: judged.stability.flips,
            claimed_met: claimed.met,
            claimed_in_part: claimed.in_part,
            claimed_missed: claimed.missed,
            claimed_open: claimed.open,
            absent_met: absent.met,
            absent_in_part: absent.in_part,
            absent_missed: absent.missed,
            absent_open: absent.open,
            change: change::what_would_change(judged),
        }
    }
}

/// What a finding rests on besides its value: the rows are in the order of the findings.
#[derive(Row, Clone, Debug)]
pub struct PlaceRow {
    /// the claim's short name
    pub id: String,
    /// variant of the method
    pub rules: String,
    /// problem or data set
    pub place: String,
    /// sample size
    pub n: usize,
    /// whether the sample is one of replicates, of which an answer needs eight
    pub replicated: bool,
    /// whether this finding alone is of a size below the paper's
    pub scaled_down: bool,
    /// whether our value meets the criterion as written: yes, no, or empty where that cannot be determined
    pub met: String,
    /// lower end of the values that meet it, which may be infinite; missing where no interval is involved
    pub region_low: Option<f64>,
    /// upper end of the values that meet it, which may be infinite; missing where no interval is involved
    pub region_high: Option<f64>,
    /// the value without any effect, where the criterion asks for more than some effect
    pub without_effect: Option<f64>,
}

impl PlaceRow {
    /// All findings about a claim.
    pub fn all(judged: &Judged) -> impl Iterator<Item = Self> {
        judged.findings.iter().map(|(finding, _)| Self::of(judged, finding))
    }

    fn of(judged: &Judged, finding: &Finding) -> Self {
        let ends = finding.region.map(|region| region.ends());
        Self {
            id: judged.claim.id.clone(),
            rules: judged.rules.clone(),
            place: finding.place.clone(),
            n: finding.estimate.map_or(0, |estimate| estimate.n),
            replicated: finding.replicated,
            scaled_down: finding.scaled_down,
            met: finding.met.map_or("", |met| if met { "yes" } else { "no" }).to_owned(),
            region_low: ends.map(|ends| ends[0]),
            region_high: ends.map(|ends| ends[1]),
            without_effect: finding.without_effect,
        }
    }
}
