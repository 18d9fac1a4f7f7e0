//! Claims with their verdicts: what was found, what it rests on, what would change it, and each paper's answer in a few
//! sentences.

pub mod claims;
pub mod explorer;
pub mod grounds;
pub(crate) mod page;
pub mod summary;
pub mod verdict;
pub mod wording;
