//! Figure 2: maps fitted in neighbourhoods of all widths around one λ₀, and the gradient of the
//! validation loss that each would give.

use kit::table::Columns;
use models::best_response::{Affine, Form, Gate, Neighbourhood, Shrinkage, descend};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::exact::config;

/// Fits all of them.
#[derive(Serialize, Deserialize)]
pub struct NeighbourhoodStage {
    /// The problem and the widths.
    pub values: config::Neighbourhood,
}

struct Row {
    form: &'static str,
    deviation: f64,
    start: u32,
    weight: f64,
    slope: f64,
    gradient: f64,
    steps: u32,
}

struct Point {
    form: &'static str,
    deviation: f64,
    lambda: f64,
    weight: f64,
}

/// What is fitted, with its derivative by λ.
trait Fitted: Form {
    const NAME: &'static str;
    fn derivative(&self, phi: &[f64], lambda: f64) -> f64;
}

impl Fitted for Affine {
    const NAME: &'static str = "affine";
    fn derivative(&self, phi: &[f64], _: f64) -> f64 {
        phi[0]
    }
}

impl Fitted for Gate {
    const NAME: &'static str = "sigmoid";
    fn derivative(&self, phi: &[f64], lambda: f64) -> f64 {
        self.slope(phi, lambda)
    }
}

impl Stage for NeighbourhoodStage {
    const KIND: &'static str = "stn/neighbourhood";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::table("curves")];

    fn needs(&self) -> Needs {
        Needs::worker(100)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let f = self.problem();
        let (mut rows, mut points) = (Vec::new(), Vec::new());
        for start in 0..self.values.starts {
            let rng = cx.rng(&format!("start {start}"))?;
            self.all(&Affine { hypers: 1, weights: 1 }, start, &rng, &mut rows, &mut points);
            self.all(&Gate, start, &rng, &mut rows, &mut points);
        }
        let centre = self.values.centre;
        let exact = f.validation(f.response(centre)).1 * f.slope(centre);
        let table = Columns::new()
            .text("form", "what is fitted", rows.iter().map(|r| r.form))
            .real("deviation", "σ of the perturbations of λ", rows.iter().map(|r| r.deviation))
            .index("start", "random first guess", rows.iter().map(|r| r.start))
            .real("weight", "fitted weight at λ₀", rows.iter().map(|r| r.weight))
            .real(
                "exact_weight",
                "the weight that minimises there",
                rows.iter().map(|_| f.response(centre)),
            )
            .real("slope", "derivative of the fitted weight at λ₀", rows.iter().map(|r| r.slope))
            .real(
                "exact_slope",
                "derivative of the minimising weight",
                rows.iter().map(|_| f.slope(centre)),
            )
            .real(
                "gradient",
                "derivative of the validation loss through the fit",
                rows.iter().map(|r| r.gradient),
            )
            .real("exact_gradient", "derivative of the validation loss", rows.iter().map(|_| exact))
            .index("steps", "steps of gradient descent", rows.iter().map(|r| r.steps))
            .batch()?;
        cx.write("main", &table)?;
        let validation = |w: f64| f.validation(w).0;
        let table = Columns::new()
            .text("form", "what is fitted", points.iter().map(|p| p.form))
            .real("deviation", "σ of the perturbations of λ", points.iter().map(|p| p.deviation))
            .real("lambda", "λ, the logarithm of the penalty", points.iter().map(|p| p.lambda))
            .real("weight", "fitted weight", points.iter().map(|p| p.weight))
            .real(
                "exact_weight",
                "the weight that minimises",
                points.iter().map(|p| f.response(p.lambda)),
            )
            .real(
                "validation",
                "validation loss of the fitted weight",
                points.iter().map(|p| validation(p.weight)),
            )
            .real(
                "exact_validation",
                "validation loss of the weight that minimises",
                points.iter().map(|p| validation(f.response(p.lambda))),
            )
            .batch()?;
        Ok(cx.write("curves", &table)?)
    }
}

impl NeighbourhoodStage {
    fn problem(&self) -> Shrinkage {
        let config::Neighbourhood { singular, target, validated, .. } = self.values;
        Shrinkage { singular, target, validated }
    }

    /// One form from one first guess, the same for every width; the curves are of the first guess.
    fn all<F: Fitted>(
        &self,
        form: &F,
        start: u32,
        rng: &ChaCha12Rng,
        rows: &mut Vec<Row>,
        points: &mut Vec<Point>,
    ) {
        let (f, centre) = (self.problem(), self.values.centre);
        let fit = |deviation: f64| {
            let mut rng = rng.clone();
            let mut phi: Vec<f64> =
                (0..form.parameters()).map(|_| StandardNormal.sample(&mut rng)).collect();
            let around = Neighbourhood::line(centre, deviation);
            let ended = descend(&f, form, &around, self.values.steps, &mut phi);
            (phi, ended.steps)
        };
        let at = |phi: &[f64], lambda: f64| {
            let mut w = [0.0];
            form.response(phi, &[lambda], &mut w);
            w[0]
        };
        for &deviation in &self.values.deviations {
            let (phi, steps) = fit(deviation);
            let (weight, slope) = (at(&phi, centre), form.derivative(&phi, centre));
            let gradient = f.validation(weight).1 * slope;
            rows.push(Row { form: F::NAME, deviation, start, weight, slope, gradient, steps });
        }
        for &deviation in self.values.shown.iter().filter(|_| start == 0) {
            let (phi, _) = fit(deviation);
            let last = self.values.points - 1;
            points.extend((0..=last).map(|i| {
                let share = 2.0 * f64::from(i) / f64::from(last) - 1.0;
                let lambda = centre + self.values.reach * share;
                Point { form: F::NAME, deviation, lambda, weight: at(&phi, lambda) }
            }));
        }
    }
}
