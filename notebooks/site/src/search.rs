//! What the search of the first page finds: claims, figures and stages. It is a script of data, since a page
//! that was opened from a file may not fetch one.

use serde_json::json;

use crate::{figures::Figure, front_page::Card, pages::Graph};

/// The text of `search.js`: a list of kind, words and place.
pub fn script(cards: &[Card], figures: &[Figure], graphs: &[Graph]) -> String {
    let claims = cards.iter().flat_map(|card| {
        card.claims.iter().map(|claim| {
            let words = format!("{} {}: {} ({})", card.name, claim.id, claim.statement, claim.item);
            ("claim", words, claim.href.clone())
        })
    });
    let figures =
        figures.iter().map(|of| ("figure", of.title.clone(), format!("figures.html#{}", of.id)));
    let stages = graphs.iter().flat_map(|graph| {
        graph.rows.iter().map(|row| {
            let words = format!("{} (× {})", row.name, row.stages);
            ("stage", words, format!("stages.html#{}", graph.paper))
        })
    });
    let entries: Vec<_> =
        claims.chain(figures).chain(stages).map(|e| json!([e.0, e.1, e.2])).collect();
    format!("\"use strict\";\nwindow.searched = {};\n", json!(entries))
}
