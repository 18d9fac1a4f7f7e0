//! From tables to verdicts: one function a claim, each with its criterion as pre-registered.

mod courses;
mod exact;
mod images;
mod text;

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;

use crate::claims::{Finding, Verdict, judge_each};

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<&'static str> {
    own(id).iter().chain(text::rests_on(id)).copied().collect()
}

/// Those of them that are not about texts.
fn own(id: &str) -> &'static [&'static str] {
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
pub fn judge(
    id: &str,
    cx: &Context,
    rng: &mut ChaCha12Rng,
) -> Result<(Verdict, String, Vec<Finding>), Stop> {
    let mut findings = Vec::new();
    for role in own(id) {
        if let Some(table) = optional(cx, role)? {
            findings.extend(match (id, *role) {
                ("N1", _) => exact::gated(&table)?,
                ("N2", _) => exact::quadratic(&table)?,
                (_, "images race") => images::order(&table, rng)?,
                (_, "images anytime") => images::anytime(&table, rng)?,
                _ => images::sensitivity(&table, rng)?,
            });
        }
    }
    findings.extend(text::judge(id, cx, rng)?);
    let (verdict, reason) = judge_each(&findings);
    Ok((verdict, reason, findings))
}

/// An input that may be unavailable.
fn optional(cx: &Context, role: &str) -> Result<Option<RecordBatch>, Stop> {
    let has = cx.roles().any(|r| r == role);
    Ok(if has { Some(cx.input(role)?) } else { None })
}
