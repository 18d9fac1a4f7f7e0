//! Groups the points of a figure by panel and series, and builds the figure from its panels.

use figures::{panels::Panel, style};

use crate::{
    charts::figure::{draw, show, shows},
    error::Result,
    html::Html,
    table::Table,
};

/// The columns that split a table into panels and series.
#[derive(Debug, Clone, Default)]
pub(crate) struct Split {
    pub by: Option<String>,
    pub panels: Option<String>,
    pub across: usize,
}

/// The rows of one series of one panel.
pub(crate) struct Part {
    pub series: String,
    pub position: usize,
    pub rows: Vec<usize>,
}

impl Split {
    fn values(column: Option<&str>, table: &Table) -> Result<Vec<String>> {
        column.map_or_else(|| Ok(vec![String::new()]), |column| table.values(column))
    }

    /// The series in the order of legends.
    pub(crate) fn series(&self, table: &Table) -> Result<Vec<String>> {
        let mut series = Self::values(self.by.as_deref(), table)?;
        series.sort_by_key(|name| style::rank(name));
        Ok(series)
    }

    /// The panels by name, each with its series. A series without a row in the panel is left out.
    pub(crate) fn panels(&self, table: &Table) -> Result<Vec<(String, Vec<Part>)>> {
        let text = |column: &Option<String>| {
            column.as_deref().map(|column| table.column::<String>(column)).transpose()
        };
        let (panel, by) = (text(&self.panels)?, text(&self.by)?);
        let series = self.series(table)?;
        let mut panels = Vec::new();
        for name in Self::values(self.panels.as_deref(), table)? {
            let here: Vec<usize> =
                (0..table.rows()).filter(|&r| panel.is_none_or(|p| p[r] == name)).collect();
            let part = |(position, one): (usize, &String)| Part {
                series: one.clone(),
                position,
                rows: here.iter().copied().filter(|&r| by.is_none_or(|b| b[r] == *one)).collect(),
            };
            let parts = series.iter().enumerate().map(part).filter(|p| !p.rows.is_empty());
            panels.push((name, parts.collect()));
        }
        Ok(panels)
    }

    /// The finished figure from its panels.
    pub(crate) fn finish(
        &self,
        table: &Table,
        mut panels: Vec<Panel>,
        title: &str,
        alt: &str,
    ) -> Result<Html> {
        panels.retain(|panel| shows(&panel.layers));
        if panels.is_empty() {
            return table.nothing(title, || format!("{} has no numbers for it", table.stage));
        }
        let series = if self.by.is_some() { self.series(table)? } else { Vec::new() };
        for panel in &mut panels {
            panel.title = style::label(&panel.title);
        }
        let across = self.across.clamp(1, panels.len());
        let image = draw(across, panels, &series, (title, alt))?;
        show(&[image], title, alt, &[(&table.stage, &table.key)])
    }
}
