//! Colours of words on a terminal. The code that writes words paints them; the code that prints them removes the
//! colours where they cannot be seen: if the output is not a terminal, if the terminal has none, and if `NO_COLOR` is
//! set.

use clap::builder::styling::{AnsiColor, Style};

/// The meaning of a word, whatever colour a terminal gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be: green.
    Good,
    /// As it should not be: red.
    Bad,
    /// Not decided, or not done yet: yellow.
    Open,
    /// A hint, or in progress: cyan.
    Hint,
    /// Not important: faint.
    Faint,
    /// A heading: bold.
    Head,
}

impl Tone {
    /// `text` in this tone, whatever it is shown on.
    #[must_use]
    pub fn paint(self, text: &str) -> String {
        let style = match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Open => AnsiColor::Yellow.on_default(),
            Self::Hint => AnsiColor::Cyan.on_default(),
            Self::Faint => Style::new().dimmed(),
            Self::Head => Style::new().bold(),
        };
        format!("{style}{text}{style:#}")
    }

    /// The tone of a stage's state, by its name in listings.
    pub(in crate::cli) fn of_state(state: &str) -> Self {
        match state.trim_end() {
            "fresh" => Self::Good,
            "stale" => Self::Open,
            "running" => Self::Hint,
            "failed" | "blocked" => Self::Bad,
            _ => Self::Faint,
        }
    }
}

/// How many characters of `text` a terminal shows: escape sequences of colours take no space.
pub(super) fn shown(text: &str) -> usize {
    let mut count = 0;
    let mut escaped = false;
    for c in text.chars() {
        match c {
            '\x1b' => escaped = true,
            'm' if escaped => escaped = false,
            _ if !escaped => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_place() {
        for tone in [Tone::Good, Tone::Bad, Tone::Open, Tone::Hint, Tone::Faint, Tone::Head] {
            let painted = tone.paint("mmm → words");
            assert_ne!(painted, "mmm → words");
            assert_eq!(shown(&painted), 11, "{painted:?}");
            assert_eq!(anstream::adapter::strip_str(&painted).to_string(), "mmm → words");
        }
    }
}
