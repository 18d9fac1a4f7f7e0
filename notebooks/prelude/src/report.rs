//! The parts of a report that are no tables: what differs from the paper, the graph of the stages.

use std::{io::ErrorKind, path::Path};

use crate::{
    error::Result,
    html::{Html, escape, image},
};

fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn absent(path: &Path) -> Html {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Html(format!(
        "<p class=\"absent\">{} was not written; <code>make reproduce</code> writes it.</p>",
        escape(&name)
    ))
}

/// The list in the file at `path`: a line each, the place in the code, a tab, and what differs.
pub(crate) fn differs(path: &Path) -> Result<Html> {
    let Some(text) = read(path)? else { return Ok(absent(path)) };
    let mut out = String::from(
        "<table class=\"differs\"><thead><tr><th>what differs from the paper, and why</th><th>marked in</th></tr></thead><tbody>",
    );
    for line in text.lines() {
        let (place, what) = line.split_once('\t').unwrap_or(("", line));
        let what = plain(what);
        out +=
            &format!("<tr><td>{}</td><td><code>{}</code></td></tr>", escape(&what), escape(place));
    }
    Ok(Html(out + "</tbody></table>"))
}

/// The text of a comment without the marks of documentation: escaped brackets, links, backquotes.
fn plain(comment: &str) -> String {
    comment.replace("[`", "").replace("`]", "").replace(['\\', '`'], "")
}

/// The drawing at `path` of the graph of `paper`'s stages.
pub(crate) fn graph(path: &Path, paper: &str) -> Result<Html> {
    let Some(svg) = read(path)? else { return Ok(absent(path)) };
    let alt =
        format!("The stages of {paper} and what each reads, from the data sets to the claims.");
    let image = image(&svg, &alt)?;
    Ok(Html(format!("<figure class=\"graph\">{image}<figcaption>{alt}</figcaption></figure>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_documentation_are_not_shown() {
        assert_eq!(plain(r"\[Toy2024\] has `x`, [`Toy::y`] not"), "[Toy2024] has x, Toy::y not");
    }

    #[test]
    fn a_file_not_yet_written_is_said_and_no_error() {
        let html = differs(Path::new("no/such/toy-differs.tsv")).unwrap().0;
        assert!(html.contains("toy-differs.tsv") && html.contains("make reproduce"));
        assert!(graph(Path::new("no/such/toy-dag.svg"), "toy").is_ok());
    }
}
