//! The models of Fabolas: Gaussian processes of the loss and of the cost, representer points of the minimum,
//! and the information gain of a candidate \[Klein2017\].

use models::gp::{
    acquisition::log_expected_improvement,
    information_gain::InformationGain,
    share::{Basis, Prediction, ShareGp, ShareHyper, Shared, sample},
};
use ndarray::Array2;
use numerics::space::Space;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use statrs::function::erf::erf_inv;

use super::{fabolas_settings::FabolasSettings, failed::as_worst};

/// Number of random points from which representers are chosen.
const POOL: usize = 1000;
/// Smaller losses and costs are replaced by this value, since their logarithms are modelled.
const LEAST: f64 = 1e-10;
/// ln of the smallest expected improvement with which points are weighted.
const LEAST_LN: f64 = -700.0;

/// One evaluation.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The point in the unit cube.
    pub unit: Vec<f64>,
    /// Its features.
    pub features: Vec<f64>,
    /// t of its share.
    pub share: f64,
    /// The loss; NaN or infinite for a failed evaluation, which counts as the worst.
    pub loss: f64,
    /// Its cost.
    pub cost: f64,
}

/// Standardises numbers to mean 0 and standard deviation 1.
fn normalised(values: Vec<f64>) -> (Vec<f64>, f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
    let scale = if spread > 0.0 { spread } else { 1.0 };
    (values.iter().map(|v| (v - mean) / scale).collect(), mean, scale)
}

/// Processes of the loss and of the cost, one of each for every sampled hyper-parameter.
pub struct Surrogate {
    seen: Vec<Seen>,
    losses: Vec<ShareGp>,
    costs: Vec<ShareGp>,
    /// Mean and standard deviation of ln cost.
    cost_scale: (f64, f64),
    chains: [ShareHyper; 2],
}

impl Surrogate {
    /// Samples hyper-parameters, continuing from `chains` if there are any. `None` if no loss is finite or no
    /// covariance is regular.
    pub fn fit(
        seen: Vec<Seen>,
        settings: &FabolasSettings,
        chains: Option<&[ShareHyper; 2]>,
        rng: &mut ChaCha12Rng,
    ) -> Option<Self> {
        let losses = as_worst(seen.iter().map(|s| s.loss))?;
        let ln_losses = losses.iter().map(|loss| loss.max(LEAST).ln()).collect();
        let ln_costs = seen.iter().map(|s| s.cost.max(LEAST).ln()).collect();
        let (loss_targets, ..) = normalised(ln_losses);
        let (cost_targets, mean, scale) = normalised(ln_costs);
        let data = |targets| Shared {
            points: seen.iter().map(|s| s.features.clone()).collect(),
            shares: seen.iter().map(|s| s.share).collect(),
            targets,
        };
        let inputs = seen.first().map_or(0, |s| s.features.len());
        let burn_in = if chains.is_some() { 0 } else { settings.burn_in };
        let lengths = (burn_in, settings.chain, settings.processes);
        let mut of = |data: &Shared, basis, which: usize| {
            let start = chains.map_or_else(|| ShareHyper::start(inputs), |c| c[which].clone());
            let all = sample(data, basis, &start, lengths, rng);
            let end = all.last().cloned().unwrap_or(start);
            let processes = all.into_iter().filter_map(|h| ShareGp::new(data, basis, h));
            (processes.collect::<Vec<_>>(), end)
        };
        let (losses, loss_end) = of(&data(loss_targets), Basis::Loss, 0);
        let (costs, cost_end) = of(&data(cost_targets), Basis::Cost, 1);
        let some = !losses.is_empty() && !costs.is_empty();
        let (cost_scale, chains) = ((mean, scale), [loss_end, cost_end]);
        some.then_some(Self { seen, losses, costs, cost_scale, chains })
    }

    /// The last states of the chains.
    pub fn chains(&self) -> &[ShareHyper; 2] {
        &self.chains
    }

    /// The point with the lowest predicted loss on the whole data, averaged over the processes, among those
    /// evaluated on any share; of equals the first.
    pub fn incumbent(&self) -> &[f64] {
        let predicted = |s: &Seen| -> f64 {
            self.losses.iter().map(|gp| gp.predict(&s.features, 1.0).mean).sum()
        };
        let mut best: Option<(f64, &Seen)> = None;
        for seen in &self.seen {
            let value = predicted(seen);
            if best.is_none_or(|(least, _)| value < least) {
                best = Some((value, seen));
            }
        }
        best.map_or(&[], |(_, seen)| &seen.unit)
    }

