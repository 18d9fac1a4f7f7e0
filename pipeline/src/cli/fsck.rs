//! `fsck`: checks everything in the store and, on request, repairs it.

use std::fmt::Write;

use super::{Session, session::words::count, upkeep};
use crate::{
    error::{Error, Exit, Result},
    store::{
        Claim, Store,
        fsck::{Inspection, Repaired},
        verify::Depth,
    },
};

pub(super) fn fsck(session: &Session, sample: Option<f64>, repair: bool) -> Result<()> {
    let store = session.store()?;
    let alone = if repair { Some(store.alone()?) } else { None };
    let _present = if repair { None } else { present(&store)? };
    let found = store.inspect(sample.map_or(Depth::All, upkeep::share))?;
    session.print(&findings(&found))?;
    if let Some(alone) = alone {
        return session.print(&repaired(&store.repair(&alone, &found)?));
    }
    match found.unsound() {
        0 => Ok(()),
        n => Err(Error::new(Exit::Failed, format!("{n} unsound findings"))
            .help("`retune fsck --repair` moves aside what is unsound; it deletes nothing")),
    }
}

/// Makes sure that nothing is collected meanwhile. If that cannot be ensured because the store is read-only,
/// everything is read nevertheless.
fn present(store: &Store) -> Result<Option<Claim>> {
    match store.present() {
        Err(e) if e.refused() => Ok(None),
        claim => claim.map(Some),
    }
}

fn findings(found: &Inspection) -> String {
    let mut text = String::new();
    for finding in &found.findings {
        let (trouble, path) = (finding.trouble, finding.path.display());
        let _ = writeln!(text, "{trouble:9} {path}: {}", finding.what);
    }
    let (objects, hashed, unnamed) = found.objects;
    let _ = writeln!(
        text,
        "{objects} objects ({hashed} hashed, {unnamed} that no key names), {} lines of the log, {} records, \
         {} runs; {} in quarantine",
        found.lines, found.records, found.runs, found.quarantine
    );
    let (all, unsound) = (found.findings.len(), found.unsound());
    let _ = writeln!(text, "{unsound} unsound, {} left over", all - unsound);
    text
}

fn repaired(done: &Repaired) -> String {
    let mut text = String::new();
    for path in &done.aside {
        let _ = writeln!(text, "kept aside       {}", path.display());
    }
    for stage in &done.again {
        let _ = writeln!(text, "computed again   {stage}");
    }
    let _ = writeln!(
        text,
        "repaired: {} kept aside, {} to compute again when asked for",
        done.aside.len(),
        count(done.again.len(), "stage")
    );
    text
}
