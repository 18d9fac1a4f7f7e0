//! From tables to verdicts: one function per claim, each with its criterion as pre-registered.

mod courses;
mod exact;
mod images;
pub mod simulated;
mod text;

use kit::claims::{Found, evidence::Tables, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

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

/// How a criterion joins its findings: places that stand by themselves, or parts that all count.
fn rule(id: &str) -> Option<Rule> {
    Some(match id {
        "N1" | "N3" | "N6" => Rule::Each,
        "N2" | "N4" | "N5" | "N7" | "N8" | "N9" | "N10" | "N11" => Rule::All,
        _ => return None,
    })
}

/// What is found about one claim.
///
/// # Errors
/// When no function judges the claim, or a table is corrupt or lacks a column.
pub fn find(id: &str, tables: &Tables, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
    let rule = rule(id).ok_or_else(|| unjudged(id))?;
    let mut findings = Vec::new();
    for role in others(id) {
        if let Some(table) = tables.get(role) {
            findings.extend(match (id, *role) {
                ("N1", _) => exact::gated(table)?,
                ("N2", _) => exact::quadratic(table)?,
                (_, "images race") => images::order(table, rng)?,
                (_, "images anytime") => images::anytime(table, rng)?,
                _ => images::sensitivity(table, rng)?,
            });
        }
    }
    findings.extend(text::judge(id, tables, rng)?);
    Ok((rule, findings))
}
