//! Times one inner logistic solve and one hypergradient on a matrix file, for `make bench`.
//!
//! Usage: `inner_solve FILE LAMBDA TOLERANCE REPEATS`. The file is little-endian: u64 rows, u64 columns, u64
//! entries (0 for a dense matrix), then, for a dense matrix, its rows as f64 or, for a sparse one, rows + 1
//! starts as u64, columns as u32 and values as f64; then the labels as f64. Both objectives use this one
//! matrix. The inner solve ends at TOLERANCE times the gradient's norm at 0, the linear solve at TOLERANCE
//! times the outer gradient's norm. Prints one JSON object per repeat: CPU seconds of the process, the norms
//! reached, the hypergradient.

use std::io::Write as _;

use models::bilevel::labelled::{Labelled, Thirds};
use models::bilevel::logistic::{Logistic, Penalty};
use ndarray::Array2;
use numerics::linalg::csr::Csr;
use numerics::linalg::design::Design;
use numerics::linalg::vector::{axpy, norm};
use numerics::problem::{Bilevel as _, Counted};
use numerics::solve::lbfgs::Lbfgs;
use numerics::solve::{cg, inner};
use pipeline::machine::cpu_seconds;
use serde_json::json;

/// Reads little-endian numbers from the front.
struct Reader(Vec<u8>, usize);

impl Reader {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let at = self.1;
        self.1 += N;
        self.0[at..self.1].try_into().expect("the file ends early")
    }
    fn count(&mut self) -> usize {
        u64::from_le_bytes(self.take()) as usize
    }
    fn reals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| f64::from_le_bytes(self.take())).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, lambda, tolerance, repeats] = arguments.as_slice() else {
        return Err("usage: inner_solve FILE LAMBDA TOLERANCE REPEATS".into());
    };
    let (lambda, tolerance): (f64, f64) = (lambda.parse()?, tolerance.parse()?);
    let mut reader = Reader(std::fs::read(file)?, 0);
    let (rows, columns, entries) = (reader.count(), reader.count(), reader.count());
    let features = if entries == 0 {
        Design::dense(Array2::from_shape_vec((rows, columns), reader.reals(rows * columns))?)
    } else {
        let starts = (0..=rows).map(|_| reader.count()).collect();
        let indices = (0..entries).map(|_| u32::from_le_bytes(reader.take())).collect();
        Design::Sparse(Csr::new(columns, starts, indices, reader.reals(entries))?)
    };
    let part = Labelled::new(features, reader.reals(rows))?;
    let parts = Thirds { train: part.clone(), test: part.clone(), validation: part };
    let mut problem = Logistic::new(parts, Penalty::Half)?;
    problem.set_lambda(&[lambda]);
    let mut origin_gradient = vec![0.0; columns];
    problem.inner(&vec![0.0; columns], &mut origin_gradient);
    let target = tolerance * norm(&origin_gradient);
    let mut out = std::io::stdout().lock();
    for _ in 0..repeats.parse::<usize>()? {
        let mut counted = Counted::new(&mut problem);
        let start = cpu_seconds();
        let mut x = vec![0.0; columns];
        let solver = Lbfgs { max_iterations: 10_000, ..Lbfgs::default() };
        let report = inner::minimise(&mut counted, &mut x, target, &solver);
        let solved = cpu_seconds() - start;
        let mut g = vec![0.0; columns];
        counted.outer(&x, &mut g);
        counted.linearise(&x);
        let mut q = vec![0.0; columns];
        let linear = cg::solve(&mut q, &g, tolerance * norm(&g), 10_000, |v, o| {
            counted.hessian_product(v, o);
        });
        let p = inner::hypergradient(&mut counted, &x, &q)[0];
        let seconds = cpu_seconds() - start;
        let counts = counted.counts();
        // The norms reached, recomputed outside the timed part.
        let mut residual = vec![0.0; columns];
        counted.hessian_product(&q, &mut residual);
        axpy(-1.0, &g, &mut residual);
        let residual = norm(&residual) / norm(&g);
        counted.inner(&x, &mut g);
        let reached = json!({
            "seconds": seconds,
            "inner_seconds": solved,
            "evaluations": counts.inner,
            "iterations": report.iterations,
            "products": linear.iterations,
            "gradient": norm(&g) / norm(&origin_gradient),
            "residual": residual,
            "hypergradient": p,
        });
        writeln!(out, "{reached}")?;
    }
    Ok(())
}
