//! Claims and their verdicts. A claim comes from a file with its criterion, fixed before any
//! result; a paper's statistics deliver findings, one a problem; the verdict follows from these by
//! one rule for all papers. Knows no paper.

pub mod published;

use std::path::Path;

use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};

use self::published::Published;
use crate::{
    stats::bootstrap::Estimate,
    table::{Columns, TableError},
};

/// A claim as pre-registered in `configs/<paper>.claims.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// Short name, such as `G1`.
    pub id: String,
    /// Where the paper makes it.
    pub item: String,
    /// What it says.
    pub statement: String,
    /// The paper's own value.
    pub paper_value: String,
    /// When it counts as replicated.
    pub criterion: String,
    /// The profile it is meant to be judged at.
    pub profile: String,
    /// The paper's numbers for what is estimated here, where it has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    claim: Vec<Claim>,
}

/// Reads a claims file.
///
/// # Errors
/// When it is missing or malformed: the file, and the line or the claim, are named.
pub fn read(path: &Path) -> pipeline::Result<Vec<Claim>> {
    let text = std::fs::read_to_string(path).map_err(|e| pipeline::Error::io("read", path, &e))?;
    let file: File = toml::from_str(&text).map_err(|e| {
        let start = e.span().map_or(0, |span| span.start);
        let line = text.bytes().take(start).filter(|&b| b == b'\n').count() + 1;
        pipeline::Error::usage(format!("{}:{line}: {}", path.display(), e.message()))
    })?;
    let fault = |claim: &Claim| {
        Some((claim.id.clone(), claim.published.iter().find_map(Published::fault)?))
    };
    match file.claim.iter().find_map(fault) {
        Some((id, fault)) => {
            Err(pipeline::Error::usage(format!("{}: claim {id}: {fault}", path.display())))
        }
        None => Ok(file.claim),
    }
}

/// What the evidence says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The criterion is met wherever the paper says it is.
    Replicated,
    /// It is met in some of these places, or in all that could be tested while others could not.
    Partly,
    /// It is met nowhere, or a criterion about the whole is not met.
    NotReplicated,
    /// The evidence does not decide.
    Inconclusive,
    /// What it needs cannot be had here.
    NotTestable,
}

impl Verdict {
    /// The word in tables and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replicated => "replicated",
            Self::Partly => "partly",
            Self::NotReplicated => "not replicated",
            Self::Inconclusive => "inconclusive",
            Self::NotTestable => "not testable",
        }
    }
}

/// What was found about a claim in one place (a problem, a data set, a theorem).
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The place.
    pub place: String,
    /// Whether the paper makes the claim there; other places are shown but do not decide.
    pub in_paper: bool,
    /// Whether the criterion is met; `None` when the evidence does not decide.
    pub holds: Option<bool>,
    /// Our value, where it could be had.
    pub estimate: Option<Estimate>,
    /// Effect size, with its name.
    pub effect: Option<(f64, &'static str)>,
    /// What the value is, or why there is none.
    pub text: String,
}

impl Finding {
    /// A place that cannot be tested here.
    #[must_use]
    pub fn missing(place: &str, why: &str) -> Self {
        Self {
            place: place.to_owned(),
            in_paper: true,
            holds: None,
            estimate: None,
            effect: None,
            text: why.to_owned(),
        }
    }
}

/// A claim judged under one configuration of the method.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// The configuration.
    pub rules: String,
    /// Whether this configuration was fixed beforehand as the one that counts.
    pub headline: bool,
    /// Whether sizes were reduced against the paper's.
    pub scaled_down: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// What it rests on.
    pub findings: Vec<Finding>,
    /// Digest of the artifact the findings were computed from.
    pub evidence: String,
}

/// The verdict on a claim that is made of each place by itself. Places outside the paper stand in
/// only when none of the paper's own could be tested.
#[must_use]
pub fn judge_each(findings: &[Finding]) -> (Verdict, String) {
    let tested = |f: &&Finding| f.estimate.is_some();
    let own: Vec<_> = findings.iter().filter(|f| f.in_paper).collect();
    let any_own = own.iter().any(tested);
    let deciding: Vec<_> = if any_own { own } else { findings.iter().filter(tested).collect() };
    if deciding.is_empty() {
        return (Verdict::NotTestable, "nothing it needs could be had".to_owned());
    }
    let places = |list: Vec<&Finding>| -> String {
        list.iter().map(|f| f.place.as_str()).collect::<Vec<_>>().join(", ")
    };
    let pick = |holds: Option<bool>, with: bool| -> Vec<&Finding> {
        deciding
            .iter()
            .copied()
            .filter(|f| f.holds == holds && f.estimate.is_some() == with)
            .collect()
    };
    let (yes, no) = (pick(Some(true), true), pick(Some(false), true));
    let (open, missing) = (pick(None, true), pick(None, false));
    let mut parts = Vec::new();
    for (what, list) in
        [("holds on", &yes), ("fails on", &no), ("open on", &open), ("not testable on", &missing)]
    {
        if !list.is_empty() {
            parts.push(format!("{what} {}", places(list.clone())));
        }
    }
    let mut reason = parts.join("; ");
    if !any_own {
        reason.push_str(" (stand-ins: none of the paper's own data could be had)");
    }
    let verdict = match (yes.len(), no.len(), open.len(), missing.len()) {
        (_, 0, 0, 0) if any_own => Verdict::Replicated,
        (0, 0, ..) => Verdict::Inconclusive,
        (0, ..) => Verdict::NotReplicated,
        _ => Verdict::Partly,
    };
    (verdict, reason)
}

