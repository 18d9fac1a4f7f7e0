//! The learners of \[Joy2019\] behind one interface: fit chosen rows, predict, and report what the fit cost.

use ndarray::Axis;
use rand_chacha::ChaCha12Rng;

use super::{
    linear::Linear,
    samples::Samples,
    svm::{Gamma, Svm, SvmError, SvmSettings},
};
use crate::{
    linear::elastic_sgd::{Charge, ElasticError, ElasticSgd},
    neural::mlp::{Mlp, MlpError, MlpSettings},
    svm::{
        fourier::{Fourier, FourierError},
        linear::{LinearSvm, LinearSvmError},
        smo::Smo,
    },
};

/// A learner with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Learner {
    /// Logistic regression with an elastic-net penalty, by stochastic gradient descent.
    ElasticNet {
        /// The penalty α.
        alpha: f64,
        /// Share of its L1 part.
        l1_ratio: f64,
        /// When that part is taken.
        charge: Charge,
    },
    /// A support vector machine with an RBF kernel.
    SvmRbf {
        /// The penalty C of slack.
        c: f64,
        /// The kernel's γ.
        gamma: f64,
    },
    /// A linear support vector machine on random Fourier features of that kernel.
    /// \[Joy2019\] does not say how it is trained; dual coordinate descent finds the minimum of the loss.
    SvmFourier {
        /// The penalty C of slack.
        c: f64,
        /// The kernel's γ.
        gamma: f64,
        /// Number of features, even.
        features: usize,
    },
    /// A perceptron with one hidden layer.
    ///
    /// DIFFERS: \[Joy2019\] writes "hidden layers" without their number.
    Mlp {
        /// Hidden units.
        neurons: usize,
        /// Dropout rate of the hidden units.
        dropout: f64,
        /// Minibatch size.
        batch: usize,
        /// Learning rate.
        rate: f64,
        /// Momentum.
        momentum: f64,
    },
}

/// The limits of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Epochs of learners that are trained in epochs: the resource of multi-fidelity tuners. Dual coordinate
    /// descent may end earlier.
    pub epochs: usize,
    /// The tolerance and the memory with which the kernel machine is solved.
    pub smo: Smo,
    /// The difference of projected gradients at which the descent on Fourier features ends.
    pub tolerance: f64,
}

