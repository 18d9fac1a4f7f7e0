//! A random split into three equal parts, and the targets.

use data::{loaded::Target, split};
use kit::{data_sets::stored, port::Out};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{problem::Model, tables::split::Part};

/// Splits one data set (\[Pedregosa2016\] §5: train, test and validation of equal size).
#[derive(Serialize, Deserialize)]
pub struct Split {
    /// The model decides the target: ±1, a class or a number.
    pub model: Model,
    /// Number of rows drawn at random; 0 for all.
    pub rows: usize,
}

impl Split {
    /// The parts.
    pub const MAIN: Out<Part> = Out::table("main");
}

impl Stage for Split {
    const KIND: &'static str = "hoag/split";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let loaded = stored::read(cx)?;
        let mut rng = cx.rng("split")?;
        let n = loaded.y.len();
        let used = if self.rows == 0 { n } else { self.rows.min(n) };
        let kept = split::sample(n, used, &mut rng);
        let target = self.target(&loaded.y, &mut rng)?;
        let thirds = split::thirds(kept.len(), &mut rng);
        let mut part = vec![0; kept.len()];
        for (number, places) in [(1, &thirds.test), (2, &thirds.validation)] {
            for &place in places {
                part[place] = number;
            }
        }
        let row = |(row, part)| Part { row, part, target: target[row] };
        let rows: Vec<Part> = kept.into_iter().zip(part).map(row).collect();
        Self::MAIN.write(cx, &rows)
    }
}

impl Split {
    fn target(&self, y: &Target, rng: &mut rand_chacha::ChaCha12Rng) -> Result<Vec<f64>, Stop> {
        match (self.model, y) {
            (Model::KernelRidge, Target::Real(values)) => Ok(values.clone()),
            (Model::Multinomial, Target::Classes { labels, .. }) => {
                Ok(labels.iter().map(|&label| f64::from(label)).collect())
            }
            // Classes in two random groups, as in the paper for the 20 newsgroups.
            (Model::Logistic, Target::Classes { labels, names }) => {
                let second = split::two_groups(names.len(), rng);
                let sign = |&label: &u32| if second[label as usize] { 1.0 } else { -1.0 };
                Ok(labels.iter().map(sign).collect())
            }
            (model, _) => {
                Err(Stop::Failed(format!("the data set's target does not suit {model:?}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

    use super::*;

    fn target(model: Model, y: &Target) -> Result<Vec<f64>, Stop> {
        Split { model, rows: 0 }.target(y, &mut ChaCha12Rng::seed_from_u64(3))
    }

    #[test]
    fn classes_become_two_groups_of_equal_size_for_logistic_regression_alone() {
        let names = (0..4).map(|class| class.to_string()).collect();
        let classes = Target::Classes { labels: vec![0, 1, 2, 3, 3, 0], names };
        let signs = target(Model::Logistic, &classes).unwrap();
        assert!(signs.iter().all(|sign| sign.abs() == 1.0));
        assert_eq!(signs[..4].iter().sum::<f64>(), 0.0);
        // A class is in one group.
        assert_eq!((signs[4], signs[5]), (signs[3], signs[0]));
        let numbers = target(Model::Multinomial, &classes).unwrap();
        assert_eq!(numbers, [0.0, 1.0, 2.0, 3.0, 3.0, 0.0]);
    }

    #[test]
    fn a_target_that_does_not_suit_the_model_is_refused() {
        let real = Target::Real(vec![0.5, 2.0]);
        assert_eq!(target(Model::KernelRidge, &real).unwrap(), [0.5, 2.0]);
        for model in [Model::Logistic, Model::Multinomial] {
            assert!(matches!(target(model, &real), Err(Stop::Failed(_))), "{model:?}");
        }
        let classes = Target::Classes { labels: vec![0], names: vec!["a".to_owned()] };
        assert!(target(Model::KernelRidge, &classes).is_err());
    }
}
