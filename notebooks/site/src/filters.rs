//! The filters by which templates format numbers, times and digests.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of a filter is askama's"
)]

use crate::words;

/// The first digits of a digest.
#[askama::filter_fn]
pub fn brief(digest: &str, _: &dyn askama::Values) -> askama::Result<String> {
    Ok(words::short(digest).to_owned())
}

/// A duration in the unit that fits.
#[askama::filter_fn]
pub fn lasting(seconds: &f64, _: &dyn askama::Values) -> askama::Result<String> {
    Ok(words::duration(*seconds))
}

/// Seconds as hours.
#[askama::filter_fn]
pub fn hours(seconds: &f64, _: &dyn askama::Values) -> askama::Result<String> {
    Ok(format!("{:.3}", seconds / 3600.0))
}

/// Bytes in the unit that fits.
#[askama::filter_fn]
pub fn size(bytes: &u64, _: &dyn askama::Values) -> askama::Result<String> {
    let bytes = *bytes as f64;
    Ok(match bytes {
        b if b <= 0.0 => "–".to_owned(),
        b if b < 1024.0 * 1024.0 => format!("{:.0} KiB", (b / 1024.0).ceil()),
        b => format!("{:.1} MiB", b / 1024.0 / 1024.0),
    })
}
