//! Claim N2: affine maps fitted to random quadratic losses, with the exact expectation over
//! perturbations and with sampled ones, against the Jacobian −C⁻¹Bᵀ.

use kit::port::Out;
use models::best_response::{
    Affine, Form as _, Neighbourhood, Quadratic, Sampling, conjugate_fit, sampled_fit,
};
use numerics::linalg::{
    cholesky::NotPositiveDefinite,
    vector::{distance, dot, norm},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::{exact::config, tables::quadratic::QuadraticRow};

/// Fits all of them.
#[derive(Serialize, Deserialize)]
pub struct QuadraticStage {
    /// The number of losses, and their size.
    pub values: config::Quadratic,
}

impl QuadraticStage {
    /// All fits.
    pub const MAIN: Out<QuadraticRow> = Out::table("main");
}

impl Stage for QuadraticStage {
    const KIND: &'static str = "stn/quadratic";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(100)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for &size in &self.values.sizes {
            for seed in 0..self.values.seeds {
                let purpose = format!("size {size:?}, seed {seed}");
                let found = self.both(size, seed, &mut cx.rng(&purpose)?);
                rows.extend(found.map_err(|e| Stop::Failed(format!("{purpose}: {e}")))?);
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl QuadraticStage {
    /// One loss, fitted in both ways around one λ₀.
    fn both(
        &self,
        size: [usize; 2],
        seed: u32,
        rng: &mut ChaCha12Rng,
    ) -> Result<[QuadraticRow; 2], NotPositiveDefinite> {
        let [hypers, weights] = size;
        let f = Quadratic::draw(hypers, weights, rng)?;
        let centre: Vec<f64> = (0..hypers).map(|_| StandardNormal.sample(rng)).collect();
        let form = Affine { hypers, weights };
        let exact: Vec<f64> = f.jacobian().into_iter().collect();
        let error = |phi: &[f64]| distance(form.slope(phi), &exact) / norm(&exact);

        let config::Quadratic { deviation, tolerance, steps, batch, .. } = self.values;
        let around = Neighbourhood::cross(&centre, deviation);
        let (phi, report) = conjugate_fit(&f, &form, &around, tolerance);
        let whole = QuadraticRow {
            hypers,
            weights,
            seed,
            fit: "exact".into(),
            error: error(&phi),
            steps: report.iterations as u32,
            ended: report.reason.as_str().into(),
        };

        // The step size is as large as a single perturbation allows on average: E‖z‖²zzᵀ is at most (E‖z‖² +
        // 2σ²) E zzᵀ for z = (λ₀ + ε, 1).
        let variance = deviation * deviation;
        let length = 1.0 + dot(&centre, &centre) + (hypers as f64 + 2.0) * variance;
        let rate = 1.0 / (f.largest_curvature() * length);
        let mut phi = vec![0.0; form.parameters()];
        sampled_fit(&f, &form, &centre, Sampling { deviation, batch, steps, rate }, &mut phi, rng);
        let sampled = QuadraticRow {
            hypers,
            weights,
            seed,
            fit: "sampled".into(),
            error: error(&phi),
            steps,
            ended: "max-iterations".into(),
        };
        Ok([whole, sampled])
    }
}
