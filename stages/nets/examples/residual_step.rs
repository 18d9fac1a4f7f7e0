//! Times the steps of a residual network's training, for `make bench`.
//!
//! Usage: `residual_step HOW DEPTH WIDTH SIDE BATCH STEPS`, with HOW `lanes` (the kernels of `models`), `libtorch`
//! (on the CPU), `cuda` or `cuda-bfloat16`: the network of the usual options with widths of WIDTH, 2·WIDTH and
//! 4·WIDTH, on images of random bytes, for five epochs of STEPS steps. Prints one JSON object: the CPU seconds of
//! each step of the last four epochs, including the preparation of its batch, the seconds of a step on average over
//! three of them (a GPU's steps are only queued when they are counted), and the loss of the last epoch.

use std::cell::RefCell;
use std::io::Write as _;
use std::time::Instant;

use models::neural::residual::{ResidualOptions, decode, lanes, usual};
use nets::{Architecture, Device, Images, Precision, Recipe, train};
use pipeline::machine::cpu_seconds;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::json;

const EPOCHS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage =
        "usage: residual_step lanes|libtorch|cuda|cuda-bfloat16 DEPTH WIDTH SIDE BATCH STEPS";
    let mut arguments = std::env::args().skip(1);
    let how = arguments.next().ok_or(usage)?;
    let given: Vec<usize> = arguments.map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [depth, width, size, batch_size, steps] = given[..] else { Err(usage)? };
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut pixels = vec![0; steps * batch_size * 3 * size * size];
    rng.fill_bytes(&mut pixels);
    let labels: Vec<u8> = (0..steps * batch_size).map(|i| (i % 10) as u8).collect();
    let images = Images { pixels: &pixels, labels: &labels, size, channels: 3 };
    let one = Images { pixels: &pixels[..3 * size * size], labels: &labels[..1], ..images };

    let options = ResidualOptions { batch_size, ..decode(&usual()) };
    let architecture = Architecture { depth, widths: [width, 2 * width, 4 * width], classes: 10 };
    let recipe = Recipe { horizon: EPOCHS, epochs: EPOCHS, augment: false };
    // Called before each step and before each batch of the evaluation, which has one batch.
    let asked = RefCell::new(Vec::new());
    let note = || {
        asked.borrow_mut().push((cpu_seconds(), Instant::now()));
        false
    };
    let hardware = match how.as_str() {
        "lanes" => None,
        "libtorch" => Some((Device::Cpu, Precision::Float32)),
        "cuda" => Some((Device::Cuda(0), Precision::Float32)),
        "cuda-bfloat16" => Some((Device::Cuda(0), Precision::Bfloat16)),
        _ => Err(usage)?,
    };
    let training = match hardware {
        None => {
            let parts = (&images, &one);
            lanes::train(&options, &architecture, &recipe, parts, &mut rng, &note)?.ok_or(usage)?
        }
        Some(hardware) => {
            train(&options, &architecture, &recipe, &images, &one, hardware, &mut rng, &note)?
        }
    };
    let asked = asked.into_inner();
    let epochs = asked.chunks(steps + 1).skip(1);
    let times: Vec<f64> =
        epochs.flat_map(|epoch| epoch.windows(2).map(|pair| pair[1].0 - pair[0].0)).collect();
    // The first call of an epoch comes after the result of the one before.
    let begun = |epoch: usize| asked[epoch * (steps + 1)].1;
    let wall = (begun(4) - begun(1)).as_secs_f64() / (3 * steps) as f64;
    let loss = training.curve.last().map(|row| row.loss);
    writeln!(std::io::stdout().lock(), "{}", json!({ "cpu": times, "wall": wall, "loss": loss }))?;
    Ok(())
}
