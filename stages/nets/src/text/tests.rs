//! Tests trainings on small texts whose next word is known.

use models::neural::{
    language::{Language, Text, names},
    self_tuning::{
        Control, Decay, Hyper, Range, Response, Scale, Schedule, SgdConfig, Trace, Tuning,
    },
};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Device, Kind, Tensor};

use super::TextTraining;
use crate::{
    error::TorchError,
    hyper::{Checkpoint, Drawn, Held, Keep, Nowhere, Recipe, Tunable as _, tune},
    parameters::Placement,
};

const PLACEMENT: Placement = Placement { device: Device::Cpu, kind: Kind::Double };

const SMALL: Language = Language {
    layers: 2,
    units: 6,
    embedding: 5,
    tied: true,
    batch: 4,
    bptt: 7,
    evaluation_batch: 3,
    penalised: true,
};

struct Corpus {
    train: Vec<u32>,
    validation: Vec<u32>,
    test: Vec<u32>,
}

impl Corpus {
    fn text(&self) -> Text<'_> {
        let Self { train, validation, test } = self;
        Text { train, validation, test, vocabulary: 9 }
    }
}

/// Texts in which the next word follows from the last one, except for every seventh.
fn corpus() -> Corpus {
    let text = |n: u32, from: u32| (from..from + n).map(|i| (i + i / 7) % 9).collect();
    Corpus { train: text(300, 0), validation: text(120, 40), test: text(100, 4) }
}

fn hypers() -> Vec<Hyper> {
    let hyper = |name: &&str| {
        let penalty = name.contains("activation");
        let range = if penalty { Range::Positive } else { Range::Interval { low: 0.0, high: 1.0 } };
        let shared = penalty || *name == "embedding-dropout" || *name == "drop-connect";
        Hyper { name: (*name).to_owned(), range, start: 0.05, shared }
    };
    names().iter().map(hyper).collect()
}

fn tuning() -> Control {
    Control::Tuned(Tuning {
        train_steps: 2,
        valid_steps: 1,
        warm_up_batches: 11,
        learning_rate: 0.01,
        scale: Scale::Fixed(1.0),
        perturb_validation: false,
        response: Response::Absolute,
    })
}

fn descent(epochs: usize) -> SgdConfig {
    let decay = Decay { factor: 0.25, window: 5, minimum_rate: 0.0, patience: 100 };
    SgdConfig { learning_rate: 2.0, momentum: 0.0, clip: Some(0.25), epochs, decay }
}

fn training<'a>(options: &Language, corpus: &'a Corpus, responds: bool) -> TextTraining<'a> {
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    TextTraining::new(options, corpus.text(), &hypers(), responds, PLACEMENT, &mut rng).unwrap()
}

fn trained(control: &Control, epochs: usize, keep: &mut dyn Keep) -> Result<Trace, TorchError> {
    descended(control, &descent(epochs), keep)
}

fn descended(
    control: &Control,
    descent: &SgdConfig,
    keep: &mut dyn Keep,
) -> Result<Trace, TorchError> {
    let (corpus, hypers) = (corpus(), hypers());
    let mut training = training(&SMALL, &corpus, control.tunes());
    let recipe = Recipe { hypers: &hypers, control, descent, placement: PLACEMENT };
    let rng = ChaCha12Rng::seed_from_u64(6);
    tune(&mut training, &recipe, rng, keep, &mut |_| {}, &|| false)
}

/// All hyper-parameters at one value, with the input of the response.
fn drawn(rows: usize, value: f64, responds: bool) -> Drawn {
    let n = names().len();
    let response = Tensor::full([rows as i64, n as i64], 0.3, (Kind::Double, Device::Cpu));
    Drawn::new(responds.then_some(response), vec![value; rows * n], n)
}

#[test]
fn a_texts_loss_does_not_depend_on_where_it_is_cut() {
    let corpus = corpus();
    for responds in [false, true] {
        let loss = |bptt, value| {
            let mut training = training(&Language { bptt, ..SMALL }, &corpus, responds);
            let hypers = drawn(1, value, responds);
            let evaluated = training.evaluate(Held::Test, &hypers, &|| false).unwrap();
            evaluated.unwrap().loss
        };
        let whole = loss(1000, 0.1);
        for bptt in [1, 7, 32] {
            assert!((loss(bptt, 0.1) - whole).abs() < 1e-13);
        }
        // Nothing is dropped or penalised in evaluation.
        assert_eq!(loss(7, 0.9), loss(7, 0.1));
        assert!((whole - 9.0_f64.ln()).abs() < 0.2, "{whole}");
    }
}

#[test]
fn a_passes_batches_are_its_text() {
    let corpus = corpus();
    let mut training = training(&SMALL, &corpus, false);
    let mut seen: Vec<Vec<i64>> = vec![Vec::new(); 4];
    while training.epoch() == 0 {
        let forward = training.train(&drawn(4, 0.0, false)).unwrap();
        let next: Vec<i64> = forward.targets.try_into().unwrap();
        next.iter().enumerate().for_each(|(i, &word)| seen[i % 4].push(word));
    }
    // 300 words in 4 rows of 75: each word except the first of its row is predicted once.
    for (row, seen) in corpus.train.chunks(75).zip(&seen) {
        let expected: Vec<i64> = row[1..].iter().map(|&word| i64::from(word)).collect();
        assert_eq!(*seen, expected);
    }
}

