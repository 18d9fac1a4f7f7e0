//! Which tables of a run are kept.

use std::collections::HashSet;

use crate::{
    digest::Digest,
    error::{Error, Result},
    graph::matches,
    provenance::Story,
    registry::Recording,
};

/// The names of the stages whose tables are kept.
pub(super) fn chosen(
    story: &Story,
    experiment: &str,
    conclusion: &str,
    Recording { keeps, never, too_large, .. }: Recording,
) -> Result<HashSet<String>> {
    let end =
        story.accounts.iter().find(|account| account.stage == conclusion).ok_or_else(|| {
            Error::usage(format!("run {} did not end with {conclusion}", story.run.id))
                .help("`retune runs` lists the runs, `--run N` chooses one")
        })?;
    let read: HashSet<Digest> = end.inputs.iter().filter_map(|(_, digest)| *digest).collect();
    let keeps: Vec<String> =
        keeps.iter().map(|pattern| format!("{experiment}/{pattern}")).collect();
    let wanted = story.accounts.iter().filter(|account| {
        keeps.iter().any(|pattern| matches(pattern, &account.stage))
            || account.outputs.iter().any(|(_, digest)| read.contains(digest))
    });
    let ours = wanted.filter(|account| {
        !never.iter().any(|kind| account.kind.starts_with(kind))
            && !too_large.iter().any(|pattern| matches(pattern, &account.stage))
    });
    Ok(ours.map(|account| account.stage.clone()).collect())
}
