use std::cell::Cell;

use models::neural::{
    alexnet::AlexNet,
    residual::{Device, Images},
    self_tuning::{
        Control, Decay, EpochRecord, Hyper, Range, Response, Scale, Schedule, SgdConfig, Trace,
        Tuning,
    },
    self_tuning_cnn::{Parts, StCnn},
};
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{Rng as _, SeedableRng as _},
};

use super::train;
use crate::{
    error::TorchError,
    hyper::{Checkpoint, Folder, Keep, Nowhere},
};

const SIDE: usize = 16;
const BYTES: usize = 3 * SIDE * SIDE;

/// Noise in which one of three colours is brighter; its number is the class.
fn coloured(count: usize, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut pixels = vec![0; count * BYTES];
    ChaCha12Rng::seed_from_u64(seed).fill_bytes(&mut pixels);
    let labels: Vec<u8> = (0..count).map(|i| (i % 3) as u8).collect();
    for (image, &label) in pixels.chunks_exact_mut(BYTES).zip(&labels) {
        for (colour, plane) in image.chunks_exact_mut(SIDE * SIDE).enumerate() {
            let bright = if colour == usize::from(label) { 128 } else { 0 };
            for byte in plane {
                *byte = *byte / 2 + bright;
            }
        }
    }
    (pixels, labels)
}

fn settings(control: fn(usize) -> Control) -> StCnn {
    let interval = |high| Range::Interval { low: 0.0, high };
    let hyper =
        |name: &str, range, start| Hyper { name: name.to_owned(), range, start, shared: false };
    let hypers = vec![
        hyper("dropout-1", interval(0.9), 0.05),
        hyper("dropout-5", interval(0.9), 0.05),
        hyper("hue", interval(0.5), 0.05),
        hyper("saturation", interval(1.0), 0.05),
        hyper("input-dropout", interval(1.0), 0.05),
        hyper("scaling", interval(0.3), 0.05),
        hyper("cutout-length", Range::Whole { below: 25.0 }, 4.5),
        hyper("cutout-holes", Range::Whole { below: 5.0 }, 1.5),
        hyper("dense-dropout-1", interval(0.9), 0.05),
    ];
    let decay = Decay { factor: 0.1, window: 60, minimum_rate: 1e-5, patience: 75 };
    StCnn {
        network: AlexNet { side: SIDE, classes: 3, width_divisor: 8, dense_factor: false },
        control: control(hypers.len()),
        hypers,
        descent: SgdConfig { learning_rate: 0.02, momentum: 0.9, clip: None, epochs: 3, decay },
        batch: 16,
    }
}

fn tuned(_: usize) -> Control {
    Control::Tuned(Tuning {
        train_steps: 2,
        valid_steps: 1,
        warm_up_batches: 5,
        learning_rate: 0.003,
        scale: Scale::Learned { start: 0.5, learning_rate: 0.003, entropy: 0.001 },
        perturb_validation: true,
        response: Response::Absolute,
    })
}

fn given(hypers: usize) -> Control {
    Control::Given(vec![Schedule::Fixed; hypers])
}

/// Trains on 90 images; ends early if `stop` says so after an epoch.
fn run(
    settings: &StCnn,
    keep: &mut dyn Keep,
    stop: impl Fn(&EpochRecord) -> bool,
) -> Result<Trace, TorchError> {
    run_on([1, 2, 3], settings, keep, stop)
}

/// With training, validation and test images of these seeds.
fn run_on(
    seeds: [u64; 3],
    settings: &StCnn,
    keep: &mut dyn Keep,
    stop: impl Fn(&EpochRecord) -> bool,
) -> Result<Trace, TorchError> {
    let [a, b, c] = [(90, seeds[0]), (40, seeds[1]), (30, seeds[2])].map(|(n, s)| coloured(n, s));
    let part = |(pixels, labels)| Images { pixels, labels, size: SIDE, channels: 3 };
    let images = Parts {
        training: part((&a.0, &a.1)),
        validation: part((&b.0, &b.1)),
        test: part((&c.0, &c.1)),
    };
    let stopped = Cell::new(false);
    let mut rng = ChaCha12Rng::seed_from_u64(9);
    let mut after = |row: &EpochRecord| stopped.set(stop(row));
    train(settings, &images, Device::Cpu, &mut rng, keep, &mut after, &|| stopped.get())
}

/// Keeps the last checkpoint in memory.
#[derive(Default)]
struct Last(Option<Vec<(String, tch::Tensor)>>);

impl Keep for Last {
    fn load(&mut self) -> Result<Option<Checkpoint>, TorchError> {
        Ok(self.0.take().map(Checkpoint::new))
    }

    fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), TorchError> {
        let tensors = checkpoint.tensors().iter();
        self.0 = Some(tensors.map(|(name, tensor)| (name.clone(), tensor.copy())).collect());
        Ok(())
    }
}

