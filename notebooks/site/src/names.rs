//! The names of papers.

use std::collections::BTreeMap;

/// The names and titles of papers, by id. A paper without a name is called by its id.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<String, (String, String)>);

impl Names {
    /// The names given as id, name, title.
    #[must_use]
    pub fn of(all: &[(&str, &str, &str)]) -> Self {
        let own = |&(id, name, title): &(&str, &str, &str)| {
            (id.to_owned(), (name.to_owned(), title.to_owned()))
        };
        Self(all.iter().map(own).collect())
    }

    /// The name of the paper for readers.
    #[must_use]
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.0.get(id).map_or(id, |(name, _)| name)
    }

    /// Its title; empty if it is unknown.
    #[must_use]
    pub fn title(&self, id: &str) -> &str {
        self.0.get(id).map_or("", |(_, title)| title)
    }
}
