//! Tests trainings on a problem whose solution is known: one weight, which should be a + bλ on training data
//! and v on validation data, for an unconstrained hyper-parameter λ.

use models::neural::self_tuning::{
    Control, Decay, Hyper, Range, Response, Scale, Schedule, SgdConfig, Trace, Tuning,
};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Device, Kind, Tensor};

use super::{
    Builder, Checkpoint, Drawn, Evaluation, Forward, Held, HyperLinear, Keep, Nowhere, Recipe,
    Tunable, tune, weights::Weights,
};
use crate::{
    error::TorchError,
    parameters::{Parameters, Placement},
};

const PLACEMENT: Placement = Placement { device: Device::Cpu, kind: Kind::Double };
const BATCH: usize = 16;
const BATCHES: usize = 50;
/// a, b and v.
const PROBLEM: (f64, f64, f64) = (0.3, 0.8, 0.9);

struct Toy {
    layer: HyperLinear,
    weights: Parameters,
    batches: usize,
}

impl Toy {
    fn new(hypers: usize) -> Self {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let mut builder = Builder::new(hypers, &mut rng);
        let layer = HyperLinear::new(&mut builder, 1, 1, false);
        let weights = Parameters::new(&builder.listing, PLACEMENT).unwrap();
        Self { layer, weights, batches: 0 }
    }

    fn weight(&self, hypers: &Drawn, count: usize) -> Tensor {
        let one = Tensor::ones([count as i64, 1], (Kind::Double, Device::Cpu));
        self.layer.forward(&self.weights.parts, &one, hypers.response.as_ref()).unwrap()
    }

    /// ½(w − target)² as a penalty; the logits are all equal.
    fn squared(weight: &Tensor, target: &Tensor) -> Forward {
        let logits = Tensor::zeros([1, 1], (Kind::Double, Device::Cpu));
        let penalty = (weight - target).square().mean(Kind::Double) * 0.5;
        Forward {
            logits,
            targets: Tensor::from_slice(&[0_i64]),
            penalty: Some(penalty),
            scans: Vec::new(),
        }
    }
}

impl Tunable for Toy {
    fn weights(&mut self) -> &mut Parameters {
        &mut self.weights
    }

    fn training_batch(&self) -> usize {
        BATCH
    }

    fn validation_batch(&self) -> usize {
        BATCH
    }

    fn epoch(&self) -> usize {
        self.batches / BATCHES
    }

    fn train(&mut self, hypers: &Drawn) -> Result<Forward, TorchError> {
        self.batches += 1;
        let (a, b, _) = PROBLEM;
        let target: Vec<f64> =
            hypers.of(0).map(|value| a + b * RANGE.unconstrained(value)).collect();
        let target = Tensor::from_slice(&target).view([-1, 1]);
        Ok(Self::squared(&self.weight(hypers, BATCH), &target))
    }

    fn validate(&mut self, hypers: &Drawn) -> Result<Forward, TorchError> {
        let target = Tensor::from_slice(&[PROBLEM.2]);
        Ok(Self::squared(&self.weight(hypers, BATCH), &target))
    }

    fn evaluate(
        &mut self,
        on: Held,
        hypers: &Drawn,
        _: &dyn Fn() -> bool,
    ) -> Result<Option<Evaluation>, TorchError> {
        let weight = self.weight(hypers, 1).double_value(&[0, 0]);
        let loss = (weight - PROBLEM.2).powi(2) / 2.0;
        let error = (on == Held::Test).then_some(weight);
        Ok(loss.is_finite().then_some(Evaluation { loss, error }))
    }

    fn mark(&self, marks: &mut [Vec<f32>]) {
        self.layer.mark(marks);
    }

    fn position(&self, all: &mut Checkpoint) {
        all.add_numbers("batches", &[self.batches as f64]);
    }

    fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError> {
        self.batches = from.numbers("batches")?[0] as usize;
        Ok(())
    }
}

fn tuning(scale: Scale) -> Tuning {
    Tuning {
        train_steps: 2,
        valid_steps: 1,
        warm_up_batches: 100,
        learning_rate: 0.01,
        scale,
        perturb_validation: true,
        response: Response::Absolute,
    }
}

fn descent(epochs: usize) -> SgdConfig {
    let decay = Decay { factor: 0.5, window: 1000, minimum_rate: 0.0, patience: 1000 };
    SgdConfig { learning_rate: 0.1, momentum: 0.5, clip: None, epochs, decay }
}

