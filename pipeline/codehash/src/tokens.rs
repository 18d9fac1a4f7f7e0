//! Token streams without what has no meaning for a result: documentation, tests, trailing commas, lint levels,
//! descriptions of configs. The documentation of the fields of a struct that derives `Row` does count: it is
//! written into the tables.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};

/// The tokens that count.
pub(crate) fn meaningful(tokens: TokenStream) -> Vec<TokenTree> {
    counted(tokens, false)
}

/// The same, optionally with documentation.
fn counted(tokens: TokenStream, documented: bool) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    // Whether the item that is being read is a row of a table.
    let mut row = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let bang = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
                let bang = bang.then(|| tokens.next()).flatten();
                let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                if says_nothing(&attribute) && !(documented && is_named(&attribute, "doc")) {
                    continue;
                }
                row |= derives_row(&attribute);
                let Some(attribute) = undescribed(&attribute) else { continue };
                if attribute.stream().to_string().replace(' ', "") == "cfg(test)" {
                    skip_item(&mut tokens);
                    continue;
                }
                kept.push(TokenTree::Punct(hash));
                kept.extend(bang);
                kept.push(TokenTree::Group(group(&attribute, false)));
            }
            TokenTree::Group(inner) if inner.delimiter() == Delimiter::Brace => {
                kept.push(TokenTree::Group(group(&inner, std::mem::take(&mut row))));
            }
            TokenTree::Group(inner) => kept.push(TokenTree::Group(group(&inner, false))),
            other => kept.push(other),
        }
    }
    if matches!(kept.last(), Some(TokenTree::Punct(p)) if p.as_char() == ',') {
        kept.pop();
    }
    kept
}

/// Whether an attribute is only for readers or for the compiler's lints.
fn says_nothing(attribute: &Group) -> bool {
    const NAMES: [&str; 8] =
        ["allow", "deny", "doc", "expect", "forbid", "must_use", "schemars", "warn"];
    let name = attribute.stream().into_iter().next();
    matches!(name, Some(TokenTree::Ident(name)) if NAMES.iter().any(|known| name == known))
}

/// An attribute without the derive of `schemars::JsonSchema`, written in full: a schema says what may be
/// written in a config and does not affect any result. `None` if nothing else is derived.
fn undescribed(attribute: &Group) -> Option<Group> {
    let mut tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [TokenTree::Ident(derive), TokenTree::Group(list)] = &tokens[..] else {
        return Some(attribute.clone());
    };
    if derive != "derive" {
        return Some(attribute.clone());
    }
    let all: Vec<TokenTree> = list.stream().into_iter().collect();
    let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let described = |part: &&[TokenTree]| text(part).replace(' ', "") == "schemars::JsonSchema";
    let others: Vec<&[TokenTree]> = all.split(comma).filter(|part| !described(part)).collect();
    if others.len() == all.split(comma).count() {
        return Some(attribute.clone());
    }
    let comma = TokenTree::Punct(Punct::new(',', Spacing::Alone));
    let kept: TokenStream = others.join(&comma).into_iter().collect();
    let empty = kept.is_empty();
    tokens[1] = TokenTree::Group(Group::new(list.delimiter(), kept));
    (!empty).then(|| Group::new(attribute.delimiter(), tokens.into_iter().collect()))
}

/// Whether an attribute has this name.
fn is_named(attribute: &Group, name: &str) -> bool {
    matches!(attribute.stream().into_iter().next(), Some(TokenTree::Ident(own)) if own == name)
}

/// Whether an attribute derives `Row`, by any path.
fn derives_row(attribute: &Group) -> bool {
    let row = |token: TokenTree| matches!(token, TokenTree::Ident(name) if name == "Row");
    let list = attribute.stream().into_iter().nth(1);
    is_named(attribute, "derive")
        && matches!(list, Some(TokenTree::Group(list)) if list.stream().into_iter().any(row))
}

fn group(group: &Group, documented: bool) -> Group {
    Group::new(group.delimiter(), counted(group.stream(), documented).into_iter().collect())
}

/// Skips the item that follows an attribute: up to its body or its semicolon.
fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(end) if end.as_char() == ';' => return,
            _ => {}
        }
    }
}

/// A text that is the same for the same tokens, whatever their layout.
pub(crate) fn text(tokens: &[TokenTree]) -> String {
    let mut text = String::new();
    write(tokens.iter().cloned(), &mut text);
    text
}

fn write(tokens: impl Iterator<Item = TokenTree>, text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream().into_iter(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => text.push(punct.as_char()),
            word => {
                text.push(' ');
                text.push_str(&word.to_string());
            }
        }
    }
}