#[test]
fn penalties_are_those_of_the_last_layer() {
    let corpus = corpus();
    let mut zero = training(&SMALL, &corpus, false);
    let mut some = training(&SMALL, &corpus, false);
    let n = names().len();
    let with = |alpha: f64, beta: f64| {
        let mut row = vec![0.0; n];
        row[5] = alpha;
        row[6] = beta;
        Drawn::new(None, row.repeat(4), n)
    };
    let value = |t: Option<Tensor>| t.map_or(0.0, |t| t.double_value(&[]));
    let none = zero.train(&with(0.0, 0.0)).unwrap();
    assert_eq!(value(none.penalty), 0.0);
    let both = some.train(&with(2.0, 3.0)).unwrap();
    assert_eq!(both.logits, none.logits);
    // Linear in both coefficients.
    let alone = |alpha, beta| {
        let mut fresh = training(&SMALL, &corpus, false);
        value(fresh.train(&with(alpha, beta)).unwrap().penalty)
    };
    let (first, second) = (alone(1.0, 0.0), alone(0.0, 1.0));
    assert!(first > 1e-4 && second > 1e-6 && second < 4.0 * first);
    assert!((value(both.penalty) - 2.0 * first - 3.0 * second).abs() < 1e-14);
}

/// The last layer's outputs follow from logits and decoder: their mean square, and that of their changes, are penalised,
/// and not the norms that \[MacKay2019\] prints in eqs. (63) and (64).
#[test]
fn penalties_are_mean_squares() {
    let corpus = corpus();
    let penalised = |alpha: f64, beta: f64| {
        let mut training = training(&Language { tied: false, ..SMALL }, &corpus, false);
        let mut row = vec![0.0; names().len()];
        row[5] = alpha;
        row[6] = beta;
        let said = training.train(&Drawn::new(None, row.repeat(4), names().len())).unwrap();
        let [.., decoder, bias] = training.weights().parts.as_slice() else { panic!("a decoder") };
        let outputs = (said.logits - bias).matmul(&decoder.transpose(0, 1).pinverse(1e-12));
        (said.penalty.unwrap().double_value(&[]), outputs.reshape([7, 4, 6]))
    };
    let mean_square = |x: &Tensor| x.square().mean(Kind::Double).double_value(&[]);
    let (activation, outputs) = penalised(1.0, 0.0);
    assert!((activation - mean_square(&outputs)).abs() < 1e-12, "{activation}");
    let (temporal, outputs) = penalised(0.0, 1.0);
    let change = outputs.narrow(0, 1, 6) - outputs.narrow(0, 0, 6);
    assert!((temporal - mean_square(&change)).abs() < 1e-12, "{temporal}");
}

#[test]
fn all_dropped_outputs_leave_the_bias() {
    let corpus = corpus();
    let mut training = training(&SMALL, &corpus, false);
    let logits = training.train(&drawn(4, 1.0, false)).unwrap().logits;
    assert!((&logits - logits.get(0)).abs().max().double_value(&[]) < 1e-15);
}

/// Keeps a checkpoint, and fails after a given number.
struct Kept(Option<Vec<(String, Tensor)>>, u32);

impl Keep for Kept {
    fn load(&mut self) -> Result<Option<Checkpoint>, TorchError> {
        Ok(self.0.take().map(Checkpoint::new))
    }

    fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), TorchError> {
        let copy = |(name, tensor): &(String, Tensor)| (name.clone(), tensor.copy());
        self.0 = Some(checkpoint.tensors().iter().map(copy).collect());
        self.1 = self.1.wrapping_sub(1);
        if self.1 == 0 { Err(TorchError::Interrupted) } else { Ok(()) }
    }
}

#[test]
fn a_killed_training_ends_as_if_it_had_not_been() {
    for control in [tuning(), Control::Given(vec![Schedule::Fixed; names().len()])] {
        let whole = trained(&control, 5, &mut Nowhere).unwrap();
        let mut keep = Kept(None, 2);
        assert!(trained(&control, 5, &mut keep).is_err());
        assert_eq!(trained(&control, 5, &mut keep).unwrap(), whole);
    }
}

#[test]
fn texts_are_learned_while_hyper_parameters_move() {
    let trace = trained(&tuning(), 30, &mut Nowhere).unwrap();
    let (first, last) = (&trace.epochs[0], trace.epochs.last().unwrap());
    assert!(last.valid_loss < first.valid_loss - 0.2, "{first:?} {last:?}");
    let moved = trace.steps[0].values.iter().zip(&trace.steps.last().unwrap().values);
    assert!(moved.clone().all(|(a, b)| (a - b).abs() > 1e-4), "{moved:?}");
}

#[test]
fn the_response_to_departures_is_learned_too() {
    let Control::Tuned(tuning) = tuning() else { panic!("it tunes") };
    let control = Control::Tuned(Tuning { response: Response::Centred, ..tuning });
    // Weights are updated on every second batch: the learning rate must not decay before they have begun to
    // learn.
    let mut steady = descent(60);
    steady.decay.factor = 1.0;
    let trace = descended(&control, &steady, &mut Nowhere).unwrap();
    let (first, last) = (&trace.epochs[0], trace.epochs.last().unwrap());
    assert!(last.valid_loss < first.valid_loss - 0.1, "{first:?} {last:?}");
    assert!(last.moves > 0 && !trace.diverged);
}

#[test]
fn short_texts_and_unknown_words_are_refused() {
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    let mut said = |corpus: &Corpus| {
        let made = TextTraining::new(&SMALL, corpus.text(), &hypers(), true, PLACEMENT, &mut rng);
        made.unwrap_err().to_string()
    };
    let short = Corpus { validation: vec![1; 7], ..corpus() };
    assert_eq!(said(&short), "the validation text has 7 words: expected at least 8");
    let strange = Corpus { train: vec![9; 100], ..corpus() };
    assert_eq!(said(&strange), "the training text has word 9 of 9");
}
