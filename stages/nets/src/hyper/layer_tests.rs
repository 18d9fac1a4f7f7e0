//! Compares layers with their definition: weights that are a function of the hyper-parameters.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;
use tch::{Device, Kind, Tensor};

use super::{Builder, HyperConvolution, HyperEmbedding, HyperLinear, HyperLstm, Memory, Shape};
use crate::parameters::{Parameters, Placement, gradients};

const PLACEMENT: Placement = Placement { device: Device::Cpu, kind: Kind::Double };
const HYPERS: usize = 3;
const BATCH: i64 = 5;

/// A layer and its parameters, all far from their initial values, so that no term is small.
fn built<L>(make: impl FnOnce(&mut Builder<'_>) -> L) -> (L, Parameters) {
    let mut rng = ChaCha12Rng::seed_from_u64(4);
    let mut builder = Builder::new(HYPERS, &mut rng);
    let layer = make(&mut builder);
    let mut parameters = Parameters::new(&builder.listing, PLACEMENT).unwrap();
    let count = parameters.flat.numel();
    parameters.flat.copy_(&wave(&[count as i64], 0.9));
    (layer, parameters)
}

/// Generic values within ±1.
fn wave(shape: &[i64], frequency: f64) -> Tensor {
    let count: i64 = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| (1.0 + frequency * i as f64).sin()).collect();
    Tensor::from_slice(&values).view(shape)
}

fn apart(a: &Tensor, b: &Tensor) -> f64 {
    assert_eq!(a.size(), b.size());
    (a - b).abs().max().double_value(&[])
}

/// The first half and the second half of a parameter.
fn halves(part: &Tensor) -> (Tensor, Tensor) {
    let half = part.size()[0] / 2;
    (part.narrow(0, 0, half), part.narrow(0, half, half))
}

/// Ŵ and b̂ of an example: eq. (10) with the factor of the public code.
fn response(parts: &[Tensor], hypers: &Tensor) -> (Tensor, Tensor) {
    let [weight, bias, map, factor] = parts else { panic!("four parameters") };
    let scales = map.mv(hypers);
    let (scale, shift) = halves(&scales);
    let ((w, w_hyper), (b, b_hyper)) = (halves(weight), halves(bias));
    let mut rows = vec![1; weight.dim()];
    rows[0] = -1;
    (factor * w + scale.view(rows.as_slice()) * w_hyper, factor * b + shift * b_hyper)
}

#[test]
fn linear_examples_have_weights_of_their_own() {
    let (layer, own) = built(|b| HyperLinear::new(b, 4, 2, true));
    let (x, hypers) = (wave(&[BATCH, 4], 1.7), wave(&[BATCH, HYPERS as i64], 2.3));
    let all = layer.forward(&own.parts, &x, Some(&hypers)).unwrap();
    for i in 0..BATCH {
        let (weight, bias) = response(&own.parts, &hypers.get(i));
        let expected = weight.mv(&x.get(i)) + bias;
        assert!(apart(&all.get(i), &expected) < 1e-14);
    }
    // Without hyper-parameters the response is left out.
    let none = layer.forward(&own.parts, &x, None).unwrap();
    let zero = layer.forward(&own.parts, &x, Some(&hypers.zeros_like())).unwrap();
    assert!(apart(&none, &zero) < 1e-14);
    assert!(apart(&none, &all) > 0.1);
}

#[test]
fn convolution_examples_have_filters_of_their_own() {
    let shape = Shape { inputs: 2, outputs: 3, side: 3, stride: 2, padding: 1 };
    let (layer, own) = built(|b| HyperConvolution::new(b, shape, true));
    let (x, hypers) = (wave(&[BATCH, 2, 6, 6], 1.7), wave(&[BATCH, HYPERS as i64], 2.3));
    let all = layer.forward(&own.parts, &x, Some(&hypers)).unwrap();
    assert_eq!(all.size(), [BATCH, 3, 3, 3]);
    for i in 0..BATCH {
        let (weight, bias) = response(&own.parts, &hypers.get(i));
        let expected = x.narrow(0, i, 1).conv2d(&weight, Some(bias), [2, 2], [1, 1], [1, 1], 1);
        assert!(apart(&all.narrow(0, i, 1), &expected) < 1e-13);
    }
    let none = layer.forward(&own.parts, &x, None).unwrap();
    let zero = layer.forward(&own.parts, &x, Some(&hypers.zeros_like())).unwrap();
    assert!(apart(&none, &zero) < 1e-14);
}

