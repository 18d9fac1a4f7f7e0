//! Times one inner logistic solve and one hypergradient on a matrix file, for `make bench`.
//!
//! Usage: `inner_solve FILE LAMBDA TOLERANCE REPEATS`. The file is little-endian: u64 rows, u64
//! columns, u64 entries (0 for a dense matrix), then for a dense matrix its rows as f64, for a
//! sparse one rows + 1 starts as u64, columns as u32, values as f64; then the labels as f64. Both
//! objectives use this one matrix. Prints the CPU-bound seconds of each repeat and the results.

use std::io::Write as _;
use std::time::Instant;

use ndarray::Array2;
use stages::linalg::csr::Csr;
use stages::linalg::design::Design;
use stages::linalg::vector::norm;
use stages::models::labelled::{Labelled, Thirds};
use stages::models::logistic::{Logistic, Penalty};
use stages::problem::{Bilevel as _, Counted};
use stages::solve::lbfgs::Lbfgs;
use stages::solve::{cg, inner};

/// Little-endian numbers, taken from the front.
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
    let mut out = std::io::stdout().lock();
    for _ in 0..repeats.parse::<usize>()? {
        let mut counted = Counted::new(&mut problem);
        let start = Instant::now();
        let mut x = vec![0.0; columns];
        let solver = Lbfgs { max_iterations: 1000, ..Lbfgs::default() };
        let report = inner::minimise(&mut counted, &mut x, tolerance, &solver);
        let solved = start.elapsed().as_secs_f64();
        let mut g = vec![0.0; columns];
        counted.outer(&x, &mut g);
        counted.linearise(&x);
        let mut q = vec![0.0; columns];
        let size = norm(&g);
        let linear = cg::solve(&mut q, &g, tolerance * size, 1000, |v, o| {
            counted.hessian_product(v, o);
        });
        let p = inner::hypergradient(&mut counted, &x, &q)[0];
        let total = start.elapsed().as_secs_f64();
        let counts = counted.counts();
        writeln!(
            out,
            "{total:.6} s (inner {solved:.6}): {} iterations, {} gradients, {:?}, ‖∇h‖ {:.1e}; \
             {} products, {:?}; hypergradient {p:.12e}",
            report.iterations,
            counts.inner,
            report.reason,
            report.gradient_norm,
            linear.iterations,
            linear.reason
        )?;
    }
    Ok(())
}
