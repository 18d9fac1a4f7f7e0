//! Times one SMOOTHIE run with feed-forward networks, for `make bench`.
//!
//! Usage: `smoothie_run FILE SEED LAYERSxUNITS...`. The file is little-endian: u64 rows, u64 columns, the
//! rows as f64, then one f64 label (0 or 1) per row. Every configuration is trained for one epoch and its
//! smoothness computed; the first five are then trained for 100 epochs, whatever the smoothness, so that both
//! sides of the benchmark do the same work. Prints one JSON object.

use std::io::Write as _;
use std::time::Instant;

use models::curvature::smoothness::{Extent, feedforward};
use models::neural::feedforward::train::{Rows, Training};
use models::neural::feedforward::{Network, Shape};
use ndarray::Array2;
use pipeline::machine::cpu_seconds;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use serde_json::json;
use stats::metrics::Confusion;

/// Number of configurations that are trained fully.
const FULL: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: smoothie_run FILE SEED LAYERSxUNITS...";
    let bytes = std::fs::read(arguments.next().ok_or(usage)?)?;
    let mut rng = ChaCha12Rng::seed_from_u64(arguments.next().ok_or(usage)?.parse()?);
    let config = |text: String| -> Result<(usize, usize), Box<dyn std::error::Error>> {
        let (layers, units) = text.split_once('x').ok_or(usage)?;
        Ok((layers.parse()?, units.parse()?))
    };
    let configs: Vec<(usize, usize)> = arguments.map(config).collect::<Result<_, _>>()?;
    let words: Vec<[u8; 8]> = bytes.as_chunks().0.to_vec();
    let size = |i: usize| u64::from_le_bytes(words[i]) as usize;
    let (rows, columns) = (size(0), size(1));
    let reals: Vec<f64> = words[2..].iter().map(|&word| f64::from_le_bytes(word)).collect();
    let x = Array2::from_shape_vec((rows, columns), reals[..rows * columns].to_vec())?;
    let y: Vec<u32> = reals[rows * columns..].iter().map(|&v| u32::from(v == 1.0)).collect();

    let (wall, cpu) = (Instant::now(), cpu_seconds());
    let data = Rows::<f32>::classified(x.view(), &y);
    let mut train = |(layers, units), epochs| {
        let shape = Shape::classifier(columns, layers, units, 2);
        let mut network = Network::glorot(shape, &mut rng);
        network.train(&data, &Training::sgd(epochs), &mut rng);
        network
    };
    let mut smoothness = Vec::new();
    for &config in &configs {
        let bound = feedforward(&train(config, 1), x.view(), 2, Extent::Batches(128));
        smoothness.push(bound.quotient());
    }
    let probed = wall.elapsed().as_secs_f64();
    let mut f1 = Vec::new();
    for &config in configs.iter().take(FULL) {
        f1.push(Confusion::new(&y, &train(config, 100).classify(x.view())).f1());
    }
    let result = json!({
        "wall": wall.elapsed().as_secs_f64(),
        "cpu": cpu_seconds() - cpu,
        "probes": probed,
        "smoothness": smoothness,
        "f1": f1,
    });
    writeln!(std::io::stdout().lock(), "{result}")?;
    Ok(())
}
