//! From tables to verdicts: one function a claim, each with its criterion as pre-registered.

mod courses;
mod exact;
mod images;
mod text;

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Stop};

use crate::{
    claims::{Finding, Verdict, judge_each},
    stats::bootstrap::Estimate,
};

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<&'static str> {
    others(id).iter().chain(text::rests_on(id)).copied().collect()
}

/// Those that are not about texts.
fn others(id: &str) -> &'static [&'static str] {
    match id {
        "N1" => &["gated"],
        "N2" => &["quadratic"],
        "N8" => &["images race"],
        "N9" => &["images anytime"],
        "N11" => &["images sensitivity"],
        _ => &[],
    }
}

/// Judges one claim.
///
/// # Errors
/// When a table is corrupt or lacks a column.
pub fn judge(id: &str, cx: &Context) -> Result<(Verdict, String, Vec<Finding>), Stop> {
    let (mut findings, mut rng) = (Vec::new(), cx.rng(&format!("claim {id}"))?);
    for role in others(id) {
        if let Some(table) = optional(cx, role)? {
            findings.extend(match (id, *role) {
                ("N1", _) => exact::gated(&table)?,
                ("N2", _) => exact::quadratic(&table)?,
                (_, "images race") => images::order(&table, &mut rng)?,
                (_, "images anytime") => images::anytime(&table, &mut rng)?,
                _ => images::sensitivity(&table, &mut rng)?,
            });
        }
    }
    findings.extend(text::judge(id, cx, &mut rng)?);
    let (verdict, reason) = judge_each(&findings);
    Ok((verdict, reason, findings))
}

/// An input that may be unavailable.
fn optional(cx: &Context, role: &str) -> Result<Option<RecordBatch>, Stop> {
    let has = cx.roles().any(|r| r == role);
    Ok(if has { Some(cx.input(role)?) } else { None })
}

/// Whether the interval excludes 0; a single pair has no interval of its own, and its sign decides.
fn decided(estimate: &Estimate) -> bool {
    estimate.n == 1 || estimate.low > 0.0 || estimate.high < 0.0
}
