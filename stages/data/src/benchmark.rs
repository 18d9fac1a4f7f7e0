//! Tabular benchmarks: for every configuration of a finite space the results of trainings that somebody has
//! carried out, once per recorded seed. Looking a configuration up costs nothing, and what it would have cost
//! is in the table.

/// A hyper-parameter with finitely many values.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperparameter {
    /// Its name in the benchmark.
    pub name: String,
    /// Its values.
    pub choices: Choices,
}

/// The values of a hyper-parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Choices {
    /// Numbers in ascending order. The benchmarks space them evenly, or nearly so, on a linear or on a
    /// logarithmic scale: their places are a scale on which near values are similar.
    Ordered {
        /// The numbers.
        values: Vec<f64>,
        /// Whether they are spaced on a logarithmic scale.
        log: bool,
    },
    /// Names without an order.
    Categories(Vec<String>),
}

impl Choices {
    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Ordered { values, .. } => values.len(),
            Self::Categories(names) => names.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One recorded training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// Its validation loss or error: lower is better.
    pub loss: f64,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A table of recorded trainings.
///
/// A configuration is one choice per hyper-parameter. Configurations are numbered from 0 such that the last
/// hyper-parameter changes fastest.
///
/// ```
/// use data::benchmark::{Benchmark, Choices, Hyperparameter, Training};
///
/// let values = Choices::Ordered { values: vec![0.1, 1.0], log: true };
/// let rate = Hyperparameter { name: "rate".to_owned(), choices: values };
/// let kind = Choices::Categories(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
/// let kind = Hyperparameter { name: "kind".to_owned(), choices: kind };
/// let trainings = (0..6).map(|i| vec![Training { loss: f64::from(i), seconds: 1.0 }]).collect();
/// let table = Benchmark { parameters: vec![rate, kind], trainings };
/// assert_eq!(table.fault(), None);
/// assert_eq!((table.number(&[1, 2]), table.number(&[1, 3])), (Some(5), None));
/// assert_eq!(table.mean_loss(4), 4.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// The hyper-parameters.
    pub parameters: Vec<Hyperparameter>,
    /// The trainings of each configuration, one per recorded seed; some configurations have more than others.
    pub trainings: Vec<Vec<Training>>,
}

impl Benchmark {
    /// The number of the configuration with these choices; `None` if there is no such choice.
    #[must_use]
    pub fn number(&self, choices: &[usize]) -> Option<usize> {
        number(&self.parameters, choices)
    }

    /// The mean loss of a configuration over its recorded seeds.
    ///
    /// # Panics
    /// If `number` is not below the number of configurations.
    #[must_use]
    pub fn mean_loss(&self, number: usize) -> f64 {
        let trainings = &self.trainings[number];
        trainings.iter().map(|one| one.loss).sum::<f64>() / trainings.len() as f64
    }

    /// The first inconsistency found, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if self.parameters.is_empty() || self.parameters.iter().any(|p| p.choices.is_empty()) {
            return Some("a hyper-parameter has no values");
        }
        let ascending = |p: &Hyperparameter| match &p.choices {
            Choices::Ordered { values, log } => {
                values.is_sorted_by(|a, b| a < b) && (!log || values.iter().all(|v| *v > 0.0))
            }
            Choices::Categories(_) => true,
        };
        if !self.parameters.iter().all(ascending) {
            return Some("the values of a hyper-parameter do not ascend");
        }
        if Some(self.trainings.len()) != configurations(&self.parameters) {
            return Some("there is not one entry per configuration");
        }
        if self.trainings.iter().any(Vec::is_empty) {
            return Some("a configuration has no training");
        }
        let sound = |one: &Training| one.loss.is_finite() && one.seconds.is_finite();
        let sound = |one: &Training| sound(one) && one.seconds > 0.0;
        (!self.trainings.iter().flatten().all(sound))
            .then_some("a loss is not finite, or a training took no time")
    }
}

/// The number of configurations; `None` if it is no number of this machine.
#[must_use]
pub fn configurations(parameters: &[Hyperparameter]) -> Option<usize> {
    parameters.iter().try_fold(1_usize, |all, one| all.checked_mul(one.choices.len()))
}

/// The number of the configuration with these choices; `None` if there is no such choice.
#[must_use]
pub fn number(parameters: &[Hyperparameter], choices: &[usize]) -> Option<usize> {
    if choices.len() != parameters.len() {
        return None;
    }
    parameters.iter().zip(choices).try_fold(0, |number, (parameter, &choice)| {
        let count = parameter.choices.len();
        (choice < count).then_some(number * count + choice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Benchmark {
        let ordered = |name: &str, values: Vec<f64>, log| Hyperparameter {
            name: name.to_owned(),
            choices: Choices::Ordered { values, log },
        };
        let one = |i: u32| vec![Training { loss: f64::from(i), seconds: 2.0 }];
        Benchmark {
            parameters: vec![
                ordered("a", vec![0.0, 1.0, 2.0], false),
                ordered("b", vec![0.1, 1.0], true),
            ],
            trainings: (0..6).map(one).collect(),
        }
    }

    #[test]
    fn every_configuration_has_a_number_of_its_own() {
        let table = table();
        let all = (0..3).flat_map(|a| (0..2).map(move |b| [a, b]));
        let numbers: Vec<_> = all.map(|choices| table.number(&choices).unwrap()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
        assert_eq!((table.number(&[0, 2]), table.number(&[0])), (None, None));
    }

    #[test]
    fn faults_are_seen() {
        assert_eq!(table().fault(), None);
        let broken: [fn(&mut Benchmark); 6] = [
            |t| t.parameters.clear(),
            |t| t.parameters[0].choices = Choices::Ordered { values: vec![1.0; 3], log: false },
            |t| t.parameters[1].choices = Choices::Ordered { values: vec![0.0, 1.0], log: true },
            |t| drop(t.trainings.pop()),
            |t| t.trainings[3].clear(),
            |t| t.trainings[3][0].loss = f64::NAN,
        ];
        for (i, change) in broken.iter().enumerate() {
            let mut table = table();
            change(&mut table);
            assert!(table.fault().is_some(), "change {i}");
        }
        let mut table = table();
        table.trainings[0][0].seconds = 0.0;
        assert!(table.fault().is_some());
    }
}
