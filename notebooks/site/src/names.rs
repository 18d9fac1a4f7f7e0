//! What papers are called, and where they can be found.

use std::collections::BTreeMap;

/// A paper as its readers know it.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The first part of its stages' names.
    pub id: &'static str,
    /// Its name for readers.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Who wrote it, and where it is; none if that was not entered.
    pub citation: Option<Citation>,
}

/// Who wrote a paper, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Citation {
    /// The authors, as a bibliography has them.
    pub authors: &'static str,
    /// Where it was published, with the year.
    pub published: &'static str,
    /// Its identifier at arXiv.
    pub arxiv: &'static str,
    /// The address of its authors' code; none where there is no public code.
    pub code: Option<&'static str>,
    /// Since when the criteria of its claims stand; none if that was not entered.
    pub criteria: Option<Criteria>,
}

impl Citation {
    /// Its identifier as a DOI: that which arXiv registers for every paper.
    #[must_use]
    pub fn doi(&self) -> String {
        format!("10.48550/arXiv.{}", self.arxiv)
    }
}

/// The commit of this project that wrote down the criteria of a paper's claims, before any of its results.
#[derive(Clone, Copy, Debug)]
pub struct Criteria {
    /// The day, as 2026-11-21.
    pub date: &'static str,
    /// The first digits of the commit's hash.
    pub commit: &'static str,
}

/// The papers, by id. A paper without an entry is called by its id.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<String, Named>);

impl Names {
    /// The names of these papers.
    #[must_use]
    pub fn of(all: &[Named]) -> Self {
        Self(all.iter().map(|named| (named.id.to_owned(), *named)).collect())
    }

    /// The name of the paper for readers.
    #[must_use]
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.0.get(id).map_or(id, |named| named.name)
    }

    /// All that is known of the paper.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<&Named> {
        self.0.get(id)
    }

    /// Its title; empty if it is unknown.
    #[must_use]
    pub fn title(&self, id: &str) -> &str {
        self.0.get(id).map_or("", |named| named.title)
    }

    /// Who wrote it, and where it is.
    #[must_use]
    pub fn citation(&self, id: &str) -> Option<Citation> {
        self.0.get(id)?.citation
    }
}
