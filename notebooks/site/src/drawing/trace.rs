//! Draws traces: every step of a run is a line and a mark that know their number, so that a script can show a trace
//! up to any step. Without one the whole trace is shown.

use std::collections::BTreeMap;

use figures::{Axis, Drawing, range};
use pipeline::artifacts::Artifacts;

use crate::{
    drawing::{
        frame::Frame,
        method::{self, Method},
    },
    error::Result,
    traces::{Ground, Traces},
    words::{escape, number},
};

/// Most steps of one trace that are drawn: of longer ones every second, third and so on.
const STEPS: usize = 60;
/// Most panels of one figure.
const PANELS: usize = 6;

type Point = (f64, f64);
/// Repeat, order and point.
type Step = (f64, f64, Point);

/// The traces on one problem.
pub struct Panel {
    /// The table they come from.
    pub source: &'static Traces,
    /// The problem.
    pub problem: String,
    /// Method → points in their order.
    pub traces: BTreeMap<String, Vec<Point>>,
    /// The curve below; empty where there is none.
    pub ground: Vec<Point>,
}

/// The panels of a table; empty if it does not exist.
///
/// # Errors
/// If a column is missing.
pub fn panels(artifacts: &Artifacts, source: &'static Traces) -> Result<Vec<Panel>> {
    let Some(frame) = Frame::find(artifacts, source.stage, source.output)? else {
        return Ok(Vec::new());
    };
    let mut shown = vec![true; frame.rows()];
    for (column, value) in source.only {
        for (shown, text) in shown.iter_mut().zip(frame.text(column)?) {
            *shown &= text == *value;
        }
    }
    let (problem, method) = (frame.label(source.problem)?, frame.label(source.method)?);
    let repeat = source.repeat.map(|column| frame.number(column)).transpose()?;
    let (order, x) = (frame.number(source.order)?, frame.number(source.across.0)?);
    let y = frame.number(source.up.0)?;
    let held = |r: usize| source.across.2.holds(x[r]) && source.up.2.holds(y[r]);
    // By problem and method.
    let mut runs: BTreeMap<(&String, &String), Vec<Step>> = BTreeMap::new();
    for r in (0..frame.rows()).filter(|&r| shown[r] && held(r)) {
        let of = repeat.as_ref().map_or(0.0, |repeat| repeat[r]);
        runs.entry((&problem[r], &method[r])).or_default().push((of, order[r], (x[r], y[r])));
    }
    let mut panels: BTreeMap<&String, BTreeMap<String, Vec<Point>>> = BTreeMap::new();
    for ((problem, method), mut steps) in runs {
        let first = steps.iter().map(|step| step.0).fold(f64::INFINITY, f64::min);
        steps.retain(|step| step.0 <= first);
        steps.sort_by(|a, b| a.1.total_cmp(&b.1));
        let every = steps.len().div_ceil(STEPS).max(1);
        let points = steps.iter().step_by(every).map(|step| step.2).collect();
        panels.entry(problem).or_default().insert(method.clone(), points);
    }
    let mut grounds = match &source.ground {
        Some(ground) => grounds(artifacts, source, ground)?,
        None => BTreeMap::new(),
    };
    // A number alone would not say of what it is one.
    let titled = |problem: &String| match problem.parse::<f64>() {
        Ok(_) => format!("{} {problem}", source.problem),
        Err(_) => problem.clone(),
    };
    let panel = |(problem, traces): (&String, _)| Panel {
        source,
        problem: titled(problem),
        traces,
        ground: grounds.remove(problem).unwrap_or_default(),
    };
    Ok(panels.into_iter().take(PANELS).map(panel).collect())
}

