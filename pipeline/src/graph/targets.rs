//! Which stages a name, a prefix or a pattern stands for.

use std::collections::BTreeSet;

use super::{Graph, Id, matches};
use crate::error::{Result, suggestion};

/// A suggestion for `target`, which names no stage: the nearest of the stages' names and their prefixes.
#[must_use]
pub fn near<'a>(target: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    if target.contains('*') {
        return String::new();
    }
    let target = target.trim_end_matches('/');
    let mut known = BTreeSet::new();
    for name in names {
        let mut prefix = name;
        // If a prefix is known, its own prefixes are in the set, too.
        while known.insert(prefix)
            && let Some((shorter, _)) = prefix.rsplit_once('/')
        {
            prefix = shorter;
        }
    }
    suggestion(target, known)
}

impl Graph {
    /// The stages that `target` names, in order: one by its name, otherwise those that match it as a prefix ending at
    /// a `/` or as a pattern with `*`.
    ///
    /// # Errors
    /// When it matches nothing.
    pub fn matching(&self, target: &str) -> Result<Vec<Id>> {
        if let Some(id) = self.ids.get(target, |id| &self[id].name) {
            return Ok(vec![id]);
        }
        self.under(target)
    }

    /// The stages whose names `target` matches, in order.
    fn under(&self, target: &str) -> Result<Vec<Id>> {
        let named = |id: &&Id| matches(target, &self[**id].name);
        let found: Vec<Id> = self.order.iter().filter(named).copied().collect();
        if found.is_empty() {
            self.find(target)?;
        }
        Ok(found)
    }

    /// The stages that a run of `targets` needs, as a mask over node indices. A target is a name, a prefix ending at
    /// a `/`, or a pattern with `*`; no target means every stage.
    ///
    /// # Errors
    /// When a target matches nothing.
    pub fn select(&self, targets: &[String]) -> Result<Vec<bool>> {
        let mut wanted = vec![targets.is_empty(); self.len()];
        for target in targets {
            for id in self.under(target)? {
                wanted[id.index()] = true;
            }
        }
        for &id in self.order.iter().rev() {
            if wanted[id.index()] {
                for edge in &self[id].inputs {
                    wanted[edge.from.index()] = true;
                }
            }
        }
        Ok(wanted)
    }
}
