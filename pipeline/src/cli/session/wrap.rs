//! Wraps lines between words at the width of a terminal; only words that are longer than a line are broken.

use super::paint::shown;

/// The additional indentation of continuation lines.
const HANG: usize = 2;

/// `text` with no line longer than `width` characters: continuation lines are indented a little further than their
/// line.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if shown(line.trim_end_matches('\n')) <= width {
            out += line;
            continue;
        }
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let hang = " ".repeat((indent + HANG).min(width / 2));
        let mut at = 0;
        // Spaces stay with the word before them, so that columns at the beginning of a line are kept.
        for word in line.trim_end_matches('\n').split_inclusive(' ') {
            let long = shown(word.trim_end());
            if hang.len() + long > width && at + long > width {
                let (word, spaces) = word.split_at(word.trim_end().len());
                at = broken(&mut out, word, at, width, &hang) + spaces.len();
                out += spaces;
                continue;
            }
            if at + long > width && long > 0 && at > hang.len() {
                at = next_line(&mut out, &hang);
            }
            out += word;
            at += shown(word);
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

/// Appends `word`, which is longer than any line, from column `at` on, and returns the column at its end. It begins
/// where it stands, after its label if there is one, and is broken wherever a line is full.
fn broken(out: &mut String, word: &str, mut at: usize, width: usize, hang: &str) -> usize {
    let mut escaped = false;
    for c in word.chars() {
        escaped |= c == '\x1b';
        if !escaped {
            if at >= width {
                at = next_line(out, hang);
            }
            at += 1;
        }
        out.push(c);
        escaped &= c != 'm';
    }
    at
}

/// Ends the line and begins the next one; returns the column after its indentation.
fn next_line(out: &mut String, hang: &str) -> usize {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
    out.push_str(hang);
    hang.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::session::Tone;

    #[test]
    fn long_lines_are_broken_between_words_and_short_ones_are_left() {
        let text = "short\n  H1   replicated   a claim that is longer than the line\n";
        assert_eq!(
            wrapped(text, 30),
            "short\n  H1   replicated   a claim\n    that is longer than the\n    line\n"
        );
        assert_eq!(wrapped(text, 200), text);
    }

    #[test]
    fn colours_take_no_place_on_a_line() {
        let plain = "  H1   replicated   a claim that is longer than the line\n";
        let painted = plain.replace("replicated", "\x1b[32mreplicated\x1b[0m");
        let broken = wrapped(&painted, 30);
        assert_eq!(anstream::adapter::strip_str(&broken).to_string(), wrapped(plain, 30));
    }

    #[test]
    fn nothing_is_lost_and_no_line_is_longer_than_the_width() {
        let words = "a bb ccc dddddddddddddddddddd ee ffff ggggg";
        for width in [1, 5, 8, 20, 60] {
            let broken = wrapped(words, width);
            assert_eq!(broken.split_whitespace().collect::<String>(), words.replace(' ', ""));
            for line in broken.lines() {
                assert!(line.chars().count() <= width, "{width}: {line:?}");
            }
        }
    }

    #[test]
    fn a_word_is_broken_only_if_no_line_holds_it() {
        let text = "  parameter    spec = {\"a\":[1,2,3,4,5],\"b\":1} and more\n";
        assert_eq!(
            wrapped(text, 30),
            "  parameter    spec =\n    {\"a\":[1,2,3,4,5],\"b\":1}\n    and more\n"
        );
        assert_eq!(
            wrapped(text, 24),
            "  parameter    spec = {\"\n    a\":[1,2,3,4,5],\"b\":1\n    } and more\n"
        );
    }

    #[test]
    fn a_word_is_not_broken_within_a_colour() {
        let plain = format!("state {} more", "m".repeat(50));
        let painted = plain.replace(&"m".repeat(50), &Tone::Good.paint(&"m".repeat(50)));
        let broken = wrapped(&painted, 20);
        assert_eq!(anstream::adapter::strip_str(&broken).to_string(), wrapped(&plain, 20));
    }
}