fn grounds(
    artifacts: &Artifacts,
    source: &Traces,
    ground: &Ground,
) -> Result<BTreeMap<String, Vec<Point>>> {
    let Some(frame) = Frame::find(artifacts, ground.stage, "main")? else {
        return Ok(BTreeMap::new());
    };
    let (problem, x) = (frame.label(source.problem)?, frame.number(source.across.0)?);
    let (height, without) = (frame.number(ground.height)?, frame.number(ground.without)?);
    let mut curves: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    for r in (0..frame.rows()).filter(|&r| without[r].is_nan() && height[r].is_finite()) {
        curves.entry(problem[r].clone()).or_default().push((x[r], height[r]));
    }
    for curve in curves.values_mut() {
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Ok(curves)
}

const LEFT: f64 = 56.0;
const SIZE: (f64, f64) = (360.0, 250.0);

impl Panel {
    /// The panel as a drawing. Series are `methods` by position.
    #[must_use]
    pub fn draw(&self, methods: &[Method]) -> Option<String> {
        let points = || self.traces.values().flatten();
        let ((_, across, along), (_, up, height)) = (self.source.across, self.source.up);
        let wide = range(along, points().map(|p| p.0))?;
        // Of the ground what lies below the traces.
        let below = |p: &&Point| (wide.0..=wide.1).contains(&p.0);
        let ground: Vec<&Point> = self.ground.iter().filter(below).collect();
        let tall = range(height, points().map(|p| p.1).chain(ground.iter().map(|p| p.1)))?;
        let (bottom, right) = (SIZE.1 - 40.0, SIZE.0 - 14.0);
        let x = Axis::new(along, wide, LEFT, right);
        let y = Axis::new(height, tall, bottom, 26.0);
        let at = |p: &Point| (x.place(p.0), y.place(p.1));
        let mut drawing = Drawing::new(SIZE.0, SIZE.1);
        drawing.text("panel-title", (LEFT, 15.0), "start", &self.problem);
        drawing.frame(&x, &y, (5, 5));
        drawing.text("label", (f64::midpoint(LEFT, right), SIZE.1 - 6.0), "middle", across);
        if ground.len() > 1 {
            drawing.path("ground", &ground.iter().map(|p| at(p)).collect::<Vec<_>>());
        }
        let mut told = Vec::new();
        for (series, method) in methods.iter().enumerate() {
            let Some(trace) = self.traces.get(&method.id) else { continue };
            drawing.open(&format!("data-series=\"{series}\"")).title(&method.name);
            for (step, point) in trace.iter().enumerate() {
                drawing.open(&format!("data-step=\"{step}\""));
                if step > 0 {
                    drawing.line(&method.line(), at(&trace[step - 1]), at(point));
                }
                drawing.mark(method.look, at(point));
                drawing.close();
            }
            drawing.close();
            if let Some((_, last)) = trace.last() {
                told.push(format!("{} {}", method.name, number(*last)));
            }
        }
        let alt = format!("{}: {up} at the end: {}.", self.problem, told.join(", "));
        Some(drawing.finish(&alt, &format!("data-panel=\"{}\"", escape(&self.problem))))
    }
}

/// The methods of all panels.
#[must_use]
pub fn methods(panels: &[Panel]) -> Vec<Method> {
    method::methods(panels.iter().flat_map(|panel| panel.traces.keys()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::TRACES;

    #[test]
    fn every_step_is_a_group_of_its_own_and_the_first_has_no_line() {
        let traces = [("hoag".to_owned(), vec![(0.0, 3.0), (1.0, 2.0), (2.0, 1.0)])];
        let panel = Panel {
            source: &TRACES[0],
            problem: "digits".to_owned(),
            traces: traces.into_iter().collect(),
            ground: vec![(-9.0, 99.0), (0.0, 4.0), (2.0, 0.5)],
        };
        let svg = panel.draw(&methods(std::slice::from_ref(&panel))).unwrap();
        assert_eq!(svg.matches("data-step=").count(), 3, "{svg}");
        assert_eq!(svg.matches("class=\"line s0\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("class=\"ground\"").count(), 1, "{svg}");
        assert!(svg.contains("outer loss at the end: hoag 1."), "{svg}");
    }
}
