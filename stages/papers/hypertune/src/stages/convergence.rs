//! Figures 2 to 5: the best validation error so far of HyperTune and of GP-EI; and the area between
//! the two.

use kit::table::Columns;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{anytime::Curve, better::Better};

use crate::{
    runs::{EI, HYPERTUNE, Methods, Place, Runs},
    trials::{Entry, Trials},
};

/// Reads the gathered runs.
#[derive(Serialize, Deserialize)]
pub struct Convergence {
    /// Points of each curve.
    pub points: usize,
}

/// What progress is measured by.
#[derive(Clone, Copy)]
enum Axis {
    /// Work, as a share of all that HyperTune spent in the repeat; its subset searches count.
    Work,
    /// Evaluations on the whole training part, as a share of HyperTune's.
    Evaluations,
}

const AXES: [(&str, Axis); 2] = [("work", Axis::Work), ("evaluations", Axis::Evaluations)];

struct Row<'a> {
    place: &'a Place,
    axis: &'static str,
    method: &'a str,
    repeat: u32,
    at: f64,
    error: f64,
}

/// The area between GP-EI and a method in one repeat.
struct Area<'a> {
    place: &'a Place,
    axis: &'static str,
    method: &'a str,
    repeat: u32,
    area: f64,
    ahead: f64,
}

impl Stage for Convergence {
    const KIND: &'static str = "hypertune/convergence";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::table("areas")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::read(cx, "runs")?;
        let grid: Vec<f64> =
            (0..self.points).map(|i| i as f64 / (self.points - 1) as f64).collect();
        let (mut rows, mut areas) = (Vec::new(), Vec::new());
        for (place, methods) in &runs.0 {
            for (name, axis) in AXES {
                // Other settings of HyperTune spend other amounts of work.
                let shown = |method: &str| match axis {
                    Axis::Work => method == HYPERTUNE || method == EI,
                    Axis::Evaluations => method.starts_with(HYPERTUNE) || method == EI,
                };
                for method in methods.keys().filter(|m| shown(m)) {
                    let curves = curves(methods, method, axis);
                    for (repeat, curve) in &curves {
                        let (axis, repeat) = (name, *repeat);
                        let reached = grid.iter().filter_map(|&at| Some((at, curve.at(at)?)));
                        rows.extend(reached.map(|(at, error)| Row {
                            place,
                            axis,
                            method,
                            repeat,
                            at,
                            error,
                        }));
                    }
                    if method != EI {
                        let plain = self::curves(methods, EI, axis);
                        for (repeat, curve) in &curves {
                            let Some((_, other)) = plain.iter().find(|(r, _)| r == repeat) else {
                                continue;
                            };
                            if let Some((area, ahead)) = between(other, curve) {
                                let (axis, repeat) = (name, *repeat);
                                areas.push(Area { place, axis, method, repeat, area, ahead });
                            }
                        }
                    }
                }
            }
        }
        let table = Columns::new()
            .text("task", "learner on a data set", rows.iter().map(|r| &r.place.task))
            .text("learner", "learner that was tuned", rows.iter().map(|r| &r.place.learner))
            .text("data", "data set", rows.iter().map(|r| &r.place.data))
            .text("axis", "what progress is measured by", rows.iter().map(|r| r.axis))
            .text("method", "tuner", rows.iter().map(|r| r.method))
            .index("repeat", "repeat, from 0", rows.iter().map(|r| r.repeat))
            .real("at", "progress, as a share of HyperTune's", rows.iter().map(|r| r.at))
            .real("error", "lowest validation error so far", rows.iter().map(|r| r.error))
            .batch()?;
        cx.write("main", &table)?;
        let table = Columns::new()
            .text("task", "learner on a data set", areas.iter().map(|a| &a.place.task))
            .text("axis", "what progress is measured by", areas.iter().map(|a| a.axis))
            .text("method", "tuner compared with GP-EI", areas.iter().map(|a| a.method))
            .index("repeat", "repeat, from 0", areas.iter().map(|a| a.repeat))
            .real(
                "area",
                "mean lead in validation error, from where both have one",
                areas.iter().map(|a| a.area),
            )
            .real(
                "ahead",
                "share of the progress at which it is not behind",
                areas.iter().map(|a| a.ahead),
            )
            .batch()?;
        Ok(cx.write("areas", &table)?)
    }
}

/// The curves of a method's repeats. Progress is a share of what HyperTune went through in the same
/// repeat, with a variant of HyperTune of what it went through itself.
fn curves(methods: &Methods, method: &str, axis: Axis) -> Vec<(u32, Curve)> {
    let Some(repeats) = methods.get(method) else { return Vec::new() };
    let measure = if method == EI { HYPERTUNE } else { method };
    let whole = |run: &Trials| match axis {
        Axis::Work => run.work(),
        Axis::Evaluations => run.entries.len() as f64,
    };
    let one = |(&repeat, run): (&u32, &Trials)| {
        let all = whole(methods.get(measure)?.get(&repeat)?);
        let place = |(i, e): (usize, &Entry)| {
            let spent = match axis {
                Axis::Work => e.work,
                Axis::Evaluations => (i + 1) as f64,
            };
            (spent / all, e.validation)
        };
        let evaluations: Vec<(f64, f64)> = run.entries.iter().enumerate().map(place).collect();
        Some((repeat, Curve::new(&evaluations, Better::Lower)))
    };
    repeats.iter().filter_map(one).collect()
}

/// ∫ (other − own) over the progress from where both have an error to 1, over its length; and the
/// share of it at which own is not above.
fn between(other: &Curve, own: &Curve) -> Option<(f64, f64)> {
    let first = |curve: &Curve| curve.steps().first().map(|(at, _)| *at);
    let start = first(other)?.max(first(own)?);
    let mut ends: Vec<f64> = other.steps().iter().chain(own.steps()).map(|(at, _)| *at).collect();
    ends.retain(|at| (start..1.0).contains(at));
    ends.push(1.0);
    ends.sort_by(f64::total_cmp);
    let length = 1.0 - start;
    if length <= 0.0 {
        return None;
    }
    let (mut area, mut ahead, mut from) = (0.0, 0.0, start);
    for to in ends {
        let lead = other.at(from)? - own.at(from)?;
        area += lead * (to - from);
        ahead += if lead >= 0.0 { to - from } else { 0.0 };
        from = to;
    }
    Some((area / length, ahead / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_between_two_curves_of_steps() {
        let curve = |steps: &[(f64, f64)]| Curve::new(steps, Better::Lower);
        let own = curve(&[(0.2, 0.5), (0.6, 0.1)]);
        let other = curve(&[(0.1, 0.4), (0.8, 0.3)]);
        // From 0.2: −0.1 for 0.4, then 0.3 for 0.2, then 0.2 for 0.2.
        let (area, ahead) = between(&other, &own).unwrap();
        assert!((area - (-0.04 + 0.06 + 0.04) / 0.8).abs() < 1e-12, "{area}");
        assert!((ahead - 0.5).abs() < 1e-12);
        assert_eq!(between(&curve(&[(1.5, 0.2)]), &own), None);
    }
}
