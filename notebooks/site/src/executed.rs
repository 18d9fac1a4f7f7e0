//! The executed notebook of a paper as a part of the paper's page: its tables and figures, each with its data and its
//! drawings to take away. `scripts/notebook.py` writes the notebook's own page, `ID.html`, from which it is taken.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use pipeline::artifacts::Artifacts;

use crate::{
    downloads::{self, code::Code, drawing, offered::File},
    error::Result,
};

/// What precedes the name of the artifact under a table or a figure, and what follows.
const NAMED: [&str; 3] = ["<small class=\"key\">artifact ", " · key ", "</code>"];

/// The content of the page of notebook `id` in the folder `report`, for the page of its paper; nothing where it was not
/// executed. `rules` are those of drawings.
///
/// # Errors
/// When a table cannot be read.
pub fn section(
    (tables, report): (&Artifacts, &Path),
    id: &str,
    code: &Code,
    rules: &str,
    files: &mut Vec<File>,
) -> Result<Option<String>> {
    let Ok(page) = fs::read_to_string(report.join(format!("{id}.html"))) else { return Ok(None) };
    let Some(body) = content(&page) else { return Ok(None) };
    let mut offered = BTreeMap::new();
    for (stage, output) in named(body) {
        let mut links = downloads::table(tables, (stage, output), files)?;
        links.extend(code.link(stage, files));
        offered.insert((stage, output), links.into_iter().map(|one| one.href).collect());
    }
    let drawings = drawings(body, id, rules, files);
    Ok(Some(within_page(&with_links(body, &offered, &drawings))))
}

/// What a page shows.
fn content(page: &str) -> Option<&str> {
    let (_, from_attributes) = page.split_once("<main")?;
    Some(from_attributes.split_once('>')?.1.rsplit_once("</main>")?.0)
}

/// The stage and output in `artifact STAGE (OUTPUT)`.
fn artifact(told: &str) -> (&str, &str) {
    told.strip_suffix(')').and_then(|told| told.split_once(" (")).unwrap_or((told, "main"))
}

/// The artifacts that are named under tables and figures.
fn named(body: &str) -> impl Iterator<Item = (&str, &str)> {
    body.split(NAMED[0]).skip(1).filter_map(|text| Some(artifact(text.split_once(NAMED[1])?.0)))
}

/// Writes each drawing of a figure; for each, where it begins and its file. What stands in a legend has no name and is none.
fn drawings(body: &str, id: &str, rules: &str, files: &mut Vec<File>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in body.match_indices("<svg aria-label=") {
        let Some(length) = body[at..].find("</svg>") else { continue };
        let svg = &body[at..at + length + "</svg>".len()];
        let name = format!("notebook-{id}-{}.svg", found.len() + 1);
        found.push((at, drawing(&name, svg, rules, files).href));
    }
    found
}

/// The content with links to the files after the name of each artifact: those of its table, its code, and the drawings
/// since the name before.
fn with_links(
    body: &str,
    offered: &BTreeMap<(&str, &str), Vec<String>>,
    drawings: &[(usize, String)],
) -> String {
    let (mut text, mut done) = (String::with_capacity(2 * body.len()), 0);
    for (at, _) in body.match_indices(NAMED[0]) {
        let told = &body[at + NAMED[0].len()..];
        let Some(name) = told.split_once(NAMED[1]).map(|(name, _)| artifact(name)) else {
            continue;
        };
        let Some(end) = body[at..].find(NAMED[2]).map(|end| at + end + NAMED[2].len()) else {
            continue;
        };
        text += &body[done..end];
        let drawn = drawings.iter().filter(|(begin, _)| (done..end).contains(begin));
        let drawn = drawn.map(|(_, href)| href);
        for href in offered.get(&name).into_iter().flatten().chain(drawn) {
            let kind = href.rsplit('.').next().unwrap_or_default();
            // Code is for reading.
            let _ = if kind == "txt" {
                write!(text, " · <a href=\"{href}\">code</a>")
            } else {
                write!(text, " · <a href=\"{href}\" download>{}</a>", kind.to_uppercase())
            };
        }
        done = end;
    }
    text + &body[done..]
}

/// The content as a part of another page: headings one level lower, and ids that nothing else there has.
fn within_page(body: &str) -> String {
    let mut text =
        body.replace(" id=\"", " id=\"notebook-").replace(" href=\"#", " href=\"#notebook-");
    for level in (1..=4).rev() {
        let lower = level + 1;
        for (old, new) in [
            (format!("<h{level} "), format!("<h{lower} ")),
            (format!("<h{level}>"), format!("<h{lower}>")),
            (format!("</h{level}>"), format!("</h{lower}>")),
        ] {
            text = text.replace(&old, &new);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "<h1 id=\"A\">A<a href=\"#A\">¶</a></h1><h2>B</h2><svg aria-hidden=\"true\"></svg>\
        <svg aria-label=\"x\"><path/></svg><small class=\"key\">artifact a/b (top) · key <code title=\"k\">k</code></small>\
        <small class=\"key\">artifact c · key <code title=\"k\">k</code></small>";

    #[test]
    fn the_content_is_what_stands_in_main() {
        let with_id = "<body><main id=\"content\">x<i>y</i></main></body>";
        assert_eq!(content(with_id), Some("x<i>y</i>"));
        assert_eq!(content("<body><main>x<i>y</i></main></body>"), Some("x<i>y</i>"));
        assert_eq!(content("<body></body>"), None);
    }

    #[test]
    fn artifacts_are_named_with_their_outputs() {
        assert_eq!(named(BODY).collect::<Vec<_>>(), [("a/b", "top"), ("c", "main")]);
    }

    #[test]
    fn links_to_tables_and_drawings_follow_the_artifact_that_they_are_of() {
        let mut files = Vec::new();
        let drawn = drawings(BODY, "toy", "", &mut files);
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].0, "data/notebook-toy-1.svg");
        let offered = BTreeMap::from([(
            ("c", "main"),
            vec!["data/c.csv".to_owned(), "data/code-c.txt".to_owned()],
        )]);
        let text = with_links(BODY, &offered, &drawn);
        let first = "k</code> · <a href=\"data/notebook-toy-1.svg\" download>SVG</a></small>";
        let second = "k</code> · <a href=\"data/c.csv\" download>CSV</a> · <a href=\"data/code-c.txt\">code</a></small>";
        assert!(text.contains(&format!("{first}<small")), "{text}");
        assert!(text.ends_with(second), "{text}");
    }

    #[test]
    fn headings_and_ids_make_room_for_those_of_the_page() {
        let text = within_page(BODY);
        assert!(
            text.starts_with("<h2 id=\"notebook-A\">A<a href=\"#notebook-A\">¶</a></h2><h3>B</h3>")
        );
    }
}
