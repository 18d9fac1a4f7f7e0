//! Restores the publisher's bytes of files that a package keeps as some of the lines of a longer text.

/// Which lines of a text belong to a file, and what the file has in addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Lines of the text before the file's first: a header, another part.
    pub skip: usize,
    /// The number of lines of the file.
    pub take: usize,
    /// The bytes before them in the file.
    pub before: &'static str,
    /// The bytes after each of them in the file, including the line end.
    pub ending: &'static str,
    /// The bytes after the last of them in the file.
    pub after: &'static str,
}

impl Lines {
    /// The file whose lines are in `text`. Lines of `text` end in `\n` or `\r\n`.
    ///
    /// # Errors
    /// If the text has too few lines.
    pub fn of(self, text: &[u8]) -> Result<Vec<u8>, String> {
        let Self { skip, take, before, ending, after } = self;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut file = before.as_bytes().to_vec();
        let mut found = 0;
        for line in text.split(|&byte| byte == b'\n').skip(skip).take(take) {
            file.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
            file.extend_from_slice(ending.as_bytes());
            found += 1;
        }
        if found < take {
            return Err(format!("{found} lines after the first {skip}, expected {take}"));
        }
        file.extend_from_slice(after.as_bytes());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Lines = Lines { skip: 1, take: 2, before: "|x\n", ending: ".\n", after: "\n" };

    #[test]
    fn lines_get_back_what_the_publisher_has_beside_them() {
        let file = b"|x\na, 1.\nb, 2.\n\n";
        for text in ["\"k\",\"v\"\na, 1\nb, 2\nc, 3\n", "k\r\na, 1\r\nb, 2\r\n", "k\na, 1\nb, 2"] {
            assert_eq!(SECOND.of(text.as_bytes()).unwrap(), file, "{text}");
        }
        let whole = Lines { skip: 0, take: 1, before: "", ending: "\n", after: "" };
        assert_eq!(whole.of(b"a\n").unwrap(), b"a\n");
    }

    #[test]
    fn too_few_lines_are_refused() {
        for (text, found) in [("k\na\n", 1), ("k\n", 0), ("", 0)] {
            let error = SECOND.of(text.as_bytes()).unwrap_err();
            assert_eq!(error, format!("{found} lines after the first 1, expected 2"), "{text}");
        }
    }
}