#[test]
fn embedded_words_have_vectors_of_their_sequence() {
    let (layer, own) = built(|b| HyperEmbedding::new(b, 7, 4));
    let words = Tensor::from_slice(&[0_i64, 3, 6, 6, 1, 2]).view([2, 3]);
    let hypers = wave(&[3, HYPERS as i64], 2.3);
    let factors = Tensor::from_slice(&[1.0, 2.0, 3.0, 0.0, 1.0, 1.0, 0.5]).view([7, 1]);
    let all = layer.forward(&own.parts, &words, Some(&hypers), Some(&factors)).unwrap();
    let (table, map) = (&own.parts[0], &own.parts[1]);
    for t in 0..2 {
        for b in 0..3 {
            let word = words.int64_value(&[t, b]);
            let row = table.get(word);
            let expected = row.narrow(0, 0, 4) + map.mv(&hypers.get(b)) * row.narrow(0, 4, 4);
            let expected = expected * factors.get(word);
            assert!(apart(&all.get(t).get(b), &expected) < 1e-14);
        }
    }
    assert!(apart(&layer.elementary(&own.parts).unwrap(), &table.narrow(1, 0, 4)) == 0.0);
}

/// The equations of an LSTM, written out, for one sequence with weights of its own.
fn lstm(own: &Parameters, x: &Tensor, hypers: &Tensor, mask: &Tensor) -> Vec<Tensor> {
    let gates = |parts: &[Tensor]| {
        let [weight, bias, map] = parts else { panic!("three parameters") };
        let scales = map.mv(hypers);
        let (scale, shift) = halves(&scales);
        let ((w, w_hyper), (b, b_hyper)) = (halves(weight), halves(bias));
        (w + scale.view([-1, 1]) * w_hyper, b + shift * b_hyper)
    };
    let ((of_input, bias), (of_hidden, other)) = (gates(&own.parts[..3]), gates(&own.parts[3..]));
    let of_hidden = of_hidden * mask;
    let (mut h, mut c) = (wave(&[2], 0.4), wave(&[2], 0.7));
    let step = |t: i64| {
        let sums = of_input.mv(&x.get(t)) + &bias + of_hidden.mv(&h) + &other;
        let [f, i, o] = [0, 2, 4].map(|at| sums.narrow(0, at, 2).sigmoid());
        c = f * &c + i * sums.narrow(0, 6, 2).tanh();
        h = o * c.tanh();
        h.shallow_clone()
    };
    (0..x.size()[0]).map(step).collect()
}

#[test]
fn sequences_have_weights_of_their_own() {
    let (layer, own) = built(|b| HyperLstm::new(b, 3, 2));
    let (x, hypers) = (wave(&[4, BATCH, 3], 1.7), wave(&[BATCH, HYPERS as i64], 2.3));
    let mask = wave(&layer.connections(), 0.3);
    let start = |frequency| wave(&[2], frequency).repeat([BATCH, 1]);
    let mut memory = Memory { hidden: start(0.4), cell: start(0.7) };
    let all = layer.forward(&own.parts, &x, Some(&hypers), Some(&mask), &mut memory, None).unwrap();
    for i in 0..BATCH {
        let expected = lstm(&own, &x.select(1, i), &hypers.get(i), &mask);
        assert!(apart(&all.select(1, i), &Tensor::stack(&expected, 0)) < 1e-14);
        assert!(apart(&memory.hidden.get(i), expected.last().unwrap()) < 1e-14);
    }
    // Without hyper-parameters only the elementary weights.
    let mut memory = Memory { hidden: start(0.4), cell: start(0.7) };
    let none = layer.forward(&own.parts, &x, None, Some(&mask), &mut memory, None).unwrap();
    let expected = lstm(&own, &x.select(1, 0), &hypers.get(0).zeros_like(), &mask);
    assert!(apart(&none.select(1, 0), &Tensor::stack(&expected, 0)) < 1e-14);
}

