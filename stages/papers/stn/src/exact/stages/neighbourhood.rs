//! Figure 2: maps fitted in neighbourhoods of all widths around one λ₀, and the gradient of the
//! validation loss that each would give.

use kit::{port::Out, row::Row};
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

/// A fit at λ₀.
#[derive(Row)]
pub struct Fit {
    /// what is fitted
    form: &'static str,
    /// σ of the perturbations of λ
    deviation: f64,
    /// random first guess
    start: u32,
    /// fitted weight at λ₀
    weight: f64,
    /// the weight that minimises there
    exact_weight: f64,
    /// derivative of the fitted weight at λ₀
    slope: f64,
    /// derivative of the minimising weight
    exact_slope: f64,
    /// derivative of the validation loss through the fit
    gradient: f64,
    /// derivative of the validation loss
    exact_gradient: f64,
    /// steps of gradient descent
    steps: u32,
}

/// A fit at some λ.
#[derive(Row)]
pub struct Point {
    /// what is fitted
    form: &'static str,
    /// σ of the perturbations of λ
    deviation: f64,
    /// λ, the logarithm of the penalty
    lambda: f64,
    /// fitted weight
    weight: f64,
    /// the weight that minimises
    exact_weight: f64,
    /// validation loss of the fitted weight
    validation: f64,
    /// validation loss of the weight that minimises
    exact_validation: f64,
}

impl NeighbourhoodStage {
    /// The fits at λ₀.
    pub const MAIN: Out<Fit> = Out::table("main");
    /// The fits from the first initial value, along λ.
    pub const CURVES: Out<Point> = Out::table("curves");
}

/// The fitted map, with its derivative with respect to λ.
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
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::CURVES.output()];

    fn needs(&self) -> Needs {
        Needs::worker(100)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (mut rows, mut points) = (Vec::new(), Vec::new());
        for start in 0..self.values.starts {
            let rng = cx.rng(&format!("start {start}"))?;
            self.all(&Affine { hypers: 1, weights: 1 }, start, &rng, &mut rows, &mut points);
            self.all(&Gate, start, &rng, &mut rows, &mut points);
        }
        Self::MAIN.write(cx, &rows)?;
        Self::CURVES.write(cx, &points)
    }
}

impl NeighbourhoodStage {
    fn problem(&self) -> Shrinkage {
        let config::Neighbourhood { singular, target, validated, .. } = self.values;
        Shrinkage { singular, target, validated }
    }

    /// One form from one initial value, the same for every width; the curves are those of the first initial
    /// value.
    fn all<F: Fitted>(
        &self,
        form: &F,
        start: u32,
        rng: &ChaCha12Rng,
        rows: &mut Vec<Fit>,
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
            rows.push(Fit {
                form: F::NAME,
                deviation,
                start,
                weight,
                exact_weight: f.response(centre),
                slope,
                exact_slope: f.slope(centre),
                gradient,
                exact_gradient: f.validation(f.response(centre)).1 * f.slope(centre),
                steps,
            });
        }
        for &deviation in self.values.shown.iter().filter(|_| start == 0) {
            let (phi, _) = fit(deviation);
            let last = self.values.points - 1;
            points.extend((0..=last).map(|i| {
                let share = 2.0 * f64::from(i) / f64::from(last) - 1.0;
                let lambda = centre + self.values.reach * share;
                let (weight, exact_weight) = (at(&phi, lambda), f.response(lambda));
                Point {
                    form: F::NAME,
                    deviation,
                    lambda,
                    weight,
                    exact_weight,
                    validation: f.validation(weight).0,
                    exact_validation: f.validation(exact_weight).0,
                }
            }));
        }
    }
}
