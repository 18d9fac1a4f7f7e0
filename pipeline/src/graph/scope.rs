//! The same stages a second time beside the first ones, for example under another root seed.

use foldhash::{HashMap, HashMapExt, HashSet};

use super::{Builder, Draft, Node};
use crate::error::{Error, Result};

/// The name in a scope: `paper/stage` becomes `paper/scope/stage`.
#[must_use]
pub fn scoped(scope: &str, name: &str) -> String {
    match name.split_once('/') {
        Some((first, rest)) => format!("{first}/{scope}/{rest}"),
        None => format!("{scope}/{name}"),
    }
}

/// Whether both compute the same if they read the same.
fn alike(a: &Node, b: &Node) -> bool {
    (a.kind, &a.params, &a.files, &a.facets, &a.pinned)
        == (b.kind, &b.params, &b.files, &b.facets, &b.pinned)
        && a.seed == b.seed
}

/// The stages of a scope, before they are renamed.
struct Scope<'a> {
    outer: HashMap<&'a str, &'a Draft>,
    inner: HashMap<&'a str, &'a Draft>,
    same: HashMap<&'a str, bool>,
}

impl<'a> Scope<'a> {
    fn new(outer: &'a [Draft], inner: &'a [Draft]) -> Self {
        let by_name = |all: &'a [Draft]| all.iter().map(|d| (d.node.name.as_str(), d)).collect();
        Self { outer: by_name(outer), inner: by_name(inner), same: HashMap::new() }
    }

    /// Whether the stage of this name is the same as one outside the scope.
    fn same(&mut self, name: &'a str) -> bool {
        let Some(own) = self.inner.get(name).copied() else { return true };
        if let Some(&known) = self.same.get(name) {
            return known;
        }
        self.same.insert(name, false); // for stages in a cycle, which the graph refuses later
        let twin = self.outer.get(name).copied();
        let same = twin.is_some_and(|twin| alike(&own.node, &twin.node) && own.wants == twin.wants)
            && own.wants.iter().all(|want| self.same(&want.stage));
        self.same.insert(name, same);
        same
    }

    /// The names of `wanted` and of what it needs, except for stages that are the same outside the scope.
    fn needed(&mut self, wanted: &'a str) -> Vec<&'a str> {
        let (mut found, mut ahead) = (Vec::new(), vec![wanted]);
        let mut seen: HashSet<&str> = HashSet::default();
        while let Some(name) = ahead.pop() {
            if seen.insert(name) && !self.same(name) {
                found.push(name);
                ahead.extend(self.inner[name].wants.iter().map(|want| want.stage.as_str()));
            }
        }
        found
    }
}

impl Builder<'_> {
    /// Adds the stage `wanted` and those that it needs among the stages that `add` adds, under names of their own:
    /// `paper/stage` becomes `paper/scope/stage`. A stage that computes the same from the same inputs as an existing
    /// one is replaced by that one: under another root seed, loading a data set is not repeated.
    ///
    /// # Errors
    /// When `add` fails, or does not add the stage `wanted`.
    pub fn within(
        &mut self,
        scope: &str,
        wanted: &str,
        add: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let outer = std::mem::take(&mut self.drafts);
        let added = add(self);
        let mut inner = std::mem::replace(&mut self.drafts, outer);
        added?;
        if !inner.iter().any(|draft| draft.node.name == wanted) {
            return Err(Error::usage(format!("no stage is named `{wanted}` in `{scope}`")));
        }
        let needed = Scope::new(&self.drafts, &inner).needed(wanted).into_iter();
        let names: HashMap<String, String> =
            needed.map(|name| (name.to_owned(), scoped(scope, name))).collect();
        inner.retain(|draft| names.contains_key(&draft.node.name));
        for draft in &mut inner {
            draft.node.name.clone_from(&names[&draft.node.name]);
            for want in &mut draft.wants {
                if let Some(name) = names.get(&want.stage) {
                    want.stage.clone_from(name);
                }
            }
        }
        self.drafts.extend(inner);
        Ok(())
    }
}
