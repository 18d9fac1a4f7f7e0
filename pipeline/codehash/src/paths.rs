//! The paths that a module names: in `use` items, and in full elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenTree};

/// A module's imports, separated from its other tokens.
pub(crate) struct Uses {
    /// Each imported path with its visibility and its local name; sorted.
    pub lines: BTreeSet<String>,
    /// Local name → imported path.
    pub names: BTreeMap<String, String>,
    /// All other tokens, in order.
    pub rest: Vec<TokenTree>,
}

/// Takes the `use` items out of a module (those inside functions and inline modules stay in place and are read
/// as paths).
pub(crate) fn uses(tokens: &[TokenTree]) -> Uses {
    let mut uses = Uses { lines: BTreeSet::new(), names: BTreeMap::new(), rest: Vec::new() };
    let mut at = 0;
    while at < tokens.len() {
        if is_word(&tokens[at], "use") {
            let end =
                (at..tokens.len()).find(|&i| is_punct(&tokens[i], ';')).unwrap_or(tokens.len());
            let visible = take_visibility(&mut uses.rest);
            let mut found = Vec::new();
            tree(&tokens[at + 1..end], "", &mut found);
            for (path, name) in found {
                uses.lines.insert(format!("{visible} {path} as {name}"));
                uses.names.insert(name, path);
            }
            at = end + 1;
        } else {
            uses.rest.push(tokens[at].clone());
            at += 1;
        }
    }
    uses
}

/// Removes a `pub` or `pub(…)` that turned out to stand before a `use`.
fn take_visibility(rest: &mut Vec<TokenTree>) -> &'static str {
    let group =
        matches!(rest.last(), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
    let word = rest.len().checked_sub(if group { 2 } else { 1 });
    match word.filter(|&i| is_word(&rest[i], "pub")) {
        Some(i) => {
            rest.truncate(i);
            "pub"
        }
        None => "",
    }
}

/// Flattens a use tree into (path, local name) pairs.
fn tree(tokens: &[TokenTree], prefix: &str, found: &mut Vec<(String, String)>) {
    let mut path = prefix.to_owned();
    let mut name = None;
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if *word == "as" => {
                name = tokens.get(at + 1).map(ToString::to_string);
                at += 1;
            }
            TokenTree::Ident(word) => join(&mut path, &word.to_string()),
            TokenTree::Punct(star) if star.as_char() == '*' => join(&mut path, "*"),
            TokenTree::Group(group) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                for part in inner.split(|token| is_punct(token, ',')) {
                    tree(part, &path, found);
                }
                return;
            }
            _ => {}
        }
        at += 1;
    }
    let path = path.strip_suffix("::self").map_or(path.clone(), str::to_owned);
    if !path.is_empty() {
        let last = path.rsplit("::").next().unwrap_or_default().to_owned();
        found.push((path, name.unwrap_or(last)));
    }
}

fn join(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push_str("::");
    }
    path.push_str(part);
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// The first segment of a path.
pub(crate) fn head(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}

/// Every absolute path that the module called `module` names.
pub(crate) fn named(module: &str, uses: &Uses) -> BTreeSet<String> {
    let mut raw: BTreeSet<String> = uses.names.values().cloned().collect();
    scan(&uses.rest, &mut raw);
    raw.iter().flat_map(|path| absolute(module, path, &uses.names)).collect()
}

/// Collects `a::b::c` sequences, also inside groups.
fn scan(tokens: &[TokenTree], found: &mut BTreeSet<String>) {
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => {
                scan(&group.stream().into_iter().collect::<Vec<_>>(), found);
                at += 1;
            }
            TokenTree::Ident(first) => {
                let mut path = first.to_string();
                let mut next = at + 1;
                while let [a, b, TokenTree::Ident(word), ..] = &tokens[next.min(tokens.len())..]
                    && is_punct(a, ':')
                    && is_punct(b, ':')
                {
                    join(&mut path, &word.to_string());
                    next += 3;
                }
                // A `use` inside a function ends in a group: its members extend this path.
                if let [a, b, TokenTree::Group(group), ..] = &tokens[next.min(tokens.len())..]
                    && is_punct(a, ':')
                    && is_punct(b, ':')
                {
                    let mut members = Vec::new();
                    let group = [TokenTree::Group(group.clone())];
                    tree(&group, &path, &mut members);
                    found.extend(members.into_iter().map(|(path, _)| path));
                }
                // A single word names something in this module, or something imported: both are counted
                // already.
                if path.contains("::") {
                    found.insert(path);
                }
                at = next;
            }
            _ => at += 1,
        }
    }
}

/// `crate::a` → `name::a`; `super::b`, `self::c` and imported names likewise. An unknown first segment may be a
/// child module or a crate: both readings are returned, and one of them matches nothing.
fn absolute(module: &str, path: &str, names: &BTreeMap<String, String>) -> Vec<String> {
    let (head, tail) = path.split_once("::").map_or((path, None), |(h, t)| (h, Some(t)));
    let attach =
        |base: &str| tail.map_or_else(|| base.to_owned(), |tail| format!("{base}::{tail}"));
    let root = self::head(module);
    match head {
        "crate" => vec![attach(root)],
        "self" => vec![attach(module)],
        "super" => {
            let parent = module.rsplit_once("::").map_or(root, |(parent, _)| parent);
            match tail {
                Some(tail) if tail.starts_with("super") => absolute(parent, tail, &BTreeMap::new()),
                _ => vec![attach(parent)],
            }
        }
        _ => match names.get(head) {
            Some(target) if self::head(target) != head => {
                absolute(module, target, &BTreeMap::new()).iter().map(|base| attach(base)).collect()
            }
            _ => vec![format!("{module}::{path}"), path.to_owned()],
        },
    }
}
