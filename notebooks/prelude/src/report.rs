//! The parts of a report that are not tables: what differs from the paper, and the graph of the stages.

use std::{io::ErrorKind, path::Path};

use crate::{
    error::Result,
    html::{Html, escape, image, provenance},
    table::Table,
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

/// The notes of `table`: what differs, and the file that is marked.
pub(crate) fn differs(table: &Table) -> Result<Html> {
    let (places, texts) = (table.column::<String>("place")?, table.column::<String>("text")?);
    let mut out = String::from(
        "<table class=\"differs\"><thead><tr><th>what differs from the paper, and why</th><th>marked in</th></tr></thead><tbody>",
    );
    for (place, what) in places.iter().zip(texts) {
        out +=
            &format!("<tr><td>{}</td><td><code>{}</code></td></tr>", escape(what), escape(place));
    }
    Ok(Html(out + "</tbody></table>" + &provenance(&table.stage, &table.key)))
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
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};

    use super::*;

    #[test]
    fn each_note_has_its_place_and_markup_stays_text() {
        let column = |text: &str| Arc::new(StringArray::from(vec![text.to_owned()])) as ArrayRef;
        let columns = [("place", column("toy.rs")), ("text", column("a <b> more"))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let table = Table::from_batch(&batch, "toy/differs", "main", "ab").unwrap();
        let html = differs(&table).unwrap().0;
        assert!(html.contains("<td>a &lt;b&gt; more</td><td><code>toy.rs</code></td>"), "{html}");
        assert!(html.contains("artifact toy/differs"), "{html}");
    }

    #[test]
    fn a_graph_not_yet_drawn_is_said_and_no_error() {
        let html = graph(Path::new("no/such/toy-dag.svg"), "toy").unwrap().0;
        assert!(html.contains("toy-dag.svg") && html.contains("make reproduce"), "{html}");
    }
}
