//! Which of several tables that are shown as one are absent, and what stands in their place or below the others.

use pipeline::absence::Absence;

use crate::{
    absent::{list, notice},
    html::{Html, escape},
    table::Table,
};

/// The absent ones among several tables that are shown as one.
#[derive(Default)]
pub(crate) struct Missing {
    names: Vec<String>,
    causes: Vec<Absence>,
    /// One of them has a result, if one without rows.
    partial: bool,
}

impl Missing {
    /// Adds `table` under `name`, if it is absent; says whether it is.
    pub(crate) fn add(&mut self, name: &str, table: &Table) -> bool {
        if !table.is_absent() {
            return false;
        }
        if !self.names.iter().any(|other| other == name) {
            self.names.push(name.to_owned());
        }
        for lack in &table.lacks {
            if !self.causes.contains(lack) {
                self.causes.push(lack.clone());
            }
        }
        self.partial |= !table.key.is_empty();
        true
    }

    fn named(&self) -> Option<String> {
        let first = self.names.first()?;
        let others = self.names.len() - 1;
        Some(if others == 0 { first.clone() } else { format!("{first} and {others} more") })
    }

    /// What stands in the place of all; nothing where no table is absent.
    pub(crate) fn instead(&self) -> Option<Html> {
        Some(notice(&self.named()?, !self.partial, &self.causes))
    }

    /// What stands below the others; nothing where no table is absent.
    pub(crate) fn below(&self) -> Option<Html> {
        let (name, list) = (escape(&self.named()?), list(&self.causes));
        Some(Html(format!(
            "<div class=\"absent\"><p>Without <b>{name}</b>, for want of:</p>{list}</div>"
        )))
    }
}
