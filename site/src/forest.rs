//! Forest plots: our value with its 95% interval, and the paper's value where it is of the same
//! kind, a row a place, on one axis.

use crate::{
    claims::Finding,
    plot::{Axis, Drawing, Scale, range},
    words::{interval, number},
};

/// One row.
pub struct Row {
    /// What is measured.
    pub label: String,
    /// Ours: value, lower and upper end of the interval.
    pub ours: [f64; 3],
    /// The paper's value.
    pub paper: Option<f64>,
    /// Style class of the verdict or finding.
    pub class: &'static str,
}

impl Row {
    /// The row of a finding that has a value.
    #[must_use]
    pub fn of(finding: &Finding) -> Option<Self> {
        let class = match finding.holds.as_str() {
            "yes" => "yes",
            "no" => "no",
            _ => "unsure",
        };
        finding.value.is_finite().then(|| Self {
            label: finding.place.clone(),
            ours: [finding.value, finding.low, finding.high],
            paper: finding.published(),
            class,
        })
    }
}

const LABEL: f64 = 250.0;
const WIDTH: f64 = 740.0;
/// Where the axis ends and the numbers begin.
const END: f64 = 560.0;
const ROW: f64 = 22.0;

/// Draws the rows; none where no value is a number.
#[must_use]
pub fn draw(rows: &[Row], title: &str) -> Option<String> {
    let values = || {
        let all = rows.iter().flat_map(|row| row.ours.into_iter().chain(row.paper));
        all.filter(|value| value.is_finite())
    };
    let (low, high) = range(Scale::Linear, values())?;
    // Values of several magnitudes would lie on one another.
    let scale = if low > 0.0 && high / low > 50.0 { Scale::Log } else { Scale::Linear };
    #[expect(clippy::cast_precision_loss, reason = "a handful of rows")]
    let bottom = 10.0 + rows.len() as f64 * ROW;
    let axis = Axis::new(scale, (low, high), LABEL, END);
    let mut drawing = Drawing::new(WIDTH, bottom + 26.0);
    for (value, label) in axis.ticks(5) {
        let x = axis.place(value);
        drawing.line("grid", (x, 4.0), (x, bottom));
        drawing.text("tick", (x, bottom + 15.0), "middle", &label);
    }
    drawing.line("axis", (LABEL, bottom), (END, bottom));
    let mut told = Vec::new();
    let mut y = 10.0 + ROW / 2.0;
    for row in rows {
        let [value, from, to] = row.ours;
        drawing.text("row", (LABEL - 10.0, y + 4.0), "end", &clipped(&row.label));
        drawing.open(&format!("class=\"ours {}\"", row.class));
        drawing.title(&row.label);
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
        if let Some(paper) = row.paper {
            let x = axis.place(paper);
            let diamond = [(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)];
            drawing.area("paper", &diamond);
        }
        let ours = interval(value, from, to);
        drawing.text("value", (END + 10.0, y + 4.0), "start", &ours);
        let paper = row.paper.map(|p| format!(", the paper {}", number(p))).unwrap_or_default();
        told.push(format!("{} {ours}{paper}", row.label));
        y += ROW;
    }
    Some(drawing.finish(&format!("{title}: {}.", told.join("; ")), "class=\"forest\""))
}

/// A label that fits before the axis; all of it is in the table and in the title of its row.
fn clipped(label: &str) -> String {
    const ROOM: usize = 36;
    if label.chars().count() <= ROOM {
        return label.to_owned();
    }
    label.chars().take(ROOM - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64, paper: Option<f64>) -> Row {
        Row { label: "a place".to_owned(), ours: [value, value, value], paper, class: "yes" }
    }

    #[test]
    fn values_of_several_magnitudes_get_a_logarithmic_axis() {
        let wide = draw(&[row(0.001, None), row(100.0, Some(10.0))], "t").unwrap();
        assert!(wide.contains(">0.01<") && wide.contains(">1<"), "{wide}");
        let narrow = draw(&[row(0.0, None), row(100.0, None)], "t").unwrap();
        assert!(narrow.contains(">0<") && narrow.contains(">50<"), "{narrow}");
        assert!(draw(&[], "t").is_none());
    }

    #[test]
    fn the_alternative_text_tells_both_values() {
        let svg = draw(&[row(0.5, Some(0.3))], "held-out error").unwrap();
        assert!(
            svg.contains(r#"aria-label="held-out error: a place 0.5, the paper 0.3.""#),
            "{svg}"
        );
    }
}
