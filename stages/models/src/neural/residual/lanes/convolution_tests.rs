use super::{
    convolution::{Shape, backward_plans, convolve, forward_plan, weight_gradient},
    maps::{LANES, Maps},
};

/// Shapes with and without a rest of four channels, and sides that the stride divides or not.
const CASES: [(Shape, usize); 7] = [
    (Shape { from: 3, to: 4, kernel: 3, stride: 1 }, 8),
    (Shape { from: 4, to: 9, kernel: 3, stride: 2 }, 8),
    (Shape { from: 2, to: 5, kernel: 3, stride: 2 }, 9),
    (Shape { from: 5, to: 2, kernel: 3, stride: 1 }, 3),
    (Shape { from: 3, to: 8, kernel: 1, stride: 2 }, 7),
    (Shape { from: 6, to: 1, kernel: 1, stride: 1 }, 5),
    (Shape { from: 1, to: 1, kernel: 3, stride: 1 }, 2),
];
const BLOCKS: usize = 2;

fn wave(i: usize) -> f64 {
    (1.0 + 0.37 * i as f64).sin()
}

fn filled(channels: usize, side: usize, start: usize) -> Maps<f64> {
    let mut maps = Maps::zeros(channels, side, BLOCKS);
    for image in 0..BLOCKS * LANES {
        for channel in 0..channels {
            for pixel in 0..side * side {
                let at = maps.row(image / LANES, channel, pixel / side) + pixel % side;
                let i = (image * channels + channel) * side * side + pixel;
                maps.values[at].0[image % LANES] = wave(start + i);
            }
        }
    }
    maps
}

/// A pixel, 0 beyond the edge.
fn pixel(maps: &Maps<f64>, image: usize, channel: usize, y: isize, x: isize) -> f64 {
    let within = |v: isize| (0..maps.side as isize).contains(&v);
    if !within(y) || !within(x) {
        return 0.0;
    }
    maps.values[maps.row(image / LANES, channel, y as usize) + x as usize].0[image % LANES]
}

fn dot(a: &Maps<f64>, b: &Maps<f64>) -> f64 {
    let pairs = a.values.iter().zip(&b.values);
    pairs.flat_map(|(a, b)| a.0.iter().zip(&b.0)).map(|(a, b)| a * b).sum()
}

fn borders_are_zero(maps: &Maps<f64>) -> bool {
    let side = maps.side as isize;
    let edge = |v: usize| v == 0 || v == maps.pitch() - 1;
    assert!(side > 0);
    maps.values.iter().enumerate().all(|(at, v)| {
        let (y, x) = (at % maps.plane() / maps.pitch(), at % maps.pitch());
        !(edge(y) || edge(x)) || v.0 == [0.0; LANES]
    })
}

fn outputs(
    shape: &Shape,
    input: &Maps<f64>,
    weights: &[f64],
    offsets: Option<&[f64]>,
) -> Maps<f64> {
    let mut plan = forward_plan(shape, input.side);
    plan.pack(shape, weights, false);
    let mut out = Maps::zeros(shape.to, shape.side(input.side), BLOCKS);
    convolve(&plan, input, offsets, false, &mut out, BLOCKS);
    out
}

#[test]
fn outputs_are_sums_over_the_kernel() {
    for (shape, side) in CASES {
        let weights: Vec<f64> = (0..shape.weights()).map(|i| wave(7 * i)).collect();
        let offsets: Vec<f64> = (0..shape.to).map(wave).collect();
        let input = filled(shape.from, side, 3);
        let out = outputs(&shape, &input, &weights, Some(&offsets));
        assert!(borders_are_zero(&out));
        let (k, pad) = (shape.kernel, (shape.kernel / 2) as isize);
        for image in [0, LANES - 1, LANES + 3] {
            for (o, offset) in offsets.iter().enumerate() {
                for (y, x) in (0..out.side).flat_map(|y| (0..out.side).map(move |x| (y, x))) {
                    let mut sum = *offset;
                    for (i, tap) in (0..shape.from).flat_map(|i| (0..k * k).map(move |t| (i, t))) {
                        let at = |v: usize, t: usize| (v * shape.stride + t) as isize - pad;
                        let weight = weights[(o * shape.from + i) * k * k + tap];
                        sum += weight * pixel(&input, image, i, at(y, tap / k), at(x, tap % k));
                    }
                    let ours = pixel(&out, image, o, y as isize, x as isize);
                    assert!((ours - sum).abs() < 1e-13 * 50.0, "{shape:?}: {ours} {sum}");
                }
            }
        }
    }
}

#[test]
fn backward_sweeps_are_transposes() {
    for (shape, side) in CASES {
        let weights: Vec<f64> = (0..shape.weights()).map(|i| wave(7 * i)).collect();
        let input = filled(shape.from, side, 3);
        let out = outputs(&shape, &input, &weights, None);
        let delta = filled(shape.to, out.side, 11);
        let whole = dot(&out, &delta);

        let mut below = Maps::zeros(shape.from, side, BLOCKS);
        for plan in &mut backward_plans(&shape, side) {
            plan.pack(&shape, &weights, true);
            convolve(plan, &delta, None, false, &mut below, BLOCKS);
        }
        assert!(borders_are_zero(&below));
        assert!((dot(&input, &below) - whole).abs() < 1e-10, "{shape:?}");
        let once = below.clone();
        for plan in &mut backward_plans(&shape, side) {
            plan.pack(&shape, &weights, true);
            convolve(plan, &delta, None, true, &mut below, BLOCKS);
        }
        assert!((dot(&below, &once) - 2.0 * dot(&once, &once)).abs() < 1e-10, "{shape:?}: added");

        let mut gradient = vec![0.0; shape.weights()];
        weight_gradient(&shape, &input, &delta, BLOCKS, &mut Vec::new(), &mut gradient);
        let linear: f64 = gradient.iter().zip(&weights).map(|(g, w)| g * w).sum();
        assert!((linear - whole).abs() < 1e-10, "{shape:?}");
        // One weight at a time: the derivative along it is the product of the outputs that it makes alone.
        for weight in [0, shape.weights() / 2, shape.weights() - 1] {
            let mut alone = vec![0.0; shape.weights()];
            alone[weight] = 1.0;
            let along = dot(&outputs(&shape, &input, &alone, None), &delta);
            assert!((gradient[weight] - along).abs() < 1e-10, "{shape:?}, weight {weight}");
        }
    }
}
