//! Claim H1: random sparse polynomials without noise, and whether their terms and their minimum are
//! found.

use std::collections::BTreeSet;

use kit::port::Out;
use models::polynomial::{
    lasso::{Lasso, largest_alpha},
    parity::{Basis, Design, Signs},
    sparse_parity::{Polynomial, recover},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::{
    synthetic::{config::Recovery, function},
    tables::recovery::Recovered,
};

/// Relative duality gap and sweeps of the Lasso.
const SOLVER: (f64, usize) = (1e-10, 1_000_000);

/// Recovers every instance.
#[derive(Serialize, Deserialize)]
pub struct RecoveryStage {
    /// The number of instances, and their size.
    pub values: Recovery,
}

impl RecoveryStage {
    /// All instances.
    pub const MAIN: Out<Recovered> = Out::table("main");
}

impl Stage for RecoveryStage {
    const KIND: &'static str = "harmonica/recovery";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for instance in 0..self.values.instances {
            let mut rng = cx.rng(&format!("instance {instance}"))?;
            let row = self.instance(instance, &mut rng);
            rows.push(row.map_err(|e| Stop::Failed(format!("instance {instance}: {e}")))?);
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl RecoveryStage {
    fn instance(
        &self,
        instance: u32,
        rng: &mut ChaCha12Rng,
    ) -> Result<Recovered, Box<dyn std::error::Error>> {
        let Recovery { variables, samples, features, degree, share, .. } = self.values;
        let f = function::sparse((variables, degree), features, rng)?;
        let drawn: Vec<Vec<bool>> = (0..samples).map(|_| function::signs(variables, rng)).collect();
        let y: Vec<f64> = drawn.iter().map(|x| f.value(x)).collect();
        let basis = Basis::new((0..variables).collect(), degree)?;
        let design = Design::new(Signs::new(variables, &drawn), basis);
        let alpha = share * largest_alpha(&design, &y)?;
        let g = recover(&design, &y, &Lasso::new(SOLVER.0, SOLVER.1)?, alpha, features)?;
        let monomials = |p: &Polynomial| -> BTreeSet<Vec<usize>> {
            p.terms.iter().map(|t| t.monomial.clone()).collect()
        };
        let (true_ones, selected) = (monomials(&f), monomials(&g));
        // Variables that g does not fix are free: they are all equal here.
        let mut x = vec![false; variables];
        let lowest = g.minimisers(1)?;
        for (j, variable) in g.variables().into_iter().enumerate() {
            x[variable] = lowest.codes[0] >> j & 1 == 1;
        }
        Ok(Recovered {
            instance,
            smallest: f.terms.iter().map(|t| t.weight.abs()).fold(f64::INFINITY, f64::min),
            found: true_ones.intersection(&selected).count(),
            support: true_ones == selected,
            lowest: f.minimisers(1)?.lowest,
            reached: f.value(&x),
        })
    }
}