#[test]
fn colours_are_learned_tuned_or_given() {
    for control in [tuned, given] {
        let mut settings = settings(control);
        settings.descent.epochs = 24;
        let trace = run(&settings, &mut Nowhere, |_| false).unwrap();
        let (first, best) = (trace.epochs[0], trace.best().unwrap());
        assert!(best.valid_loss < 0.1 * first.valid_loss, "{first:?}, {best:?}");
        assert_eq!((best.valid_error, best.test_error), (Some(0.0), Some(0.0)));
    }
}

#[test]
fn steps_come_by_turns() {
    let count = |control| {
        let trace = run(&settings(control), &mut Nowhere, |_| false).unwrap();
        trace.epochs.iter().map(|row| (row.batches, row.moves)).collect::<Vec<_>>()
    };
    // Six batches per epoch, which ends with a cycle; five before the first step of the hyper-parameters,
    // then one step after every second batch.
    assert_eq!(count(tuned), [(7, 1), (13, 4), (19, 7)]);
    assert_eq!(count(given), [(6, 0), (12, 0), (18, 0)]);
}

#[test]
fn hyper_parameters_move_and_stay_valid() {
    let settings = settings(tuned);
    let trace = run(&settings, &mut Nowhere, |_| false).unwrap();
    let (first, last) = (&trace.steps[0], &trace.steps[trace.steps.len() - 1]);
    for (i, hyper) in settings.hypers.iter().enumerate() {
        let (low, high) = hyper.range.ends();
        assert!((low..=high).contains(&last.values[i]), "{}: {}", hyper.name, last.values[i]);
        if let Range::Interval { .. } = hyper.range {
            assert_ne!(first.values[i], last.values[i], "{}", hyper.name);
        }
        assert_ne!(first.scales[i], last.scales[i], "{}", hyper.name);
    }
}

#[test]
fn a_training_is_the_same_again_and_from_a_checkpoint() {
    for control in [tuned, given] {
        let settings = settings(control);
        let whole = run(&settings, &mut Nowhere, |_| false).unwrap();
        assert_eq!(run(&settings, &mut Nowhere, |_| false).unwrap(), whole);
        let mut last = Last::default();
        for after in [6, 12] {
            let stopped = run(&settings, &mut last, |row| row.batches >= after);
            assert!(matches!(stopped, Err(TorchError::Interrupted)));
        }
        assert_eq!(run(&settings, &mut last, |_| false).unwrap(), whole);
    }
}

#[test]
fn a_training_goes_on_from_files() {
    for control in [tuned, given] {
        let settings = settings(control);
        let whole = run(&settings, &mut Nowhere, |_| false).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for after in [6, 12] {
            let mut keep = Folder::new(folder.path());
            assert!(run(&settings, &mut keep, |row| row.batches >= after).is_err());
        }
        let mut first = u64::MAX;
        let after = std::cell::RefCell::new(&mut first);
        let mut keep = Folder::new(folder.path());
        let trace = run(&settings, &mut keep, |row| {
            let mut first = after.borrow_mut();
            **first = row.batches.min(**first);
            false
        });
        assert_eq!(trace.unwrap(), whole);
        assert!(first >= 12, "it did not start anew: {first}");
    }
}

#[test]
fn each_part_of_the_images_has_its_use() {
    let last = |control, seeds| {
        let trace = run_on(seeds, &settings(control), &mut Nowhere, |_| false).unwrap();
        let values = trace.steps.last().unwrap().values.clone();
        let test = trace.best().unwrap().test_loss;
        let row = trace.epochs[trace.epochs.len() - 1];
        [vec![row.train_loss], vec![row.valid_loss], test.into_iter().collect(), values]
    };
    for control in [tuned, given] {
        let [train, valid, test, values] = last(control, [1, 2, 3]);
        let other = last(control, [1, 2, 7]);
        assert_eq!([&other[0], &other[1], &other[3]], [&train, &valid, &values]);
        assert_ne!(other[2], test);
        let other = last(control, [1, 7, 3]);
        assert_ne!(other[1], valid);
        // Only tuned hyper-parameters learn from validation images.
        let tunes = settings(control).control.tunes();
        assert_eq!(other[3] != values, tunes);
        assert!(tunes || other[0] == train);
        let other = last(control, [7, 2, 3]);
        assert_ne!(other[0], train);
    }
}

#[test]
fn every_hyper_parameter_changes_the_training() {
    let losses = |settings: &StCnn| {
        let mut settings = settings.clone();
        settings.descent.epochs = 1;
        run(&settings, &mut Nowhere, |_| false).unwrap().epochs[0].train_loss
    };
    let settings = settings(given);
    let before = losses(&settings);
    for i in 0..settings.hypers.len() {
        let mut other = settings.clone();
        let (_, high) = other.hypers[i].range.ends();
        other.hypers[i].start = 0.8 * high;
        assert_ne!(losses(&other), before, "{}", other.hypers[i].name);
    }
}
