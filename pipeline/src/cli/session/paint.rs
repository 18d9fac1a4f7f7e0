//! Colours of words on a terminal. Whoever writes words paints them; what prints them takes the colours away where
//! nobody sees them: on no terminal, on one that has none, and where `NO_COLOR` is set.

use clap::builder::styling::{AnsiColor, Style};

/// What a word says, whatever colour a terminal gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be: green.
    Good,
    /// As it should not be: red.
    Bad,
    /// Not decided, or not done yet: yellow.
    Open,
    /// A hint or under way: cyan.
    Hint,
    /// Nothing to look at: faint.
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

/// How many characters of `text` a terminal shows: escape sequences of colours take no place.
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
