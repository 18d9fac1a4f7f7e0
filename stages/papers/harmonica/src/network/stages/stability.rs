//! Table 1: whether the features that a stage finds in the recorded samples, and their signs, stay the same
//! as λ and the number of samples vary.

use std::collections::BTreeSet;

use kit::port::Out;
use models::{
    neural::residual::COUNT,
    polynomial::{
        lasso::Lasso,
        parity::{Basis, Design, Signs},
        sparse_parity::{Polynomial, recover},
    },
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::harmonica::{HarmonicaSettings, Residual};

use crate::{
    network::{
        found,
        replay::{self, Told},
        rows,
    },
    tables::table_1::Moved,
};

/// Relative duality gap and sweeps of the Lasso, as in Harmonica.
const SOLVER: (f64, usize) = (1e-8, 100_000);

/// Table 1 for the samples of one replicate.
#[derive(Serialize, Deserialize)]
pub struct TableOne {
    /// The replicate.
    pub replicate: u32,
    /// Harmonica's settings.
    pub settings: HarmonicaSettings,
    /// Smallest and largest λ of eq. (2) for errors in \[0, 1\], of each stage.
    pub lambda: Vec<[f64; 2]>,
    /// Smallest number of samples of each stage.
    pub samples: Vec<usize>,
}

/// A feature with the sign of its weight.
type Signed = BTreeSet<(Vec<usize>, bool)>;

impl TableOne {
    /// Table 1.
    pub const MAIN: Out<Moved> = Out::table("main");
}

impl Stage for TableOne {
    const KIND: &'static str = "harmonica/table-1";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let told = replay::told(&rows::rounds(cx)?);
        let found = found::restrictions(self.settings, &told, &mut cx.rng("search")?)
            .map_err(|e| Stop::Failed(e.to_string()))?;
        let (mut rows, mut fixed, mut earlier) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (samples, found)) in told.iter().zip(found).enumerate() {
            let free: Vec<usize> = (0..COUNT).filter(|v| !fixed.contains(v)).collect();
            rows.extend(self.stage(i, samples, free, &earlier)?);
            if let Some(found) = found {
                fixed.extend(found.variables);
                earlier.push(found.polynomial);
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl TableOne {
    /// One stage, on the variables that are free in it.
    fn stage(
        &self,
        i: usize,
        samples: &[Told],
        free: Vec<usize>,
        earlier: &[Polynomial],
    ) -> Result<Vec<Moved>, Stop> {
        let fail = |e: &dyn std::fmt::Display| Stop::Failed(format!("stage {}: {e}", i + 1));
        let all = samples.len();
        let basis = Basis::new(free, self.settings.degree).map_err(|e| fail(&e))?;
        let lasso = Lasso::new(SOLVER.0, SOLVER.1).map_err(|e| fail(&e))?;
        let target = |told: &Told| match self.settings.residual {
            Residual::Restricted => told.value,
            Residual::Subtracted => {
                told.value - earlier.iter().map(|g| g.value(&told.minus)).sum::<f64>()
            }
        };
        let features = |lambda: f64, rows: usize| -> Result<Signed, Stop> {
            let minus: Vec<Vec<bool>> = samples[..rows].iter().map(|t| t.minus.clone()).collect();
            let targets: Vec<f64> = samples[..rows].iter().map(target).collect();
            let design = Design::new(Signs::new(COUNT, &minus), basis.clone());
            // DIFFERS: Table 1 does not say whether λ stays as samples are left out. Here α does, which belongs to a
            // mean; λ, which belongs to a sum, falls with their number.
            let alpha = lambda / (2.0 * all as f64);
            let g = recover(&design, &targets, &lasso, alpha, self.settings.features);
            let signed = |g: Polynomial| {
                g.terms.into_iter().map(|term| (term.monomial, term.weight > 0.0)).collect()
            };
            g.map(signed).map_err(|e| fail(&e))
        };
        let [low, high] = self.lambda[i];
        let middle = (low * high).sqrt();
        let fewest = self.samples[i];
        let half = usize::midpoint(fewest, all);
        let reference = features(middle, all)?;
        let mut rows = Vec::new();
        for (moved, at, lambda, n) in [
            ("lambda", "low", low, all),
            ("lambda", "middle", middle, all),
            ("lambda", "high", high, all),
            ("samples", "low", middle, fewest),
            ("samples", "middle", middle, half),
            ("samples", "high", middle, all),
        ] {
            let own = features(lambda, n)?;
            let sign = |plus: bool| if plus { '+' } else { '-' };
            let word = |(monomial, plus): &(Vec<usize>, bool)| {
                format!("{}{}", sign(*plus), found::numbers(monomial))
            };
            rows.push(Moved {
                replicate: self.replicate,
                stage: i + 1,
                moved: moved.into(),
                at: at.into(),
                value: if moved == "lambda" { lambda } else { n as f64 },
                features: own.iter().map(word).collect::<Vec<_>>().join(" "),
                shared: own.intersection(&reference).count(),
                // Fewer than five features cannot be the same five.
                same: own == reference && own.len() == self.settings.features,
            });
        }
        Ok(rows)
    }
}
