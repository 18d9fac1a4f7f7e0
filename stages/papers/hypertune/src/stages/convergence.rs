//! Figures 2 to 5: the best validation error so far of HyperTune and of GP-EI; and the area between
//! the two.

use kit::port::{In, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{anytime::Curve, better::Better};

use crate::{
    runs::{EI, HYPERTUNE, Methods, Runs},
    tables::{
        convergence::{Area, Reached},
        trials::Evaluated,
    },
    trials::{Entry, Trials},
};

/// Reads the gathered runs.
#[derive(Serialize, Deserialize)]
pub struct Convergence {
    /// Number of points of each curve.
    pub points: usize,
}

/// The measure of progress.
#[derive(Clone, Copy)]
enum Axis {
    /// Work, as a share of all work of HyperTune in the repeat, including its subset searches.
    Work,
    /// Evaluations on the whole training part, as a share of HyperTune's.
    Evaluations,
}

const AXES: [(&str, Axis); 2] = [("work", Axis::Work), ("evaluations", Axis::Evaluations)];

impl Convergence {
    /// The gathered runs.
    pub const RUNS: In<Evaluated> = In::new("runs");
    /// The curves.
    pub const MAIN: Out<Reached> = Out::table("main");
    /// The areas between GP-EI and the others.
    pub const AREAS: Out<Area> = Out::table("areas");
}

impl Stage for Convergence {
    const KIND: &'static str = "hypertune/convergence";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::AREAS.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::RUNS.read(cx)?);
        let grid: Vec<f64> =
            (0..self.points).map(|i| i as f64 / (self.points - 1) as f64).collect();
        let (mut rows, mut areas) = (Vec::new(), Vec::new());
        for (task_name, methods) in &runs.0 {
            for (name, axis) in AXES {
                // Other settings of HyperTune spend other amounts of work.
                let shown = |method: &str| match axis {
                    Axis::Work => method == HYPERTUNE || method == EI,
                    Axis::Evaluations => method.starts_with(HYPERTUNE) || method == EI,
                };
                for method in methods.keys().filter(|m| shown(m)) {
                    let curves = curves(methods, method, axis);
                    for (repeat, curve) in &curves {
                        let reached = grid.iter().filter_map(|&at| Some((at, curve.at(at)?)));
                        rows.extend(reached.map(|(at, error)| Reached {
                            task: task_name.clone(),
                            axis: name.into(),
                            method: method.clone(),
                            repeat: *repeat,
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
                                let (task, method) = (task_name.task.clone(), method.clone());
                                let (axis, repeat) = (name.into(), *repeat);
                                areas.push(Area { task, axis, method, repeat, area, ahead });
                            }
                        }
                    }
                }
            }
        }
        Self::MAIN.write(cx, &rows)?;
        Self::AREAS.write(cx, &areas)
    }
}

/// The curves of a method's repeats. Progress is a share of the total of HyperTune in the same repeat; for a
/// variant of HyperTune, of its own total.
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

/// ∫ (other − own) over the progress from the first point where both have an error to 1, divided by its
/// length; and the share of it where own is not above other.
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
