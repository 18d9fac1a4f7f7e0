//! The table of what differs from a paper, so that a reader opens it like any other result: the stage
//! `ID/differs`. The notes are its parameters: it is recomputed if the text of a note changes, and not if
//! lines move.

use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{port::Out, row::Row};

/// A comment with the mark of what differs, from the mark on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Note {
    /// Its file, relative to the root of the checkout.
    pub place: String,
    /// Its text after the mark.
    pub text: String,
}

/// A note as shown to a reader.
#[derive(Row)]
pub struct Difference {
    /// file that is marked
    place: String,
    /// what differs from the paper, and why
    text: String,
}

/// Writes the notes as a table.
#[derive(Serialize, Deserialize)]
pub struct Differs {
    /// The notes in the order of the table.
    pub notes: Vec<Note>,
}

impl Differs {
    /// The notes.
    pub const MAIN: Out<Difference> = Out::table("main");
}

impl Stage for Differs {
    const KIND: &'static str = "papers/differs";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let row = |note: &Note| Difference { place: note.place.clone(), text: plain(&note.text) };
        let rows: Vec<Difference> = self.notes.iter().map(row).collect();
        Self::MAIN.write(cx, &rows)
    }
}

/// The text of a comment without the marks of documentation: escaped brackets, links, backquotes.
fn plain(comment: &str) -> String {
    comment.replace("[`", "").replace("`]", "").replace(['\\', '`'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_documentation_are_not_shown() {
        assert_eq!(plain(r"\[Toy2024\] has `x`, [`Toy::y`] not"), "[Toy2024] has x, Toy::y not");
    }
}
