//! Times one fit of the kernel machine and one prediction, for `make bench`.
//!
//! Usage: `svm_fit FILE C GAMMA TOLERANCE THREADS REPEATS`. The file is little-endian: u64 rows, u64 columns,
//! the rows as f64, then one f64 label per row. Prints one JSON object per repeat.

use std::io::Write as _;
use std::time::Instant;

use models::samples::Samples;
use models::svm::smo::Smo;
use models::svm::{Gamma, Svm, SvmSettings};
use ndarray::{Array2, Axis};
use pipeline::machine::cpu_seconds;
use serde_json::json;

/// Number of rows that are classified.
const PREDICTED: usize = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, c, gamma, tolerance, threads, repeats] = arguments.as_slice() else {
        return Err("usage: svm_fit FILE C GAMMA TOLERANCE THREADS REPEATS".into());
    };
    let bytes = std::fs::read(file)?;
    let words: Vec<[u8; 8]> = bytes.as_chunks().0.to_vec();
    let size = |i: usize| u64::from_le_bytes(words[i]) as usize;
    let (rows, columns) = (size(0), size(1));
    let reals: Vec<f64> = words[2..].iter().map(|&word| f64::from_le_bytes(word)).collect();
    let x = Array2::from_shape_vec((rows, columns), reals[..rows * columns].to_vec())?;
    let y: Vec<u32> = reals[rows * columns..].iter().map(|&v| v as u32).collect();
    let classes = y.iter().max().map_or(0, |&c| c as usize + 1);
    let samples = Samples::new(x, y, classes)?;
    let smo = Smo { tolerance: tolerance.parse()?, ..Smo::default() };
    let settings = SvmSettings::new(c.parse()?, Gamma::Value(gamma.parse()?), smo)?;
    let first: Vec<usize> = (0..rows.min(PREDICTED)).collect();
    let some = samples.x.select(Axis(0), &first);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    for _ in 0..repeats.parse::<usize>()? {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let svm = pool.install(|| Svm::fit(&samples, &settings));
        let fitted = (wall.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let said = pool.install(|| svm.classify(some.view()));
        let predicted = (wall.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let result = json!({
            "wall": fitted.0,
            "cpu": fitted.1,
            "predict_wall": predicted.0,
            "predict_cpu": predicted.1,
            "objective": svm.pairs.iter().map(|pair| pair.objective).sum::<f64>(),
            "support": svm.vectors.nrows(),
            "iterations": svm.pairs.iter().map(|pair| pair.iterations).sum::<usize>(),
            "evaluations": svm.pairs.iter().map(|pair| pair.evaluations).sum::<u64>(),
            "converged": svm.pairs.iter().all(|pair| pair.converged),
            "wrong": said.iter().zip(&samples.y).filter(|(a, b)| a != b).count(),
        });
        writeln!(std::io::stdout().lock(), "{result}")?;
    }
    Ok(())
}
