//! Comments that carry a mark, such as `TODO:`. Token streams do not contain them, so the source is read line
//! by line.

/// The texts of the comments of `source`, Rust or TOML, that carry `mark`, in order: what follows the mark, up
/// to the end of the comment or the next mark. Several lines are joined into one.
#[must_use]
pub fn notes(source: &str, mark: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut within = false;
    for line in source.lines() {
        let marked = marked(line, mark);
        let body = marked.or_else(|| comment(line)).map(str::trim).unwrap_or_default();
        if marked.is_some() {
            found.push(body.to_owned());
            within = true;
        } else if within && !body.is_empty() {
            let note = found.last_mut().expect("a note was begun");
            if !note.is_empty() {
                note.push(' ');
            }
            note.push_str(body);
        } else {
            within = false;
        }
    }
    found
}

/// What follows the mark in a comment, which may follow code.
fn marked<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let (before, after) = line.split_once(mark)?;
    (before.contains("//") || before.contains('#')).then_some(after)
}

/// The text of a line that is only a comment. An attribute of Rust is not one: no space follows its `#`.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = match line.strip_prefix("//") {
        Some(rest) => rest.strip_prefix(['/', '!']).unwrap_or(rest),
        None => line.strip_prefix('#')?,
    };
    (text.is_empty() || text.starts_with([' ', '\t'])).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_goes_on_to_the_end_of_its_comment_or_to_the_next_mark() {
        let source = "\
//! Doc. HERE: first,
//! goes on.
//! HERE: second
use a; // HERE: third
#[must_use]
/// HERE:
///   fourth
///
/// Apart.
let s = \"HERE: no comment\";
# HERE: fifth
# of a config
key = 1 # HERE: sixth
";
        let all = ["first, goes on.", "second", "third", "fourth", "fifth of a config", "sixth"];
        assert_eq!(notes(source, "HERE:"), all);
        assert!(notes(source, "THERE:").is_empty());
    }
}
