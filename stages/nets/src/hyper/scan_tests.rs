//! Compares scans with libtorch's own differentiation of the same steps in double precision.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use tch::{Device, Kind, Tensor};

use super::{
    Builder, HyperLstm, Memory,
    scan::{self, Scan},
};
use crate::parameters::{Parameters, Placement};

const HYPERS: usize = 3;
const BATCH: i64 = 5;
const UNITS: i64 = 6;

/// Two layers, one on the other.
struct Stack {
    layers: [HyperLstm; 2],
    own: Parameters,
    kind: Kind,
}

fn wave(shape: &[i64], frequency: f64) -> Tensor {
    let count: i64 = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| (1.0 + frequency * i as f64).sin()).collect();
    Tensor::from_slice(&values).view(shape)
}

impl Stack {
    fn new(hypers: usize, kind: Kind) -> Self {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let mut builder = Builder::new(hypers, &mut rng);
        let layers = [4, UNITS as usize].map(|i| HyperLstm::new(&mut builder, i, UNITS as usize));
        let mut own =
            Parameters::new(&builder.listing, Placement { device: Device::Cpu, kind }).unwrap();
        own.flat.copy_(&wave(&[own.flat.numel() as i64], 0.9));
        Self { layers, own, kind }
    }

    fn start(&self) -> [Memory; 2] {
        let state = |frequency| wave(&[BATCH, UNITS], frequency).to_kind(self.kind);
        [0.4, 0.6].map(|f| Memory { hidden: state(f), cell: state(f + 0.3) })
    }

    /// A loss of both layers' outputs, with its scans, the last outputs and the state at the end.
    fn pass(&self, hypers: Option<&Tensor>, scanned: bool) -> (Tensor, Vec<Scan>, Vec<Tensor>) {
        let as_here = |x: Tensor| x.to_kind(self.kind);
        let (mut scans, mut memory) = (Vec::new(), self.start());
        let mut go = |i: usize, x: &Tensor, mask: Option<&Tensor>| {
            let scans = scanned.then_some(&mut scans);
            let (layer, parts) = (&self.layers[i], &self.own.parts);
            layer.forward(parts, x, hypers, mask, &mut memory[i], scans).unwrap()
        };
        let mask = as_here(wave(&self.layers[0].connections(), 0.3));
        let first = go(0, &as_here(wave(&[7, BATCH, 4], 1.7)), Some(&mask));
        let last = go(1, &(&first * as_here(wave(&[UNITS], 2.1))), None);
        // The outputs of the first layer are used twice.
        let loss =
            (last.tanh() * as_here(wave(&last.size(), 0.6))).sum(None) + first.square().mean(None);
        let state = memory.into_iter().flat_map(|m| [m.hidden, m.cell]);
        (loss, scans, [last.detach()].into_iter().chain(state).collect())
    }
}

/// The largest difference, as a share of the largest value.
fn apart(a: &Tensor, b: &Tensor) -> f64 {
    let (a, b) = (a.to_kind(Kind::Double), b.to_kind(Kind::Double));
    assert_eq!(a.size(), b.size());
    let most = |x: &Tensor| x.abs().max().double_value(&[]);
    most(&(&a - &b)) / most(&b)
}

#[test]
fn scans_are_what_libtorch_differentiates() {
    let each = wave(&[BATCH, HYPERS as i64], 2.3);
    let shared = each.narrow(0, 2, 1);
    for (count, hypers) in [(0, None), (HYPERS, Some(&each)), (HYPERS, Some(&shared))] {
        let found = |kind: Kind| {
            let stack = Stack::new(count, kind);
            let hypers = hypers.map(|h| h.to_kind(kind).set_requires_grad(true));
            let (loss, scans, mut found) = stack.pass(hypers.as_ref(), true);
            assert_eq!(scans.len(), if kind == Kind::Float { 2 } else { 0 });
            let of: Vec<&Tensor> = stack.own.parts.iter().chain(&hypers).collect();
            found.extend(scan::gradients(&loss, &scans, &of, true).unwrap());
            if let Some(hypers) = &hypers {
                // Without the gradients by weights the other is the same, bit for bit.
                let (loss, scans, _) = stack.pass(Some(hypers), true);
                let alone = scan::gradients(&loss, &scans, &[hypers], false).unwrap();
                assert_eq!(alone.last(), found.last());
            }
            found
        };
        let (ours, exact) = (found(Kind::Float), found(Kind::Double));
        assert_eq!(ours.len(), exact.len());
        for (i, (ours, exact)) in ours.iter().zip(&exact).enumerate() {
            assert!(apart(ours, exact) < 5e-6, "{count} {i}: {}", apart(ours, exact));
        }
    }
}

#[test]
fn a_scan_is_asked_for() {
    let stack = Stack::new(0, Kind::Float);
    let (loss, scans, _) = stack.pass(None, false);
    assert!(scans.is_empty());
    let of: Vec<&Tensor> = stack.own.parts.iter().collect();
    assert_eq!(scan::gradients(&loss, &scans, &of, true).unwrap().len(), of.len());
}