    /// The candidate (unit point and t) with the largest information gain per unit of predicted cost.
    ///
    /// DIFFERS: the public code adds its own seconds to the cost, which would make results depend on
    /// the clock; here a suggestion costs a fixed share of a mean evaluation on the whole.
    pub fn best(
        &self,
        space: &Space,
        candidates: &[(Vec<f64>, f64)],
        settings: &FabolasSettings,
        rng: &mut ChaCha12Rng,
    ) -> Option<usize> {
        let count = settings.innovations as f64;
        // Normal quantiles of (i + ½)/count.
        let quantile =
            |i: usize| std::f64::consts::SQRT_2 * erf_inv((2 * i + 1) as f64 / count - 1.0);
        let innovations: Vec<f64> = (0..settings.innovations).map(quantile).collect();
        let features: Vec<Vec<f64>> = candidates.iter().map(|(u, _)| space.features(u)).collect();
        let mut gains = vec![0.0; candidates.len()];
        for gp in &self.losses {
            let (places, ln_measure) = self.representers(gp, space, settings.representers, rng);
            let mean: Vec<f64> = places.iter().map(|p| p.mean).collect();
            let r = places.len();
            let own = |i: usize, j: usize| if i == j { 1e-8 } else { 0.0 };
            let joint = Array2::from_shape_fn((r, r), |(i, j)| {
                gp.covariance(&places[i], &places[j]) + own(i, j)
            });
            let drawn = InformationGain::new(
                &mean,
                &joint,
                ln_measure,
                settings.functions,
                innovations.clone(),
                rng,
            );
            let Ok(gain) = drawn else { continue };
            for ((x, (_, share)), total) in features.iter().zip(candidates).zip(&mut gains) {
                let at = gp.predict(x, *share);
                let deviation = (at.variance + gp.noise()).sqrt();
                let shift: Vec<f64> =
                    places.iter().map(|p| gp.covariance(&at, p) / deviation).collect();
                *total += gain.expected(&shift);
            }
        }
        let whole: f64 = features.iter().map(|x| self.cost(x, 1.0)).sum();
        let own = settings.overhead * whole / features.len() as f64;
        let worth = |i: usize| gains[i] / (own + self.cost(&features[i], candidates[i].1));
        let best = (0..candidates.len()).max_by(|&a, &b| worth(a).total_cmp(&worth(b)));
        best.filter(|&i| worth(i).is_finite())
    }

    /// Predicted cost, averaged over the processes.
    fn cost(&self, x: &[f64], share: f64) -> f64 {
        let (mean, scale) = self.cost_scale;
        let of = |gp: &ShareGp| (mean + scale * gp.predict(x, share).mean).exp();
        self.costs.iter().map(of).sum::<f64>() / self.costs.len() as f64
    }

    /// Points on the whole data, drawn with a density proportional to expected improvement, and the ln of
    /// that density.
    ///
    /// DIFFERS: the public code draws them by a Markov chain; here they are drawn without replacement
    /// from many uniform points.
    fn representers(
        &self,
        gp: &ShareGp,
        space: &Space,
        wanted: usize,
        rng: &mut ChaCha12Rng,
    ) -> (Vec<Prediction>, Vec<f64>) {
        let means = self.seen.iter().map(|s| gp.predict(&s.features, 1.0).mean);
        let best = means.fold(f64::INFINITY, f64::min);
        let mut pool: Vec<(f64, f64, Prediction)> = (0..POOL.max(wanted))
            .map(|_| {
                let at = gp.predict(&space.features(&space.draw_unit(rng)), 1.0);
                let deviation = at.variance.sqrt();
                let ln_ei = log_expected_improvement(at.mean, deviation, best, 0.0).max(LEAST_LN);
                // The largest keys ln w − ln(−ln u) are a weighted draw without replacement.
                let gumbel = -(-(1.0 - rng.random::<f64>()).ln()).ln();
                (ln_ei + gumbel, ln_ei, at)
            })
            .collect();
        pool.sort_by(|a, b| b.0.total_cmp(&a.0));
        pool.into_iter().take(wanted).map(|(_, ln_ei, at)| (at, ln_ei)).unzip()
    }
}
