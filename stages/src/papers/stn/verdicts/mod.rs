//! From tables to verdicts: one function a claim, each with its criterion as pre-registered.

mod exact;

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Stop};

use crate::claims::{Finding, Verdict, judge_each};

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> &'static [&'static str] {
    match id {
        "N1" => &["gated"],
        "N2" => &["quadratic"],
        _ => &[],
    }
}

/// Judges one claim.
///
/// # Errors
/// When a table is corrupt or lacks a column.
pub fn judge(id: &str, cx: &Context) -> Result<(Verdict, String, Vec<Finding>), Stop> {
    let mut findings = Vec::new();
    for role in rests_on(id) {
        if let Some(table) = optional(cx, role)? {
            findings.extend(match id {
                "N1" => exact::gated(&table)?,
                _ => exact::quadratic(&table)?,
            });
        }
    }
    let (verdict, reason) = judge_each(&findings);
    Ok((verdict, reason, findings))
}

/// An input that may be unavailable.
fn optional(cx: &Context, role: &str) -> Result<Option<RecordBatch>, Stop> {
    let has = cx.roles().any(|r| r == role);
    Ok(if has { Some(cx.input(role)?) } else { None })
}
