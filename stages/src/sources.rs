//! Where the code of stages is: the source file of each module, as the build script found it.

/// Module → its source file, relative to the workspace, sorted; made by the build script.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The source file of a module that stages consist of, relative to the workspace.
#[must_use]
pub fn file(module: &str) -> Option<&'static str> {
    let at = FILES.binary_search_by_key(&module, |(name, _)| name).ok()?;
    Some(FILES[at].1)
}
