//! Initial values of parameters, drawn from ChaCha in double precision.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::options::{Initialisation, LinkStart};

/// `count` weights of units with `inputs` inputs and `outputs` outputs (channels × kernel area).
pub fn weights(
    how: Initialisation,
    count: usize,
    inputs: usize,
    outputs: usize,
    rng: &mut ChaCha12Rng,
) -> Vec<f64> {
    let n = inputs as f64;
    let mut normal = |variance: f64| {
        let deviation = variance.sqrt();
        let drawn = StandardNormal.sample_iter(&mut *rng).take(count);
        drawn.map(|z: f64| deviation * z).collect()
    };
    match how {
        Initialisation::Kaiming => normal(2.0 / n),
        Initialisation::Inverse => normal(1.0 / n),
        Initialisation::InverseSquare => normal(1.0 / (n * n)),
        Initialisation::Xavier => {
            let most = (6.0 / (n + outputs as f64)).sqrt();
            (0..count).map(|_| most * (2.0 * rng.random::<f64>() - 1.0)).collect()
        }
    }
}

/// The weights of `count` residual links.
pub fn links(start: LinkStart, count: usize, rng: &mut ChaCha12Rng) -> Vec<f64> {
    match start {
        LinkStart::One => vec![1.0; count],
        LinkStart::Random => (0..count).map(|_| rng.random()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn weights_have_the_variance_of_their_rule() {
        let (inputs, outputs, count) = (27, 9, 200_000);
        let n = inputs as f64;
        for (how, variance, fourth) in [
            // The fourth moment over the squared variance: 9/5 if uniform, 3 if normal.
            (Initialisation::Xavier, 2.0 / 36.0, 1.8),
            (Initialisation::Kaiming, 2.0 / n, 3.0),
            (Initialisation::Inverse, 1.0 / n, 3.0),
            (Initialisation::InverseSquare, 1.0 / (n * n), 3.0),
        ] {
            let mut rng = ChaCha12Rng::seed_from_u64(3);
            let drawn = weights(how, count, inputs, outputs, &mut rng);
            let moment = |k: i32| drawn.iter().map(|w| w.powi(k)).sum::<f64>() / count as f64;
            // Five standard errors of the mean, of the variance and of the fourth moment.
            let error = (variance / count as f64).sqrt();
            assert!(moment(1).abs() < 5.0 * error, "{how:?}: mean {}", moment(1));
            assert!((moment(2) / variance - 1.0).abs() < 0.016, "{how:?}: {}", moment(2));
            let kurtosis = moment(4) / (variance * variance);
            assert!((kurtosis / fourth - 1.0).abs() < 0.04, "{how:?}: {kurtosis}");
        }
    }

    #[test]
    fn links_start_at_one_or_anywhere_up_to_one() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        assert_eq!(links(LinkStart::One, 3, &mut rng), [1.0; 3]);
        let drawn = links(LinkStart::Random, 10_000, &mut rng);
        assert!(drawn.iter().all(|w| (0.0..1.0).contains(w)));
        let mean = drawn.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0_f64 / 10_000.0).sqrt(), "{mean}");
    }
}
