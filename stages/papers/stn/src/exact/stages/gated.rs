//! Claim N1 and figure 1: random linear networks of two layers, their gates, and the distance of their
//! weights from the regression that minimises the same loss.

use kit::{port::Out, row::Row};
use models::best_response::{GatedNetwork, ridge};
use ndarray::Array2;
use numerics::linalg::{
    elementary::exp,
    vector::{distance, norm},
};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::{exact::config::Gated, tables::gated::GatedRow};

/// The loss, and the constants c for it.
///
/// DIFFERS: eq. (13) divides the penalty e^λ by the number of examples N, the proof (eqs. 20 to 29)
/// does not. The theorem holds of both, with constants that differ by ln N; both are checked, and
/// beside them the constants of the proof on the loss as printed.
const READINGS: [Reading; 3] = [
    Reading { name: "loss of the proof", divided: false, moved: false },
    Reading { name: "loss as printed", divided: true, moved: true },
    Reading { name: "loss as printed, constants of the proof", divided: true, moved: false },
];

struct Reading {
    name: &'static str,
    /// Whether the penalty is e^λ/N.
    divided: bool,
    /// Whether ln N is added to c.
    moved: bool,
}

/// Checks all of them.
#[derive(Serialize, Deserialize)]
pub struct GatedStage {
    /// The number of networks, and their size.
    pub values: Gated,
}

/// A gate at one penalty.
#[derive(Row)]
pub struct Unit {
    /// hidden unit, from 1
    unit: u32,
    /// c, twice the logarithm of the singular value
    constant: f64,
    /// λ, the logarithm of the penalty
    lambda: f64,
    /// σ(c − λ)
    gate: f64,
}

impl GatedStage {
    /// All networks at all penalties.
    pub const MAIN: Out<GatedRow> = Out::table("main");
    /// The gates of one network.
    pub const GATES: Out<Unit> = Out::table("gates");
}

impl Stage for GatedStage {
    const KIND: &'static str = "stn/gated";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::GATES.output()];

    fn needs(&self) -> Needs {
        Needs::worker(100)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (mut rows, mut units) = (Vec::new(), Vec::new());
        for &dimension in &self.values.dimensions {
            for &spread in &self.values.spreads {
                for seed in 0..self.values.seeds {
                    let purpose = format!("dimension {dimension}, spread {spread}, seed {seed}");
                    let (x, t) = self.data(dimension, spread, &mut cx.rng(&purpose)?);
                    let failed =
                        |why: &dyn std::fmt::Display| Stop::Failed(format!("{purpose}: {why}"));
                    let network = GatedNetwork::new(x.view(), &t).map_err(|e| failed(&e))?;
                    if dimension == self.values.shown && units.is_empty() {
                        units = self.units(&network);
                    }
                    for reading in &READINGS {
                        let shift = if reading.moved { (t.len() as f64).ln() } else { 0.0 };
                        let network = network.clone().shifted(shift);
                        let share = if reading.divided { t.len() as f64 } else { 1.0 };
                        for lambda in self.penalties() {
                            let exact = ridge(x.view(), &t, exp(lambda) / share);
                            let exact = exact.map_err(|e| failed(&e))?.to_vec();
                            let found = network.weights(lambda).to_vec();
                            let error = distance(&found, &exact) / norm(&exact);
                            rows.push(GatedRow {
                                dimension,
                                spread,
                                seed,
                                reading: reading.name.into(),
                                decides: reading.name == READINGS[0].name,
                                lambda,
                                error,
                            });
                        }
                    }
                }
            }
        }
        Self::MAIN.write(cx, &rows)?;
        Self::GATES.write(cx, &units)
    }
}

impl GatedStage {
    /// λ from −bound to bound.
    fn penalties(&self) -> impl Iterator<Item = f64> {
        let (bound, last) = (self.values.bound, self.values.penalties - 1);
        (0..=last).map(move |i| bound * (2.0 * f64::from(i) / f64::from(last) - 1.0))
    }

    /// Normal inputs (N×D), with scales in geometric progression from 1 down to 1/spread, and targets (N)
    /// that are a linear function of them plus noise.
    fn data(&self, columns: usize, spread: f64, rng: &mut ChaCha12Rng) -> (Array2<f64>, Vec<f64>) {
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let step = 1.0 / (columns.max(2) - 1) as f64;
        let scales: Vec<f64> = (0..columns).map(|j| spread.powf(-(j as f64) * step)).collect();
        let truth: Vec<f64> = (0..columns).map(|_| normal()).collect();
        let mut x = Array2::zeros((self.values.examples, columns));
        let mut t = Vec::with_capacity(self.values.examples);
        for mut row in x.rows_mut() {
            row.iter_mut().zip(&scales).for_each(|(v, scale)| *v = scale * normal());
            t.push(row.iter().zip(&truth).map(|(v, u)| v * u).sum::<f64>() + normal());
        }
        (x, t)
    }

    fn units(&self, network: &GatedNetwork) -> Vec<Unit> {
        let at = |lambda| {
            let all = network.gates(lambda).into_iter().zip(network.constants()).zip(1..);
            all.map(move |((gate, &constant), unit)| Unit { unit, constant, lambda, gate })
                .collect::<Vec<_>>()
        };
        self.penalties().flat_map(at).collect()
    }
}
