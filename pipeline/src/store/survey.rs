//! Checks the stamps of many objects on a thread of its own, ahead of the plan and in parallel with it. The plan uses
//! what has been found so far, checks the rest itself and waits for nothing. Only says which objects are certain to
//! be as recorded.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use foldhash::HashMap;

use super::{Artifact, Stamp, Store};
use crate::{
    digest::Digest,
    disk::{Handle, Open},
};

/// What one plan knows about the stamps of objects.
pub struct Survey {
    folder: Option<Handle>,
    /// What every named stage last produced, which is mostly what it still needs.
    looks: HashMap<Digest, Look>,
    enough: AtomicBool,
}

/// An object: its recorded stamp, and whether the object was found to have it.
struct Look {
    stamp: Stamp,
    same: AtomicBool,
}

/// The survey that the next plan takes. No later plan does, since time passes.
pub(super) type Ahead = Mutex<Option<Arc<Survey>>>;

impl Store {
    /// Prepares the survey of the next plan; the caller runs it, on a thread that would otherwise be idle.
    #[must_use]
    pub fn survey_ahead(&self) -> Arc<Survey> {
        let survey = Arc::new(self.new_survey());
        *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&survey));
        survey
    }

    /// The survey that was prepared, or a new one that is running.
    pub(crate) fn survey(&self) -> Arc<Survey> {
        let ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner).take();
        ahead.unwrap_or_else(|| {
            let survey = Arc::new(self.new_survey());
            let looking = Arc::clone(&survey);
            std::thread::spawn(move || looking.look());
            survey
        })
    }

    fn new_survey(&self) -> Survey {
        let log = self.facts();
        let facts = log.known();
        let mut looks = HashMap::default();
        looks.reserve(facts.names.len());
        let current = facts.names.values().filter_map(|key| facts.done(*key));
        for artifact in current.flat_map(|produced| produced.iter()) {
            let Artifact { digest, stamp, .. } = *artifact;
            looks.entry(digest).or_insert(Look { stamp, same: AtomicBool::new(false) });
        }
        let folder = self.disk.open(&self.root.join("objects"), Open::Read).ok();
        Survey { folder, looks, enough: AtomicBool::new(false) }
    }
}

impl Survey {
    /// Checks one object after another until all were checked or the survey is stopped.
    pub fn look(&self) {
        let Some(folder) = &self.folder else { return };
        for (digest, look) in &self.looks {
            if self.enough.load(Ordering::Relaxed) {
                return;
            }
            // The plan may have checked it meanwhile.
            if !look.same.load(Ordering::Relaxed) && unchanged(folder, *digest, look.stamp) {
                look.same.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether the artifact is certain to be as recorded. Checks it if nobody has.
    pub(crate) fn unchanged(&self, artifact: &Artifact) -> bool {
        let Some(look) = self.looks.get(&artifact.digest) else { return false };
        if look.stamp != artifact.stamp {
            return false;
        }
        if look.same.load(Ordering::Relaxed) {
            return true;
        }
        let same = self.folder.as_ref().is_some_and(|f| unchanged(f, artifact.digest, look.stamp));
        look.same.store(same, Ordering::Relaxed);
        same
    }

    /// Stops the survey.
    pub(crate) fn enough(&self) {
        self.enough.store(true, Ordering::Relaxed);
    }
}

/// Whether an object in `folder` has this stamp. The name is relative to the folder, so that the kernel resolves two
/// path components and not ten.
fn unchanged(folder: &Handle, digest: Digest, stamp: Stamp) -> bool {
    let mut name = [0; 75];
    digest.with_hex(|hex| {
        name[..2].copy_from_slice(&hex.as_bytes()[..2]);
        name[2] = b'/';
        name[3..67].copy_from_slice(hex.as_bytes());
        name[67..].copy_from_slice(b".parquet");
    });
    folder.stamp_below(&name).is_ok_and(|now| stamp.vouches(now))
}
