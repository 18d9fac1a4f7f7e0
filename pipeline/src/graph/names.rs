//! The rules for names of stages.

use crate::error::{Error, Result};

/// Names of stages become labels, paths of pages and lines on a terminal, and parts of them are keys of config
/// tables, which anybody may have written.
pub(super) fn check(name: &str) -> Result<()> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "/=._-@+,:%()".contains(c);
    match name.chars().find(|&c| !fine(c)) {
        None if !name.is_empty() && name.len() <= LONGEST_NAME => Ok(()),
        None => Err(Error::usage(format!(
            "the name of a stage has {} bytes, and may have 1 to {LONGEST_NAME}",
            name.len()
        ))),
        Some(wrong) => {
            let start: String = name.chars().take(80).collect();
            Err(Error::usage(format!("the name of stage {start:?} has {wrong:?} in it")).help(
                "names of stages, and so the keys of config tables, take letters, digits and / = . _ - @ + , : % ( )",
            ))
        }
    }
}

/// The length of the longest allowed name of a stage, in bytes.
const LONGEST_NAME: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_letters_digits_and_a_few_signs() {
        for name in ["a", "hoag/news20/hoag-exp@paper-half-L/split=3", "x/y(1+2):3,4%"] {
            assert!(check(name).is_ok(), "{name}");
        }
        for name in ["", "a b", "a\n", "<b>", "a\"", "a&b", "é", "a\u{1b}[2J", &"a".repeat(401)] {
            assert!(check(name).is_err(), "{name:?}");
        }
        let long = format!("{}\n", "x".repeat(1 << 20));
        assert!(check(&long).unwrap_err().to_string().len() < 200, "it is not echoed whole");
    }
}
