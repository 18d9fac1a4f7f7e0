//! Maps a stage's name to its place in the graph.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry};

use super::Id;

/// Finds stages by name without storing the names twice: the caller passes a function that looks up a stage's name.
pub(super) struct Ids {
    table: HashTable<Id>,
    hasher: RandomState,
}

impl Ids {
    pub(super) fn with_capacity(stages: usize) -> Self {
        Self { table: HashTable::with_capacity(stages), hasher: RandomState::default() }
    }

    /// Adds a name; false if it exists already.
    pub(super) fn add<'n>(&mut self, name: &str, id: Id, name_of: impl Fn(Id) -> &'n str) -> bool {
        let Self { table, hasher } = self;
        let hash = |name: &str| hasher.hash_one(name);
        let entry = table.entry(hash(name), |&id| name_of(id) == name, |&id| hash(name_of(id)));
        match entry {
            Entry::Occupied(_) => false,
            Entry::Vacant(slot) => {
                slot.insert(id);
                true
            }
        }
    }

    pub(super) fn get<'n>(&self, name: &str, name_of: impl Fn(Id) -> &'n str) -> Option<Id> {
        let hash = self.hasher.hash_one(name);
        self.table.find(hash, |&id| name_of(id) == name).copied()
    }
}