/// The largest difference between central differences and the derivatives with respect to all parameters and
/// hyper-parameters.
fn off(own: &mut Parameters, hypers: &Tensor, loss: &dyn Fn(&[Tensor], &Tensor) -> Tensor) -> f64 {
    const STEP: f64 = 1e-6;
    let hypers = hypers.detach().set_requires_grad(true);
    let by_weights = gradients(&loss(&own.parts, &hypers), &[own]).unwrap().swap_remove(0);
    let by_hypers = Tensor::run_backward(&[loss(&own.parts, &hypers)], &[&hypers], false, false);
    let value = |parts: &[Tensor], h: &Tensor| tch::no_grad(|| loss(parts, h).double_value(&[]));
    let mut most: f64 = 0.0;
    for i in 0..own.flat.numel() as i64 {
        let at = own.flat.double_value(&[i]);
        let moved = |by: f64| {
            _ = own.flat.get(i).fill_(at + by);
            value(&own.parts, &hypers)
        };
        let slope = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        _ = moved(0.0);
        most = most.max((slope - by_weights.double_value(&[i])).abs());
    }
    let (flat, found) = (hypers.detach().view(-1), by_hypers[0].reshape([-1]));
    for i in 0..flat.numel() as i64 {
        let at = flat.double_value(&[i]);
        let moved = |by: f64| {
            _ = flat.get(i).fill_(at + by);
            value(&own.parts, &flat.view_as(&hypers))
        };
        let slope = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        _ = moved(0.0);
        most = most.max((slope - found.double_value(&[i])).abs());
    }
    most
}

#[test]
fn gradients_are_differences() {
    let hypers = wave(&[BATCH, HYPERS as i64], 2.3);
    let squared = |y: Tensor| (y.tanh() * wave(&y.size(), 0.6)).sum(Kind::Double);

    let (layer, mut own) = built(|b| HyperLinear::new(b, 4, 2, true));
    let x = wave(&[BATCH, 4], 1.7);
    let loss = |p: &[Tensor], h: &Tensor| squared(layer.forward(p, &x, Some(h)).unwrap());
    assert!(off(&mut own, &hypers, &loss) < 1e-8);

    let shape = Shape { inputs: 2, outputs: 2, side: 3, stride: 1, padding: 1 };
    let (layer, mut own) = built(|b| HyperConvolution::new(b, shape, true));
    let x = wave(&[BATCH, 2, 4, 4], 1.7);
    let loss = |p: &[Tensor], h: &Tensor| squared(layer.forward(p, &x, Some(h)).unwrap());
    assert!(off(&mut own, &hypers, &loss) < 1e-8);

    let (layer, mut own) = built(|b| HyperLstm::new(b, 3, 2));
    let x = wave(&[3, BATCH, 3], 1.7);
    let mask = wave(&layer.connections(), 0.3);
    let loss = |p: &[Tensor], h: &Tensor| {
        let zeros = || Tensor::zeros([BATCH, 2], (Kind::Double, Device::Cpu));
        let mut memory = Memory { hidden: zeros(), cell: zeros() };
        squared(layer.forward(p, &x, Some(h), Some(&mask), &mut memory, None).unwrap())
    };
    assert!(off(&mut own, &hypers, &loss) < 1e-8);
}

#[test]
fn responses_are_marked() {
    let (layer, own) = built(|b| HyperLinear::new(b, 4, 2, true));
    let mut marks: Vec<Vec<f32>> = own.parts.iter().map(|p| vec![0.0; p.numel()]).collect();
    layer.mark(&mut marks);
    // W_hyper, b_hyper and the map; not W_elem, b_elem and the factor.
    assert_eq!(marks[0], [[0.0; 8], [1.0; 8]].concat());
    assert_eq!(marks[1], [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(marks[2], [1.0; 12]);
    assert_eq!(marks[3], [0.0]);
}