/// One row a claim and configuration.
///
/// # Errors
/// Never in practice: all columns have one entry a row.
pub fn table(judged: &[Judged]) -> Result<RecordBatch, TableError> {
    let main = |j: &Judged| -> Option<Estimate> {
        let own = j.findings.iter().filter(|f| f.in_paper).find_map(|f| f.estimate);
        own.or_else(|| j.findings.iter().find_map(|f| f.estimate))
    };
    let effect = |j: &Judged| j.findings.iter().find_map(|f| f.effect);
    // The places that decide; all of them are in the table of findings.
    let value_text = |j: &Judged| {
        let own = j.findings.iter().any(|f| f.in_paper && f.estimate.is_some());
        let shown = j.findings.iter().filter(|f| f.in_paper || !own);
        shown.map(|f| format!("{}: {}", f.place, f.text)).collect::<Vec<_>>().join("; ")
    };
    Columns::new()
        .text("id", "the claim's short name", judged.iter().map(|j| &j.claim.id))
        .text("item", "where the paper makes it", judged.iter().map(|j| &j.claim.item))
        .text("statement", "what it says", judged.iter().map(|j| &j.claim.statement))
        .text(
            "criterion",
            "when it counts as replicated",
            judged.iter().map(|j| &j.claim.criterion),
        )
        .text("paper_value", "the paper's value", judged.iter().map(|j| &j.claim.paper_value))
        .text("rules", "configuration of the method", judged.iter().map(|j| &j.rules))
        .flag("headline", "the configuration fixed beforehand", judged.iter().map(|j| j.headline))
        .flag(
            "scaled_down",
            "sizes reduced against the paper",
            judged.iter().map(|j| j.scaled_down),
        )
        .text("verdict", "what the evidence says", judged.iter().map(|j| j.verdict.as_str()))
        .maybe(
            "value",
            "our value on the first place of the paper",
            judged.iter().map(|j| main(j).map(|e| e.value)),
        )
        .maybe(
            "low",
            "lower end of its 95% interval",
            judged.iter().map(|j| main(j).map(|e| e.low)),
        )
        .maybe(
            "high",
            "upper end of its 95% interval",
            judged.iter().map(|j| main(j).map(|e| e.high)),
        )
        .index(
            "n",
            "its sample size",
            judged.iter().map(|j| main(j).map_or(0, |e| u32::try_from(e.n).unwrap_or(u32::MAX))),
        )
        .maybe("effect", "effect size", judged.iter().map(|j| effect(j).map(|(size, _)| size)))
        .text(
            "effect_name",
            "what the effect size is",
            judged.iter().map(|j| effect(j).map_or("", |(_, name)| name)),
        )
        .text("value_text", "our values in the places that decide", judged.iter().map(value_text))
        .text("reason", "why this verdict", judged.iter().map(|j| &j.reason))
        .text("evidence", "digest of the artifact behind it", judged.iter().map(|j| &j.evidence))
        .batch()
}

/// One row a finding.
///
/// # Errors
/// Never in practice: all columns have one entry a row.
pub fn findings_table(judged: &[Judged]) -> Result<RecordBatch, TableError> {
    let all: Vec<_> = judged.iter().flat_map(|j| j.findings.iter().map(move |f| (j, f))).collect();
    let value = |part: fn(&Estimate) -> f64| {
        all.iter().map(move |(_, f)| f.estimate.as_ref().map(part)).collect::<Vec<_>>()
    };
    let paper: Vec<Option<&Published>> =
        all.iter().map(|(j, f)| published::at(&j.claim.published, &f.place)).collect();
    Columns::new()
        .text("id", "the claim's short name", all.iter().map(|(j, _)| &j.claim.id))
        .text("rules", "configuration of the method", all.iter().map(|(j, _)| &j.rules))
        .text("place", "problem or data set", all.iter().map(|(_, f)| &f.place))
        .flag(
            "in_paper",
            "whether the paper makes the claim there",
            all.iter().map(|(_, f)| f.in_paper),
        )
        .text(
            "holds",
            "whether the criterion is met",
            all.iter().map(|(_, f)| match f.holds {
                Some(true) => "yes",
                Some(false) => "no",
                None => "open",
            }),
        )
        .maybe("value", "our value", value(|e| e.value))
        .maybe("low", "lower end of its 95% interval", value(|e| e.low))
        .maybe("high", "upper end of its 95% interval", value(|e| e.high))
        .text("text", "what the value is", all.iter().map(|(_, f)| &f.text))
        .maybe(
            "published",
            "the paper's number for the same quantity",
            paper.iter().map(|p| p.map(|p| p.value)),
        )
        .flag(
            "published_at_least",
            "whether the paper says only that it is no less",
            paper.iter().map(|p| p.is_some_and(|p| p.at_least)),
        )
        .text(
            "published_kind",
            "how that number and ours are read: level, difference (against 0) or ratio (against 1)",
            paper.iter().map(|p| p.map_or("", |p| p.kind.as_str())),
        )
        .text(
            "unit",
            "what both are numbers of, where the paper has one",
            paper.iter().map(|p| p.map_or("", |p| p.unit.as_str())),
        )
        .batch()
}

#[cfg(test)]
mod tests;
