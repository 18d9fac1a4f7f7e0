//! Times the steps of a residual network's training, for `make bench`.
//!
//! Usage: `residual_step HOW DEPTH WIDTH SIDE BATCH STEPS`, with HOW `lanes` (the kernels of `models`) or
//! `libtorch`: the network of the usual options with widths of
//! WIDTH, 2·WIDTH and 4·WIDTH, on images of random bytes, for five epochs of STEPS steps. Prints one JSON
//! object: the CPU seconds of each step of the last four epochs, including the preparation of its batch, and
//! the loss of the last epoch.

use std::cell::RefCell;
use std::io::Write as _;

use models::neural::residual::{ResidualOptions, decode, lanes, usual};
use nets::{Architecture, Device, Images, Recipe, train};
use pipeline::machine::cpu_seconds;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::json;

const EPOCHS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: residual_step lanes|libtorch DEPTH WIDTH SIDE BATCH STEPS";
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
        asked.borrow_mut().push(cpu_seconds());
        false
    };
    let training = match how.as_str() {
        "lanes" => {
            let parts = (&images, &one);
            lanes::train(&options, &architecture, &recipe, parts, &mut rng, &note)?.ok_or(usage)?
        }
        "libtorch" => {
            train(&options, &architecture, &recipe, &images, &one, Device::Cpu, &mut rng, &note)?
        }
        _ => Err(usage)?,
    };
    let asked = asked.into_inner();
    let epochs = asked.chunks(steps + 1).skip(1);
    let times: Vec<f64> =
        epochs.flat_map(|epoch| epoch.windows(2).map(|pair| pair[1] - pair[0])).collect();
    let loss = training.curve.last().map(|row| row.loss);
    writeln!(std::io::stdout().lock(), "{}", json!({ "cpu": times, "loss": loss }))?;
    Ok(())
}