const RANGE: Range = Range::Interval { low: 0.0, high: 1.0 };

fn hypers() -> Vec<Hyper> {
    vec![Hyper { name: "p".to_owned(), range: RANGE, start: 0.4, shared: false }]
}

fn recipe<'a>(hypers: &'a [Hyper], control: &'a Control, descent: &'a SgdConfig) -> Recipe<'a> {
    Recipe { hypers, control, descent, placement: PLACEMENT }
}

fn trained(control: &Control, epochs: usize, keep: &mut dyn Keep) -> Result<Trace, TorchError> {
    let (hypers, descent) = (hypers(), descent(epochs));
    let mut toy = Toy::new(usize::from(control.tunes()));
    let rng = ChaCha12Rng::seed_from_u64(8);
    tune(&mut toy, &recipe(&hypers, control, &descent), rng, keep, &mut |_| {}, &|| false)
}

/// Keeps a checkpoint, and fails after a given number.
struct Kept(Option<Vec<(String, Tensor)>>, Option<u32>);

impl Keep for Kept {
    fn load(&mut self) -> Result<Option<Checkpoint>, TorchError> {
        Ok(self.0.take().map(Checkpoint::new))
    }

    fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), TorchError> {
        let copy = |(name, tensor): &(String, Tensor)| (name.clone(), tensor.copy());
        self.0 = Some(checkpoint.tensors().iter().map(copy).collect());
        match &mut self.1 {
            Some(0) => Err(TorchError::Interrupted),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

#[test]
fn hyper_parameters_go_where_the_validation_loss_is_least() {
    let (a, b, v) = PROBLEM;
    let control = Control::Tuned(tuning(Scale::Fixed(0.5)));
    let trace = trained(&control, 60, &mut Nowhere).unwrap();
    let last = trace.steps.last().unwrap();
    let found = RANGE.unconstrained(last.values[0]);
    assert!((found - (v - a) / b).abs() < 0.02, "{found}");
    assert!(trace.epochs.last().unwrap().valid_loss < 1e-4);
    // Two training batches per update of the hyper-parameters, after the warm-up.
    let epoch = trace.epochs.last().unwrap();
    assert!(epoch.batches.abs_diff(100 + 2 * epoch.moves) <= 2);
    assert_eq!(trace.steps.len() as u64, 1 + epoch.moves);
    assert_eq!(last.scales, [0.5]);
}

#[test]
fn the_perturbation_finds_the_width_its_entropy_pays_for() {
    // The expected loss is ½(… )² + ½b²σ² − τ ln σ, with its minimum at σ = √τ / b.
    let tau: f64 = 0.09;
    let scale = Scale::Learned { start: 1.0, learning_rate: 0.01, entropy: tau };
    let trace = trained(&Control::Tuned(tuning(scale)), 80, &mut Nowhere).unwrap();
    // Adam oscillates around the minimum, so that the last steps are averaged.
    let late = &trace.steps[trace.steps.len() - 500..];
    let mean = late.iter().map(|s| s.scales[0]).sum::<f64>() / 500.0;
    let expected = tau.sqrt() / PROBLEM.1;
    assert!((mean / expected - 1.0).abs() < 0.1, "{mean} {expected}");
}

#[test]
fn a_training_goes_on_from_its_checkpoint_as_if_never_stopped() {
    let scale = Scale::Learned { start: 0.7, learning_rate: 0.01, entropy: 0.01 };
    for control in
        [Control::Tuned(tuning(scale)), Control::Given(vec![Schedule::Noise { deviation: 0.1 }])]
    {
        let whole = trained(&control, 8, &mut Nowhere).unwrap();
        let mut keep = Kept(None, Some(4));
        assert!(matches!(trained(&control, 8, &mut keep), Err(TorchError::Interrupted)));
        keep.1 = None;
        let resumed = trained(&control, 8, &mut keep).unwrap();
        assert_eq!(resumed, whole);
    }
}

#[test]
fn a_longer_training_goes_on_from_the_end_of_a_shorter_one() {
    let control = Control::Given(vec![Schedule::Noise { deviation: 0.1 }]);
    let whole = trained(&control, 7, &mut Nowhere).unwrap();
    let mut keep = Kept(None, None);
    for epochs in [3, 4] {
        assert_eq!(trained(&control, epochs, &mut keep).unwrap().epochs, whole.epochs[..epochs]);
    }
    // Only three epochs are left to train.
    keep.1 = Some(3);
    assert_eq!(trained(&control, 7, &mut keep).unwrap(), whole);
    // And now no epoch.
    keep.1 = Some(0);
    assert_eq!(trained(&control, 7, &mut keep).unwrap(), whole);
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let control = Control::Tuned(tuning(Scale::Fixed(0.5)));
    let mut keep = Kept(Some(vec![("other".to_owned(), Tensor::from(1.0))]), None);
    let said = trained(&control, 2, &mut keep).unwrap_err().to_string();
    assert!(said.contains("`weights`"), "{said}");
}

#[test]
fn networks_of_given_courses_are_plain() {
    let control = Control::Given(vec![Schedule::Fixed]);
    let trace = trained(&control, 3, &mut Nowhere).unwrap();
    assert_eq!(trace.epochs.last().unwrap().moves, 0);
    assert_eq!(trace.steps.len(), 1);
    let mut toy = Toy::new(0);
    assert_eq!(toy.weights().flat.numel(), 2);
}

#[test]
fn a_diverged_training_ends() {
    let mut steep = descent(5);
    steep.learning_rate = 1e200;
    let (hypers, control) = (hypers(), Control::Given(vec![Schedule::Fixed]));
    let rng = ChaCha12Rng::seed_from_u64(8);
    let recipe = recipe(&hypers, &control, &steep);
    let trace = tune(&mut Toy::new(0), &recipe, rng, &mut Nowhere, &mut |_| {}, &|| false).unwrap();
    assert!(trace.diverged && trace.epochs.len() < 5);
}

#[test]
fn the_response_learns_from_the_linearisation_alone() {
    // The linearisation of a linear layer is the layer itself, so that the step can be computed directly.
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let mut builder = Builder::new(2, &mut rng);
    let layer = HyperLinear::new(&mut builder, 3, 4, false);
    let placement = PLACEMENT;
    let mut toy = Toy::new(2);
    toy.weights = Parameters::new(&builder.listing, placement).unwrap();
    toy.layer = layer;
    let wave = |n: i64, by: f64| {
        let values: Vec<f64> = (0..n).map(|i| (0.5 + by * i as f64).sin()).collect();
        Tensor::from_slice(&values)
    };
    let (x, departure) = (wave(15, 1.3).view([5, 3]), wave(10, 0.7).view([5, 2]));
    let targets = Tensor::from_slice(&[0_i64, 3, 1, 2, 2]);
    let count = toy.weights.flat.numel() as i64;
    toy.weights.flat.copy_(&wave(count, 0.9));

    let logits = |toy: &Toy, at: &Tensor| toy.layer.forward(&toy.weights.parts, &x, Some(at));
    let own = logits(&toy, &departure.zeros_like()).unwrap().detach();
    let full = logits(&toy, &departure).unwrap();
    let direct = super::cross_entropy(&full, &targets).unwrap();
    let gradient = crate::parameters::gradients(&direct, &[&toy.weights]).unwrap();
    let (before, rate) = (toy.weights.flat.copy(), 0.1);

    let origin = departure.zeros_like().set_requires_grad(true);
    let at_origin = logits(&toy, &origin).unwrap();
    assert_eq!(at_origin.detach(), own);
    let forward = Forward { logits: at_origin, targets, penalty: None, scans: Vec::new() };
    let mut weights = Weights::new(&mut toy, 0.9, None).unwrap();
    let loss = weights.respond(&mut toy, &forward, &origin, &departure, rate).unwrap();
    assert!((loss.double_value(&[]) - direct.double_value(&[])).abs() < 1e-14);
    let moved = (&toy.weights.flat - before) / -rate;
    let marks = {
        let mut marks: Vec<Vec<f32>> =
            toy.weights.parts.iter().map(|p| vec![0.0; p.numel()]).collect();
        toy.mark(&mut marks);
        Tensor::from_slice(&marks.concat()).to_kind(Kind::Double)
    };
    let off = (moved - &gradient[0] * &marks).abs().max().double_value(&[]);
    assert!(off < 1e-13, "{off}");
    let elsewhere: Tensor = &gradient[0] * (1.0 - marks);
    assert!(elsewhere.abs().max().double_value(&[]) > 0.01);
}
