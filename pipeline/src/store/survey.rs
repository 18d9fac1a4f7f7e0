//! Looks at the stamps of many objects at once: on all cores when a plan asks, or ahead of the plan
//! on a core that would else be idle. Says only which are surely as recorded.

use std::{
    fs::File,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use foldhash::HashSet;
use rayon::prelude::*;

use super::{Stamp, Store};
use crate::digest::Digest;

/// What was found unchanged ahead of the next plan.
pub(super) type Ahead = Mutex<HashSet<Digest>>;

/// How many objects are looked at between two looks at whether it is enough.
const CHUNK: usize = 32;

impl Store {
    /// Looks at what every named stage last produced until it is `enough`. The next plan takes
    /// what was found; no later one does, since time passes.
    pub fn look_ahead(&self, enough: &AtomicBool) {
        let Ok(folder) = File::open(self.root.join("objects")) else { return };
        let objects: Vec<_> = {
            let log = self.facts();
            let facts = log.known();
            let current = facts.names.values().filter_map(|key| facts.done(*key));
            current.flat_map(|produced| produced.iter()).map(|a| (a.digest, a.stamp)).collect()
        };
        let mut met = HashSet::default();
        let mut found = HashSet::default();
        for chunk in objects.chunks(CHUNK) {
            if enough.load(Ordering::Relaxed) {
                break;
            }
            let new = chunk.iter().filter(|(digest, _)| met.insert(*digest));
            found.extend(new.filter_map(|&(digest, stamp)| unchanged(&folder, digest, stamp)));
        }
        *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// What was found ahead; a second call finds nothing.
    pub(crate) fn seen_ahead(&self) -> HashSet<Digest> {
        std::mem::take(&mut *self.ahead.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Those of many objects whose stamps are the given ones, looked at on all cores.
    #[must_use]
    pub fn unchanged(&self, objects: &[(Digest, Stamp)]) -> Vec<Digest> {
        let Ok(folder) = File::open(self.root.join("objects")) else { return Vec::new() };
        let same = |&(digest, stamp): &(Digest, Stamp)| unchanged(&folder, digest, stamp);
        objects.par_iter().filter_map(same).collect()
    }
}

/// The digest, if its object in `folder` has this stamp. The name is relative to the folder: the
/// kernel then walks two steps, not ten.
fn unchanged(folder: &File, digest: Digest, stamp: Stamp) -> Option<Digest> {
    let mut name = [0; 75];
    digest.with_hex(|hex| {
        name[..2].copy_from_slice(&hex.as_bytes()[..2]);
        name[2] = b'/';
        name[3..67].copy_from_slice(hex.as_bytes());
        name[67..].copy_from_slice(b".parquet");
    });
    let now = Stamp::below(folder, &name);
    now.is_ok_and(|now| now == stamp).then_some(digest)
}
