//! Token streams without what has no meaning: documentation, tests, trailing commas.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens that count.
pub(crate) fn meaningful(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let bang = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
                let bang = bang.then(|| tokens.next()).flatten();
                let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                let text = attribute.stream().to_string();
                if text.starts_with("doc") {
                    continue;
                }
                if text.replace(' ', "") == "cfg(test)" {
                    skip_item(&mut tokens);
                    continue;
                }
                kept.push(TokenTree::Punct(hash));
                kept.extend(bang);
                kept.push(TokenTree::Group(group(&attribute)));
            }
            TokenTree::Group(inner) => kept.push(TokenTree::Group(group(&inner))),
            other => kept.push(other),
        }
    }
    if matches!(kept.last(), Some(TokenTree::Punct(p)) if p.as_char() == ',') {
        kept.pop();
    }
    kept
}

fn group(group: &Group) -> Group {
    Group::new(group.delimiter(), meaningful(group.stream()).into_iter().collect())
}

/// Passes over the item that an attribute stands before: up to its body or its semicolon.
fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(end) if end.as_char() == ';' => return,
            _ => {}
        }
    }
}

/// A text that is the same for the same tokens, however they were laid out.
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
