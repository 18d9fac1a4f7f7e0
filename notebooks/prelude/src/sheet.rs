//! A small table that is built in a cell, with the artifacts on which it is based.

use crate::{
    html::{Html, escape, provenance},
    missing::Missing,
    table::Table,
};

/// A table under construction, row by row.
pub struct Sheet {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    sources: Vec<(String, String)>,
    missing: Missing,
}

impl Sheet {
    /// An empty table with these columns.
    #[must_use]
    pub fn new(head: &[&str]) -> Self {
        let head = head.iter().map(|&h| h.to_owned()).collect();
        Self { head, rows: Vec::new(), sources: Vec::new(), missing: Missing::default() }
    }

    /// Adds a row. A cell that is a number, or numbers between slashes, is right-aligned.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Names a table from which rows were built. Of many tables only the first is named, with the number of
    /// the others. For an absent table the reason is shown.
    pub fn from(&mut self, table: &Table) {
        if !self.missing.add(&table.stage, table) {
            self.named(&table.stage, &table.key);
        }
    }

    /// The same, by stage and key.
    pub(crate) fn named(&mut self, stage: &str, key: &str) {
        self.sources.push((stage.to_owned(), key.to_owned()));
    }

    /// The finished table.
    #[must_use]
    pub fn show(&self) -> Html {
        if let Some(notice) = self.missing.instead().filter(|_| self.rows.is_empty()) {
            return notice;
        }
        let mut out = String::from("<table><thead><tr>");
        for head in &self.head {
            out += &format!("<th>{}</th>", escape(head));
        }
        out += "</tr></thead><tbody>";
        for row in &self.rows {
            out += "<tr>";
            for cell in row {
                let class = if numeric(cell) { " class=\"n\"" } else { "" };
                out += &format!("<td{class}>{}</td>", escape(cell));
            }
            out += "</tr>";
        }
        out += "</tbody></table>";
        for (stage, key) in self.sources.iter().take(3) {
            out += &provenance(stage, key);
        }
        if self.sources.len() > 3 {
            let more = self.sources.len() - 3;
            out += &format!("<small class=\"key\">and {more} more</small>");
        }
        self.missing.below().iter().fold(Html(out), Html::then)
    }
}

fn numeric(cell: &str) -> bool {
    let number = |part: &str| part.trim() == "–" || part.trim().parse::<f64>().is_ok();
    !cell.is_empty() && cell.split('/').all(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_markup_stays_text() {
        let mut sheet = Sheet::new(&["task", "n"]);
        sheet.row(vec!["a<b".into(), "1 / 2 / 0".into()]);
        let html = sheet.show().0;
        assert!(html.contains("<td>a&lt;b</td><td class=\"n\">1 / 2 / 0</td>"), "{html}");
    }
}
