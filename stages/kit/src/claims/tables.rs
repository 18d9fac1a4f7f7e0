//! The tables of judged claims and their findings.

use stats::bootstrap::Estimate;

use super::{
    Judged,
    calibration::Worlds,
    finding::{Answer, Finding},
    published,
    rates::Rates,
};
use crate::{cell::NanIsNull, row::Row};

/// A claim judged under one variant of the method.
#[derive(Row, Clone, Debug)]
pub struct JudgedRow {
    /// the claim's short name
    pub id: String,
    /// where the paper makes it
    pub item: String,
    /// what it says
    pub statement: String,
    /// when it counts as replicated
    pub criterion: String,
    /// the paper's value
    pub paper_value: String,
    /// variant of the method
    pub rules: String,
    /// the variant fixed beforehand
    pub headline: bool,
    /// whether the verdict is a direction only, from sizes below the paper's
    pub scaled_down: bool,
    /// what the evidence says
    pub verdict: String,
    /// our value on the first place of the paper
    pub value: Option<f64>,
    /// lower end of its 95% interval
    pub low: Option<f64>,
    /// upper end of its 95% interval
    pub high: Option<f64>,
    /// its sample size
    pub n: usize,
    /// effect size
    pub effect: Option<f64>,
    /// what the effect size is
    pub effect_name: String,
    /// our values in the places that decide
    pub value_text: String,
    /// share of simulations with the paper's effect that meet the criterion
    pub power: Option<f64>,
    /// share of simulations without it that meet the criterion
    pub false_positives: Option<f64>,
    /// root seeds under which the verdict was reached
    pub root_seeds: u32,
    /// whether one of them gives another verdict
    pub flips: bool,
    /// distance of the value from the nearest one at which the criterion's answer changes
    #[row(with = NanIsNull)]
    pub margin: f64,
    /// largest less smallest value under these root seeds
    #[row(with = NanIsNull)]
    pub spread: f64,
    /// what other root seeds say; empty with one
    pub stability: String,
    /// what holds in the simulations with the paper's effect
    pub if_true: String,
    /// what holds in the simulations without it
    pub if_false: String,
    /// why this verdict
    pub reason: String,
    /// digest of the artifact behind it
    pub evidence: String,
}

impl From<&Judged> for JudgedRow {
    fn from(judged: &Judged) -> Self {
        let Judged { claim, stability, rates, .. } = judged;
        let main = judged.main().and_then(|finding| finding.estimate);
        let all = || judged.findings.iter().map(|found| &found.0);
        let effect = all().find_map(|finding| finding.effect);
        // The places that contribute to the verdict; the table of findings has all of them.
        let own = all().any(|f| f.in_paper && f.estimate.is_some());
        let shown = all().filter(|f| f.in_paper || !own);
        // The description of a world of the claim.
        let told = |pick: fn(&Worlds) -> &String| claim.calibration.as_ref().map(pick);
        Self {
            id: claim.id.clone(),
            item: claim.item.clone(),
            statement: claim.statement.clone(),
            criterion: claim.criterion.clone(),
            paper_value: claim.paper_value.clone(),
            rules: judged.rules.clone(),
            headline: judged.headline,
            scaled_down: judged.verdict.scaled_down(),
            verdict: judged.verdict.as_str().to_owned(),
            value: main.map(|e| e.value),
            low: main.map(|e| e.low),
            high: main.map(|e| e.high),
            n: main.map_or(0, |e| e.n),
            effect: effect.map(|(size, _)| size),
            effect_name: effect.map_or("", |(_, name)| name).to_owned(),
            value_text: shown
                .map(|f| format!("{}: {}", f.place, f.text))
                .collect::<Vec<_>>()
                .join("; "),
            power: rates.as_ref().map(Rates::power),
            false_positives: rates.as_ref().map(Rates::false_positives),
            root_seeds: stability.root_seeds,
            flips: stability.flips,
            margin: stability.margin,
            spread: stability.spread,
            stability: stability.told(),
            if_true: told(|worlds| &worlds.if_true).cloned().unwrap_or_default(),
            if_false: told(|worlds| &worlds.if_false).cloned().unwrap_or_default(),
            reason: judged.reason.clone(),
            evidence: judged.evidence.clone(),
        }
    }
}

/// A finding about a claim in one place.
#[derive(Row, Clone, Debug)]
pub struct FoundRow {
    /// the claim's short name
    pub id: String,
    /// variant of the method
    pub rules: String,
    /// problem or data set
    pub place: String,
    /// whether the paper makes the claim there
    pub in_paper: bool,
    /// whether the criterion is met: yes, no, open where the evidence cannot tell, untested
    pub holds: String,
    /// our value
    pub value: Option<f64>,
    /// lower end of its 95% interval
    pub low: Option<f64>,
    /// upper end of its 95% interval
    pub high: Option<f64>,
    /// what the value is
    pub text: String,
    /// the paper's number for the same quantity
    pub published: Option<f64>,
    /// whether the paper says only that it is no less
    pub published_at_least: bool,
    /// how that number and ours are read: level, difference (against 0) or ratio (against 1)
    pub published_kind: String,
    /// what both are numbers of, where the paper has one
    pub unit: String,
}

impl FoundRow {
    /// All findings about a claim.
    pub fn all(judged: &Judged) -> impl Iterator<Item = Self> {
        judged.findings.iter().map(|(finding, answer)| Self::of(judged, finding, *answer))
    }

    fn of(judged: &Judged, finding: &Finding, answer: Answer) -> Self {
        let part = |part: fn(&Estimate) -> f64| finding.estimate.as_ref().map(part);
        let paper = published::at(&judged.claim.published, &finding.place);
        Self {
            id: judged.claim.id.clone(),
            rules: judged.rules.clone(),
            place: finding.place.clone(),
            in_paper: finding.in_paper,
            holds: answer.as_str().to_owned(),
            value: part(|e| e.value),
            low: part(|e| e.low),
            high: part(|e| e.high),
            text: finding.text.clone(),
            published: paper.map(|p| p.value),
            published_at_least: paper.is_some_and(|p| p.at_least),
            published_kind: paper.map_or("", |p| p.kind.as_str()).to_owned(),
            unit: paper.map_or("", |p| p.unit.as_str()).to_owned(),
        }
    }
}
