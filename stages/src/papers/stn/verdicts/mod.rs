//! From tables to verdicts: one function a claim, each with its criterion as pre-registered.

mod courses;
mod exact;
mod text;

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;

use crate::claims::{Finding, Verdict, judge_each};

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<&'static str> {
    let theory = match id {
        "N1" => &["gated"][..],
        "N2" => &["quadratic"],
        _ => &[],
    };
    theory.iter().chain(text::rests_on(id)).copied().collect()
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
    let theory = match id {
        "N1" => optional(cx, "gated")?.map(|table| exact::gated(&table)).transpose()?,
        "N2" => optional(cx, "quadratic")?.map(|table| exact::quadratic(&table)).transpose()?,
        _ => None,
    };
    let mut findings = theory.unwrap_or_default();
    findings.extend(text::judge(id, cx, rng)?);
    let (verdict, reason) = judge_each(&findings);
    Ok((verdict, reason, findings))
}

/// An input that may be unavailable.
fn optional(cx: &Context, role: &str) -> Result<Option<RecordBatch>, Stop> {
    let has = cx.roles().any(|r| r == role);
    Ok(if has { Some(cx.input(role)?) } else { None })
}
