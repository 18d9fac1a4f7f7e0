//! A mixed space and five kinds of losses on it, for the conformance tests.

use numerics::space::{Domain, Parameter, Space};

/// The space.
pub fn space() -> Space {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    Space::new(vec![
        parameter("shift", Domain::Float { low: -3.0, high: 2.0, log: false }),
        parameter("rate", Domain::Float { low: 1e-4, high: 1.0, log: true }),
        parameter("units", Domain::Int { low: 1, high: 40, log: false }),
        parameter("kind", Domain::Categorical { choices: 4 }),
    ])
    .unwrap()
}

/// A bowl with its minimum 0 at (0.7, 0.01, 13, 2).
pub fn bowl(config: &[f64]) -> f64 {
    let unit = space().to_unit(config);
    let target = space().to_unit(&[0.7, 0.01, 13.0, 2.0]);
    let square: f64 = unit.iter().zip(&target).take(3).map(|(u, t)| (u - t) * (u - t)).sum();
    square + if config[3] == 2.0 { 0.0 } else { 0.2 }
}

/// A loss of a configuration of the space.
pub type Function = fn(&[f64]) -> f64;

/// Five kinds of losses: all have one bottom, at the bowl's or, for the slope, in a corner.
pub const FUNCTIONS: [(&str, Function); 5] = [
    ("bowl", bowl),
    ("valley", valley),
    ("slope", slope),
    ("terrace", terrace),
    ("ripple", ripple),
];

/// Where a configuration lies from the bowl's bottom in the numbers, and what its category costs.
pub fn from_bottom(config: &[f64]) -> ([f64; 3], f64) {
    let unit = space().to_unit(config);
    let target = space().to_unit(&[0.7, 0.01, 13.0, 2.0]);
    let off = [0, 1, 2].map(|i| unit[i] - target[i]);
    (off, if config[3] == 2.0 { 0.0 } else { 0.2 })
}

/// Narrow, and oblique to the axes.
pub fn valley(config: &[f64]) -> f64 {
    let ([a, b, c], category) = from_bottom(config);
    4.0 * (a - b).powi(2) + 0.2 * (a + b).powi(2) + c * c + category
}

/// Lowest at the lower ends of the numbers, without curvature.
pub fn slope(config: &[f64]) -> f64 {
    let unit = space().to_unit(config);
    unit[0] + 0.5 * unit[1] + 0.5 * unit[2] + if config[3] == 2.0 { 0.0 } else { 0.2 }
}

/// Flat steps around the bottom.
pub fn terrace(config: &[f64]) -> f64 {
    (bowl(config) * 50.0).floor() / 50.0
}

/// The bowl with small waves on it.
pub fn ripple(config: &[f64]) -> f64 {
    let ([a, b, c], _) = from_bottom(config);
    let wave = |x: f64| 1.0 - (40.0 * x).cos();
    bowl(config) + 0.01 * (wave(a) + wave(b) + wave(c))
}