/// Invalid settings of a learner.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
pub enum LearnerError {
    /// Of the elastic net.
    #[error("elastic net: {0}")]
    Elastic(#[from] ElasticError),
    /// Of the kernel machine.
    #[error("support vector machine: {0}")]
    Svm(#[from] SvmError),
    /// Of the Fourier features.
    #[error("random Fourier features: {0}")]
    Fourier(#[from] FourierError),
    /// Of the machine on them.
    #[error("support vector machine on Fourier features: {0}")]
    Linear(#[from] LinearSvmError),
    /// Of the perceptron.
    #[error("perceptron: {0}")]
    Mlp(#[from] MlpError),
}

/// The cost of a fit, in units that do not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Epochs made; 0 for the kernel machine.
    pub epochs: u64,
    /// Number of updates of single rows and scores, or of steps of the kernel machine's solver.
    pub updates: u64,
    /// Number of kernel values computed.
    pub kernel_values: u64,
    /// Approximate number of multiply-adds in all of that: one number by which learners can be compared.
    pub multiply_adds: u64,
}

/// A fitted learner.
#[derive(Debug, Clone)]
pub struct Fitted {
    model: Model,
    /// The cost of the fit.
    pub work: Work,
    /// Whether the solver converged; true for learners without a convergence criterion.
    pub converged: bool,
    /// Whether every weight is a finite number.
    pub sound: bool,
}

#[derive(Debug, Clone)]
enum Model {
    Linear(Linear),
    Svm(Box<Svm>),
    Fourier(Box<Fourier>, Linear),
    Mlp(Box<Mlp<f32>>),
}

/// Number of multiplications that an exponential, or a sine with its cosine, counts as.
const ELEMENTARY: u64 = 20;
/// Number of multiplications of one step of the solver per point.
const STEP: u64 = 4;

/// The chosen rows in single precision, one after another.
fn single(samples: &Samples, rows: &[usize]) -> Vec<f32> {
    rows.iter().flat_map(|&row| samples.x.row(row).into_iter().map(|&v| v as f32)).collect()
}

fn labels(samples: &Samples, rows: &[usize]) -> Vec<u32> {
    rows.iter().map(|&row| samples.y[row]).collect()
}

impl Learner {
    /// Fits the chosen rows.
    ///
    /// # Errors
    /// If a setting is out of range.
    ///
    /// # Panics
    /// If `rows` is empty or names a row that does not exist.
    pub fn fit(
        &self,
        samples: &Samples,
        rows: &[usize],
        effort: &Effort,
        rng: &mut ChaCha12Rng,
    ) -> Result<Fitted, LearnerError> {
        assert!(!rows.is_empty(), "rows to fit");
        let (n, d) = (rows.len() as u64, samples.x.ncols() as u64);
        match *self {
            Self::ElasticNet { alpha, l1_ratio, charge } => {
                let settings = ElasticSgd::new(alpha, l1_ratio, effort.epochs, None)?;
                let fit = settings.charged(charge).fit(samples, rows, Some(rng));
                let work = Work {
                    epochs: fit.epochs.iter().copied().max().unwrap_or(0) as u64,
                    updates: fit.updates,
                    multiply_adds: fit.updates * 2 * d,
                    ..Work::default()
                };
                Ok(Fitted {
                    model: Model::Linear(fit.model),
                    work,
                    converged: true,
                    sound: fit.finite,
                })
            }
            Self::SvmRbf { c, gamma } => {
                let settings = SvmSettings::new(c, Gamma::Value(gamma), effort.smo)?;
                let chosen = samples.select(rows);
                let (svm, counts) = (Svm::fit(&chosen, &settings), chosen.counts());
                let mut work = Work::default();
                for pair in &svm.pairs {
                    let points = counts[pair.positive as usize] + counts[pair.negative as usize];
                    work.updates += pair.iterations as u64;
                    work.kernel_values += pair.evaluations;
                    work.multiply_adds += pair.evaluations * (d + ELEMENTARY)
                        + pair.iterations as u64 * points as u64 * STEP;
                }
                let converged = svm.pairs.iter().all(|pair| pair.converged);
                Ok(Fitted { model: Model::Svm(Box::new(svm)), work, converged, sound: true })
            }
            Self::SvmFourier { c, gamma, features } => {
                let settings = LinearSvm::new(c, effort.tolerance, effort.epochs)?;
                let map = Fourier::draw(samples.x.ncols(), features, gamma, rng)?;
                let z = map.map(samples.x.select(Axis(0), rows).view());
                let fit = settings.fit(&z, &labels(samples, rows), samples.classes, rng);
                let work = Work {
                    epochs: fit.epochs as u64,
                    updates: fit.updates,
                    kernel_values: 0,
                    multiply_adds: n * features as u64 / 2 * (d + ELEMENTARY)
                        + fit.updates * 2 * features as u64,
                };
                Ok(Fitted {
                    sound: fit.model.is_finite(),
                    model: Model::Fourier(Box::new(map), fit.model),
                    work,
                    converged: fit.converged,
                })
            }
            Self::Mlp { neurons, dropout, batch, rate, momentum } => {
                let settings = MlpSettings::new(neurons, dropout, batch, rate, momentum)?;
                let mut net = Mlp::new(samples.x.ncols(), samples.classes, settings, rng);
                net.train(&single(samples, rows), &labels(samples, rows), effort.epochs, rng);
                let visits = net.visits();
                let weights = neurons as u64 * (d + samples.classes as u64);
                let work = Work {
                    epochs: visits / n,
                    updates: visits,
                    kernel_values: 0,
                    multiply_adds: visits * 2 * weights,
                };
                let sound = net.is_finite();
                Ok(Fitted { model: Model::Mlp(Box::new(net)), work, converged: true, sound })
            }
        }
    }
}

/// Number of rows whose features are computed together for a prediction.
const BLOCK: usize = 1024;

impl Fitted {
    /// The class of each chosen row.
    pub fn classify(&self, samples: &Samples, rows: &[usize]) -> Vec<u32> {
        let mut said = Vec::with_capacity(rows.len());
        for rows in rows.chunks(BLOCK) {
            let x = samples.x.select(Axis(0), rows);
            said.extend(match &self.model {
                Model::Linear(model) => model.classify(x.view()),
                Model::Svm(svm) => svm.classify(x.view()),
                Model::Fourier(map, model) => model.classify_single(&map.map(x.view())),
                Model::Mlp(net) => net.classify(&single(samples, rows)),
            });
        }
        said
    }

    /// Share of the chosen rows that are misclassified; 1 if the fit diverged, whatever a network of NaNs
    /// would predict.
    ///
    /// # Panics
    /// If `rows` is empty.
    pub fn error_rate(&self, samples: &Samples, rows: &[usize]) -> f64 {
        assert!(!rows.is_empty(), "rows to judge by");
        if !self.sound {
            return 1.0;
        }
        let said = self.classify(samples, rows);
        let wrong = said.iter().zip(rows).filter(|(said, row)| **said != samples.y[**row]).count();
        wrong as f64 / rows.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    const EFFORT: Effort = Effort {
        epochs: 30,
        smo: Smo { tolerance: 1e-3, cache: 1 << 20, max_iterations: 100_000 },
        tolerance: 1e-3,
    };

    fn learners() -> [Learner; 4] {
        [
            Learner::ElasticNet { alpha: 1e-4, l1_ratio: 0.15, charge: Charge::EachUpdate },
            Learner::SvmRbf { c: 10.0, gamma: 0.5 },
            Learner::SvmFourier { c: 10.0, gamma: 0.5, features: 128 },
            Learner::Mlp { neurons: 33, dropout: 0.1, batch: 16, rate: 0.05, momentum: 0.9 },
        ]
    }

    /// Three sectors of a plane and an irrelevant coordinate.
    fn sectors(n: usize) -> Samples {
        let x = Array2::from_shape_fn((n, 3), |(i, j)| {
            let angle = i as f64 * 2.399;
            let radius = 1.0 + (i % 7) as f64 * 0.2;
            [radius * angle.cos(), radius * angle.sin(), (i as f64).sin()][j]
        });
        let third = std::f64::consts::TAU / 3.0;
        let class = |row: ndarray::ArrayView1<'_, f64>| {
            ((row[1].atan2(row[0]) + std::f64::consts::PI) / third).min(2.0) as u32
        };
        let y = x.rows().into_iter().map(class).collect();
        Samples::new(x, y, 3).unwrap()
    }

    #[test]
    fn every_learner_learns_repeats_counts_and_keeps_to_its_rows() {
        let mut samples = sectors(600);
        let (train, held_out): (Vec<usize>, Vec<usize>) = (0..600).partition(|i| i % 3 > 0);
        for learner in learners() {
            let run = |samples: &Samples, seed| {
                let mut rng = ChaCha12Rng::seed_from_u64(seed);
                learner.fit(samples, &train, &EFFORT, &mut rng).unwrap()
            };
            let fit = run(&samples, 1);
            let error = fit.error_rate(&samples, &held_out);
            assert!(error < 0.1, "{learner:?}: {error}");
            assert!(fit.sound && fit.work.updates > 0 && fit.work.multiply_adds > fit.work.updates);
            let again = run(&samples, 1);
            assert_eq!(again.work, fit.work);
            assert_eq!(again.classify(&samples, &held_out), fit.classify(&samples, &held_out));
            // Held-out rows do not influence the fit.
            samples.y[held_out[0]] = (samples.y[held_out[0]] + 1) % 3;
            let other = run(&samples, 1);
            assert_eq!(other.classify(&samples, &held_out), fit.classify(&samples, &held_out));
            assert_ne!(other.error_rate(&samples, &held_out), error);
            samples.y[held_out[0]] = (samples.y[held_out[0]] + 2) % 3;
        }
    }

    #[test]
    fn more_threads_change_nothing() {
        let samples = sectors(300);
        let rows: Vec<usize> = (0..300).collect();
        for learner in learners() {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut rng = ChaCha12Rng::seed_from_u64(7);
                    let fit = learner.fit(&samples, &rows, &EFFORT, &mut rng).unwrap();
                    format!("{fit:?} {:?}", fit.classify(&samples, &rows))
                })
            };
            assert!(run(1) == run(3), "{learner:?}");
        }
    }

    #[test]
    fn divergence_is_an_error_of_one_and_bad_settings_are_refused() {
        let samples = sectors(60);
        let rows: Vec<usize> = (0..60).collect();
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        let wild = Learner::Mlp { neurons: 8, dropout: 0.0, batch: 8, rate: 1e30, momentum: 0.9 };
        let fit = wild.fit(&samples, &rows, &EFFORT, &mut rng).unwrap();
        assert!(!fit.sound);
        assert_eq!(fit.error_rate(&samples, &rows), 1.0);
        for bad in [
            Learner::ElasticNet { alpha: f64::NAN, l1_ratio: 0.5, charge: Charge::EachUpdate },
            Learner::SvmRbf { c: 0.0, gamma: 1.0 },
            Learner::SvmFourier { c: 1.0, gamma: 1.0, features: 7 },
            Learner::Mlp { neurons: 0, dropout: 0.0, batch: 1, rate: 0.1, momentum: 0.0 },
        ] {
            assert!(bad.fit(&samples, &rows, &EFFORT, &mut rng).is_err());
        }
    }
}
