//! Times the training of self-tuning networks, for `make bench`.
//!
//! Usage: `hyper_step lstm HOW UNITS WORDS BATCH BPTT CYCLES` or `hyper_step cnn HOW SIDE WIDTH_DIVISOR BATCH
//! CYCLES`, where HOW is `tuned` or `plain`: five epochs of CYCLES cycles of two training batches and, if
//! tuned, one validation batch, on random data, with all hyper-parameters of the paper. Prints one JSON
//! object: the CPU seconds per cycle of the last four epochs, including evaluation, and the losses of the
//! last epoch.

use std::io::Write as _;

use models::neural::alexnet::AlexNet;
use models::neural::language::{self, Language, Text};
use models::neural::regularisation;
use models::neural::self_tuning::{
    Control, Decay, EpochRecord, Hyper, Range, Response, Scale, Schedule, SgdConfig, Trace, Tuning,
};
use models::neural::self_tuning_cnn::{Parts, StCnn};
use models::neural::self_tuning_lstm::StLstm;
use nets::hyper::Nowhere;
use nets::{Device, Images, TorchError, st_cnn, text};
use pipeline::machine::cpu_seconds;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::json;

const EPOCHS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: hyper_step lstm|cnn tuned|plain SIZES";
    let [kind, how, sizes @ ..] = &given[..] else { Err(usage)? };
    let sizes: Vec<usize> = sizes.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut times = vec![cpu_seconds()];
    let mut after = |_: &EpochRecord| times.push(cpu_seconds());
    let tuned = how == "tuned";
    let (trace, cycles) = match (kind.as_str(), &sizes[..]) {
        ("lstm", &[units, words, batch, bptt, cycles]) => {
            (lstm(tuned, [units, words, batch, bptt, cycles], &mut after)?, cycles)
        }
        ("cnn", &[side, width_divisor, batch, cycles]) => {
            (cnn(tuned, [side, width_divisor, batch, cycles], &mut after)?, cycles)
        }
        _ => Err(usage)?,
    };
    let epochs = times.windows(2).skip(1).map(|pair| (pair[1] - pair[0]) / cycles as f64);
    let loss = trace.epochs.last().map(|epoch| epoch.train_loss);
    let found = json!({ "cpu": epochs.collect::<Vec<_>>(), "loss": loss });
    writeln!(std::io::stdout().lock(), "{found}")?;
    Ok(())
}

fn hyper(name: &str) -> Hyper {
    let penalty = name.contains("activation");
    let range = match name {
        "cutout-length" => Range::Whole { below: 25.0 },
        "cutout-holes" => Range::Whole { below: 5.0 },
        _ if penalty => Range::Positive,
        _ => Range::Interval { low: 0.0, high: 0.5 },
    };
    let start = if matches!(range, Range::Whole { .. }) { 1.5 } else { 0.05 };
    let shared = penalty || name == "embedding-dropout" || name == "drop-connect";
    Hyper { name: name.to_owned(), range, start, shared }
}

fn control(tuned: bool, hypers: &[Hyper], scale: Scale) -> Control {
    if tuned {
        Control::Tuned(Tuning {
            train_steps: 2,
            valid_steps: 1,
            warm_up_batches: 0,
            learning_rate: 0.003,
            scale,
            perturb_validation: matches!(scale, Scale::Learned { .. }),
            response: Response::Absolute,
        })
    } else {
        Control::Given(vec![Schedule::Fixed; hypers.len()])
    }
}

fn descent(rate: f64, momentum: f64, clip: Option<f64>) -> SgdConfig {
    let decay = Decay { factor: 1.0, window: EPOCHS, minimum_rate: 0.0, patience: EPOCHS + 1 };
    SgdConfig { learning_rate: rate, momentum, clip, epochs: EPOCHS, decay }
}

fn lstm(
    tuned: bool,
    [units, words, batch, bptt, cycles]: [usize; 5],
    after: &mut dyn FnMut(&EpochRecord),
) -> Result<Trace, TorchError> {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut text = |segments: usize| -> Vec<u32> {
        let count = batch * (segments * bptt + 1);
        (0..count).map(|_| rng.random_range(0..words as u32)).collect()
    };
    let (train, validation, test) = (text(2 * cycles), text(1), text(1));
    let data = Text { train: &train, validation: &validation, test: &test, vocabulary: words };
    let hypers: Vec<Hyper> = language::names().into_iter().map(hyper).collect();
    let settings = StLstm {
        network: Language {
            layers: 2,
            units,
            embedding: units,
            tied: true,
            batch,
            bptt,
            evaluation_batch: batch,
            penalised: true,
        },
        control: control(tuned, &hypers, Scale::Fixed(1.0)),
        hypers,
        descent: descent(1.0, 0.0, Some(0.25)),
    };
    text::train(&settings, data, Device::Cpu, &mut rng, &mut Nowhere, after, &|| false)
}

fn cnn(
    tuned: bool,
    [side, width_divisor, batch, cycles]: [usize; 4],
    after: &mut dyn FnMut(&EpochRecord),
) -> Result<Trace, TorchError> {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut pixels = vec![0; 2 * cycles * batch * 3 * side * side];
    rng.fill_bytes(&mut pixels);
    let labels: Vec<u8> = (0..2 * cycles * batch).map(|i| (i % 10) as u8).collect();
    let training = Images { pixels: &pixels, labels: &labels, size: side, channels: 3 };
    let few = batch * 3 * side * side;
    let one = Images { pixels: &pixels[..few], labels: &labels[..batch], ..training };
    let hypers: Vec<Hyper> = regularisation::names().into_iter().map(hyper).collect();
    let scale = Scale::Learned { start: 0.5, learning_rate: 0.003, entropy: 0.001 };
    let settings = StCnn {
        network: AlexNet { side, classes: 10, width_divisor, dense_factor: false },
        control: control(tuned, &hypers, scale),
        hypers,
        descent: descent(0.01, 0.9, None),
        batch,
    };
    let parts = Parts { training, validation: one, test: one };
    st_cnn::train(&settings, &parts, Device::Cpu, &mut rng, &mut Nowhere, after, &|| false)
}
