//! Forest plots: our value with its 95% interval, and the paper's value if it is of the same quantity, one
//! row per place, on one axis.

use std::collections::BTreeSet;

use figures::{Axis, Drawing, Scale, range};

use crate::{
    published::{Kind, Measure, Published},
    verdicts::claims::{Claim, Finding},
    verdicts::wording,
    words::interval,
};

/// One row.
pub struct Row {
    /// The measured quantity.
    pub label: String,
    /// Ours: value, lower and upper end of the interval.
    pub ours: [f64; 3],
    /// What ours is of, where only its text says that.
    pub what: String,
    /// The paper's value.
    pub paper: Option<Published>,
    /// Style class of the verdict or finding.
    pub class: &'static str,
    /// Whether ours is a reduced-scale value.
    pub scaled_down: bool,
}

impl Row {
    /// The row of a finding of `claim` that has a value.
    #[must_use]
    pub fn of(claim: &Claim, finding: &Finding) -> Option<Self> {
        finding.value.is_finite().then(|| Self {
            label: finding.place.clone(),
            ours: [finding.value, finding.low, finding.high],
            what: wording::quantity(&finding.text, finding.value),
            paper: finding.published.clone(),
            class: finding.class(&claim.scaled_down),
            scaled_down: claim.scaled_down,
        })
    }
}

/// Rows that share an axis.
pub struct Quantity {
    /// What they measure; `None` if no number of the paper says it.
    pub measure: Option<Measure>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// The same claim as another run found it.
#[derive(Clone, Copy)]
pub struct Other<'a> {
    /// Which run, for people.
    pub run: &'a str,
    /// What it found.
    pub claim: &'a Claim,
}

impl Other<'_> {
    /// What it found in a place, as a row below ours.
    fn row(self, place: &str) -> Option<Row> {
        let finding = self.claim.findings.iter().find(|finding| finding.place == place)?;
        Some(Row { label: self.run.to_owned(), ..Row::of(self.claim, finding)? })
    }
}

/// The rows of one claim, by what they measure, in order of first appearance, each with what another run found in the
/// same place: which way the number goes as sizes grow. If all the paper's numbers are of one quantity, rows without a
/// number belong to it too.
#[must_use]
pub fn of_claim(claim: &Claim, other: Option<Other<'_>>) -> Vec<Quantity> {
    let rows = claim.findings.iter().flat_map(|finding| {
        let own = Row::of(claim, finding);
        // Where both found the same, such as in a part of the same size, one row says it.
        let beside = own.as_ref().and_then(|own| {
            let beside = Row { what: own.what.clone(), ..other?.row(&finding.place)? };
            (beside.ours.map(f64::to_bits) != own.ours.map(f64::to_bits)).then_some(beside)
        });
        own.into_iter().chain(beside)
    });
    let mut rows: Vec<Row> = rows.collect();
    let named = rows.iter().filter(|row| row.paper.is_none()).map(|row| &row.what);
    // Texts that all differ describe their places.
    if named.collect::<BTreeSet<_>>().len() > QUANTITIES {
        rows.iter_mut().for_each(|row| row.what.clear());
    }
    let mut quantities = grouped(rows.into_iter());
    let known = quantities.iter().filter(|quantity| quantity.measure.is_some()).count();
    if let (1, 2) = (known, quantities.len()) {
        let measure = quantities.iter().find_map(|quantity| quantity.measure.clone());
        let rows = quantities.into_iter().flat_map(|quantity| quantity.rows).collect();
        quantities = vec![Quantity { measure, rows }];
    }
    quantities
}

/// Quantities that texts alone tell apart, at most.
const QUANTITIES: usize = 3;

/// Rows by what they measure, in order of first appearance.
pub fn grouped(rows: impl Iterator<Item = Row>) -> Vec<Quantity> {
    let mut quantities: Vec<Quantity> = Vec::new();
    for row in rows {
        let measure = row.paper.as_ref().map(|paper| paper.measure.clone());
        let alike = |quantity: &&mut Quantity| {
            let what = quantity.rows.first().map(|first| &first.what);
            quantity.measure == measure && (measure.is_some() || what == Some(&row.what))
        };
        match quantities.iter_mut().find(alike) {
            Some(quantity) => quantity.rows.push(row),
            None => quantities.push(Quantity { measure, rows: vec![row] }),
        }
    }
    quantities
}

/// The width, for which a phone has room.
const WIDTH: f64 = 480.0;
/// The positions at which the axis begins, and at which it ends and the numbers begin: three of them with four digits
/// and signs fit beside it.
const START: f64 = 8.0;
const END: f64 = 245.0;
/// What rounding comes to, relative to values of about 1.
const TINY: f64 = 1e-9;
/// The height of a row: its label above its interval.
const ROW: f64 = 36.0;
/// The height of the label.
const LABEL: f64 = 16.0;
/// The height of what is said of the axis.
const HEAD: f64 = 22.0;

