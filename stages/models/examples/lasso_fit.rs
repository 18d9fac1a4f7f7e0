//! Times the Lasso on parities, for `make bench`.
//!
//! Usage: `lasso_fit SAMPLES DEGREE THREADS REPEATS ALPHA=GAP...`. The file SAMPLES has one line per sample:
//! its target and then +1 or -1 for each variable. Each α of the path is solved to a duality gap of at most
//! GAP, in units of the objective ‖y − Aw − b‖²/(2n) + α‖w‖₁; each solve starts at the solution before it.
//! Prints one JSON object: the shortest wall time of all repeats in seconds (from the samples on), peak
//! memory in MiB, and a row for each α.

use std::io::Write as _;
use std::time::Instant;

use models::polynomial::lasso::{Fit, Lasso};
use models::polynomial::parity::{Basis, Design, Signs};
use serde_json::json;

/// Peak memory of this process.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, degree, threads, repeats, path @ ..] = arguments.as_slice() else {
        return Err("usage: lasso_fit SAMPLES DEGREE THREADS REPEATS ALPHA=GAP...".into());
    };
    let (mut samples, mut y) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(file)?.lines() {
        let (target, signs) = line.split_once(' ').ok_or("expected a target and signs")?;
        y.push(target.parse::<f64>()?);
        samples.push(signs.split(' ').map(|s| s == "-1").collect::<Vec<bool>>());
    }
    let steps: Vec<(f64, f64)> = path
        .iter()
        .map(|step| {
            let (alpha, gap) = step.split_once('=').ok_or("expected ALPHA=GAP")?;
            Ok::<_, Box<dyn std::error::Error>>((alpha.parse()?, gap.parse()?))
        })
        .collect::<Result<_, _>>()?;
    let smallest = steps.iter().map(|s| s.1).fold(f64::INFINITY, f64::min);
    let alphas: Vec<f64> = steps.iter().map(|s| s.0).collect();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let zero = y.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (2.0 * y.len() as f64);
    let lasso = Lasso::new((smallest / zero).clamp(1e-14, 1.0), 1_000_000)?;
    let variables = samples.first().map_or(0, Vec::len);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (mut best, mut fits) = (f64::INFINITY, Vec::new());
    for _ in 0..repeats.parse::<u32>()? {
        let start = Instant::now();
        fits = pool
            .install(|| -> Result<Vec<Fit>, Box<dyn std::error::Error + Send + Sync>> {
                let basis = Basis::new((0..variables).collect(), degree.parse()?)?;
                let design = Design::new(Signs::new(variables, &samples), basis);
                Ok(lasso.path(&design, &y, &alphas)?)
            })
            .map_err(|e| e.to_string())?;
        best = start.elapsed().as_secs_f64().min(best);
    }
    let row = |fit: &Fit| {
        json!({ "alpha": fit.alpha, "objective": fit.objective, "gap": fit.gap,
            "nonzero": fit.coefficients.len(), "sweeps": fit.sweeps })
    };
    let found = json!({ "seconds": best, "peak_mib": peak_mib(),
        "fits": fits.iter().map(row).collect::<Vec<_>>() });
    writeln!(std::io::stdout().lock(), "{found}")?;
    Ok(())
}
