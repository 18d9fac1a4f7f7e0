//! Wraps lines between words at the width of a terminal.

use super::paint::shown;

/// The additional indentation of continuation lines.
const HANG: usize = 2;

/// `text` with no line longer than `width` characters where words allow it: continuation lines are indented a little
/// further than their line.
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
            if at + long > width && !word.trim().is_empty() && at > hang.len() {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out += &hang;
                at = hang.len();
            }
            out += word;
            at += shown(word);
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn no_word_is_lost_and_no_line_is_longer_than_its_words_force() {
        let words = "a bb ccc dddddddddddddddddddd ee ffff ggggg";
        for width in [1, 5, 8, 20, 60] {
            let broken = wrapped(words, width);
            assert_eq!(
                broken.split_whitespace().collect::<Vec<_>>(),
                words.split(' ').collect::<Vec<_>>()
            );
            for line in broken.lines() {
                let alone = line.split_whitespace().count() == 1;
                assert!(line.chars().count() <= width || alone, "{width}: {line:?}");
            }
        }
    }
}
