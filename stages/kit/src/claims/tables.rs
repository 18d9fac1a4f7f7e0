//! Judged claims and their findings as tables.

use arrow_array::RecordBatch;
use stats::bootstrap::Estimate;

use super::{
    Judged,
    calibration::Worlds,
    finding::{Answer, Finding},
    published::{self, Published},
};
use crate::table::{Columns, TableError};

/// One row per claim and configuration.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn judged(judged: &[Judged]) -> Result<RecordBatch, TableError> {
    let main = |j: &Judged| j.main().and_then(|finding| finding.estimate);
    let effect = |j: &Judged| j.findings.iter().find_map(|f| f.0.effect);
    // The places that decide; all of them are in the table of findings.
    let value_text = |j: &Judged| {
        let all = || j.findings.iter().map(|found| &found.0);
        let own = all().any(|f| f.in_paper && f.estimate.is_some());
        let shown = all().filter(|f| f.in_paper || !own);
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
            "whether the verdict is a direction only, from sizes below the paper's",
            judged.iter().map(|j| j.verdict.scaled_down()),
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
        .maybe(
            "power",
            "share of simulations with the paper's effect that meet the criterion",
            judged.iter().map(|j| j.rates.map(|r| r.power())),
        )
        .maybe(
            "false_positives",
            "share of simulations without it that meet the criterion",
            judged.iter().map(|j| j.rates.map(|r| r.false_positives())),
        )
        .index(
            "root_seeds",
            "root seeds under which the verdict was reached",
            judged.iter().map(|j| j.stability.root_seeds),
        )
        .flag(
            "flips",
            "whether some of them gives another verdict",
            judged.iter().map(|j| j.stability.flips),
        )
        .maybe(
            "margin",
            "distance of the value from the nearest one at which the criterion's answer changes",
            judged.iter().map(|j| Some(j.stability.margin).filter(|margin| !margin.is_nan())),
        )
        .maybe(
            "spread",
            "largest less smallest value under these root seeds",
            judged.iter().map(|j| Some(j.stability.spread).filter(|spread| !spread.is_nan())),
        )
        .text(
            "stability",
            "what other root seeds say; empty with one",
            judged.iter().map(|j| j.stability.told()),
        )
        .text("if_true", "what those simulate", judged.iter().map(|j| told(j, |w| &w.if_true)))
        .text("if_false", "what these simulate", judged.iter().map(|j| told(j, |w| &w.if_false)))
        .text("reason", "why this verdict", judged.iter().map(|j| &j.reason))
        .text("evidence", "digest of the artifact behind it", judged.iter().map(|j| &j.evidence))
        .batch()
}

/// What a world of a claim is, in words.
fn told(judged: &Judged, pick: fn(&Worlds) -> &String) -> &str {
    judged.claim.calibration.as_ref().map_or("", |worlds| pick(worlds))
}

/// One row per finding.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn findings(judged: &[Judged]) -> Result<RecordBatch, TableError> {
    let of_one = |j| (j as &Judged).findings.iter().map(move |(f, answer)| (j, f, *answer));
    let all: Vec<(&Judged, &Finding, Answer)> = judged.iter().flat_map(of_one).collect();
    let value = |part: fn(&Estimate) -> f64| {
        all.iter().map(move |(_, f, _)| f.estimate.as_ref().map(part)).collect::<Vec<_>>()
    };
    let paper: Vec<Option<&Published>> =
        all.iter().map(|(j, f, _)| published::at(&j.claim.published, &f.place)).collect();
    Columns::new()
        .text("id", "the claim's short name", all.iter().map(|(j, ..)| &j.claim.id))
        .text("rules", "configuration of the method", all.iter().map(|(j, ..)| &j.rules))
        .text("place", "problem or data set", all.iter().map(|(_, f, _)| &f.place))
        .flag(
            "in_paper",
            "whether the paper makes the claim there",
            all.iter().map(|(_, f, _)| f.in_paper),
        )
        .text(
            "holds",
            "whether the criterion is met: yes, no, open where the evidence cannot tell, untested",
            all.iter().map(|(.., answer)| answer.as_str()),
        )
        .maybe("value", "our value", value(|e| e.value))
        .maybe("low", "lower end of its 95% interval", value(|e| e.low))
        .maybe("high", "upper end of its 95% interval", value(|e| e.high))
        .text("text", "what the value is", all.iter().map(|(_, f, _)| &f.text))
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