impl Quantity {
    fn kind(&self) -> Kind {
        self.measure.as_ref().map_or(Kind::Level, |measure| measure.kind)
    }

    /// The smallest and largest of all values; `None` if none is a number.
    fn range(&self) -> Option<(f64, f64)> {
        let papers = self.rows.iter().filter_map(|row| Some(row.paper.as_ref()?.value));
        let all = self.rows.iter().flat_map(|row| row.ours).chain(papers);
        range(Scale::Linear, all.chain(self.kind().neutral()))
    }

    /// Whether all values are next to 0.
    fn tiny(&self) -> bool {
        self.range().is_some_and(|(low, high)| low.abs().max(high.abs()) <= TINY)
    }

    /// The axis over all values.
    fn axis(&self) -> Option<Axis> {
        let (low, high) = self.range()?;
        // Rounding errors are not differences to be shown, unless nothing else is there: then 0 is beside them.
        let (low, high) = match (self.tiny(), high - low <= TINY * high.abs().max(1.0)) {
            (true, _) => (low.min(0.0), high.max(0.0)),
            (_, true) => (low, low),
            _ => (low, high),
        };
        // On a linear axis values of several magnitudes would coincide; here halves and doubles have the same
        // distance.
        let spread = low > 0.0 && (high / low > 50.0 || self.kind() == Kind::Ratio);
        let scale = if spread { Scale::Log } else { Scale::Linear };
        Some(Axis::new(scale, (low, high), START + 6.0, END - 6.0))
    }

    /// Draws the rows; `None` if no value is a number.
    #[must_use]
    pub fn draw(&self, title: &str) -> Option<String> {
        let axis = self.axis()?;
        let bottom = HEAD + self.rows.len() as f64 * ROW;
        let mut drawing = Drawing::new(WIDTH, bottom + 26.0);
        if let Some(measure) = &self.measure {
            drawing.text("measure", (START, 13.0), "start", &measure.told());
        }
        // Numbers with exponents are long.
        for (value, label) in axis.ticks(if self.tiny() { 2 } else { 5 }) {
            let x = axis.place(value);
            drawing.line("grid", (x, HEAD - 4.0), (x, bottom));
            drawing.text("tick", (x, bottom + 15.0), "middle", &label);
        }
        drawing.line("axis", (START, bottom), (END, bottom));
        if let Some(alike) = self.kind().neutral() {
            let x = axis.place(alike);
            drawing.line("alike", (x, HEAD - 4.0), (x, bottom));
        }
        let mut told = Vec::new();
        let mut y = HEAD + f64::midpoint(LABEL, ROW);
        for row in &self.rows {
            told.push(row.draw(&mut drawing, &axis, y));
            y += ROW;
        }
        let measure = self.measure.as_ref().map(Measure::told);
        let measure = measure.map_or_else(String::new, |told| format!(", {told}"));
        let alt = format!("{title}{measure}: {}.", told.join("; "));
        Some(drawing.finish(&alt, "class=\"forest\""))
    }
}

impl Row {
    /// Draws it at height `y` and describes it in words.
    fn draw(&self, drawing: &mut Drawing, axis: &Axis, y: f64) -> String {
        let [value, from, to] = self.ours;
        drawing.text("row", (START, y - 9.0), "start", &clipped(&self.label));
        let scaled = if self.scaled_down { " scaled" } else { "" };
        drawing.open(&format!("class=\"ours {}{scaled}\"", self.class));
        drawing.title(&self.label);
        if from.is_finite() && to.is_finite() {
            drawing.line("interval", (axis.place(from), y), (axis.place(to), y));
            for end in [from, to] {
                let x = axis.place(end);
                drawing.line("interval", (x, y - 4.0), (x, y + 4.0));
            }
        }
        let x = axis.place(value);
        let corners =
            [(x - 4.0, y - 4.0), (x + 4.0, y - 4.0), (x + 4.0, y + 4.0), (x - 4.0, y + 4.0)];
        drawing.area("value", &corners);
        drawing.close();
        if let Some(paper) = &self.paper {
            let x = axis.place(paper.value);
            let shape = [(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)];
            // A bound points to the possible values.
            let shape = if paper.at_least { &shape[..3] } else { &shape[..] };
            drawing.area("paper", shape);
        }
        let ours = interval(value, from, to);
        drawing.text("value", (END + 10.0, y + 4.0), "start", &ours);
        let scaled = if self.scaled_down { " (scaled down)" } else { "" };
        let paper = self.paper.as_ref().map(|paper| format!(", the paper {}", paper.told()));
        format!("{} {ours}{scaled}{}", self.label, paper.unwrap_or_default())
    }
}

/// A label that fits above its interval; the full text is in the table and in the title of its row.
fn clipped(label: &str) -> String {
    const ROOM: usize = 64;
    if label.chars().count() <= ROOM {
        return label.to_owned();
    }
    label.chars().take(ROOM - 1).chain(['…']).collect()
}

#[cfg(test)]
#[path = "forest_tests.rs"]
mod tests;
