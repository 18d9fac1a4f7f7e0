//! Decodes an assignment of the 60 variables into options. Which value stands for a variable's first option
//! follows from \[Hazan2018\] Table 3 and A.2: the minimum of the found polynomials has batch norm (weight
//! 8.05), ReLU (3.47) and momentum (2.19), which are first options, and Adam (−4.22) and no weight decay
//! (−1.90), which are second ones. So −1 is the first.

use super::options::{
    Activation, BatchNorm, Drops, Initialisation, Link, LinkStart, Momentum, Optimiser, Places,
    ResidualOptions, Shortcut, TuneFrom,
};
use super::variables::COUNT;

/// Reads the variables of Table 2 by their numbers there.
struct Reader<'a>(&'a [bool]);

impl Reader<'_> {
    /// Whether the variable stands for its first option.
    fn first(&self, number: usize) -> bool {
        self.0[number - 1]
    }

    /// One of two options.
    fn choose<T>(&self, number: usize, first: T, second: T) -> T {
        if self.first(number) { first } else { second }
    }

    /// One of 2^k options from k variables, the coarsest first.
    fn index(&self, numbers: &[usize]) -> usize {
        numbers.iter().fold(0, |index, &number| 2 * index + usize::from(!self.first(number)))
    }
}

/// The options for an assignment, where `true` is −1 and variable i of Table 2 has index i − 1.
///
/// # Panics
/// If it does not have [`COUNT`] variables.
pub fn decode(minus: &[bool]) -> ResidualOptions {
    assert_eq!(minus.len(), COUNT, "one value a variable");
    let x = Reader(minus);
    let momentum = x.first(10).then(|| x.choose(11, Momentum::Tenth, Momentum::Hundredth));
    let drops = Drops { first: x.choose(8, 40, 60), second: x.choose(9, 80, 100) };
    ResidualOptions {
        initialisation: [
            Initialisation::Xavier,
            Initialisation::Kaiming,
            Initialisation::Inverse,
            Initialisation::InverseSquare,
        ][x.index(&[1, 2])],
        optimiser: x.choose(3, Optimiser::Sgd { momentum }, Optimiser::Adam),
        learning_rate: [0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001][x.index(&[4, 5, 6])],
        drops: x.first(7).then_some(drops),
        link: Link {
            start: x.choose(12, LinkStart::One, LinkStart::Random),
            tuned: x.first(13).then(|| x.choose(14, TuneFrom::Start, TuneFrom::TenthEpoch)),
        },
        places: Places { first: x.first(15), second: x.first(16), third: x.first(17) },
        convolution_bias: x.first(18),
        activation: [Activation::Relu, Activation::Relu, Activation::Sigmoid, Activation::Tanh]
            [x.index(&[19, 20])],
        dropout: x.first(21).then(|| [0.3, 0.2, 0.1, 0.05][x.index(&[22, 23])]),
        batch_norm: x.first(24).then(|| BatchNorm { tuned: x.first(25) }),
        shortcut: [
            Shortcut::Identity,
            Shortcut::Identity,
            Shortcut::Projection,
            Shortcut::Projections,
        ][x.index(&[26, 27])],
        weight_decay: x.first(28).then(|| x.choose(29, 1e-3, 1e-4)),
        batch_size: [256, 128, 64, 32][x.index(&[30, 31])],
    }
}

/// The assignment of a network tuned by hand, \[He2016\] section 4.2: Kaiming's initialisation, SGD with
/// momentum 0.9 and rate 0.1, ReLU, batch norm, identity shortcuts, weight decay 1e-4, batches of 128. Its
/// learning rate drops at epochs 82 and 123 of 164; the latest drops in Table 2 are chosen. Variables without
/// a meaning are +1.
pub fn usual() -> [bool; COUNT] {
    let mut minus = [false; COUNT];
    for first in [1, 3, 4, 5, 7, 10, 11, 12, 15, 17, 19, 24, 25, 26, 28, 30] {
        minus[first - 1] = true;
    }
    minus
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neural::residual::variables::{Effect, VARIABLES};

    /// An assignment in which the details of a variable's kind have an effect.
    fn parent(number: usize) -> [bool; COUNT] {
        let mut minus = [true; COUNT];
        match number {
            // Both ReLU, both identity: the other options distinguish their details.
            20 => minus[19 - 1] = false,
            27 => minus[26 - 1] = false,
            _ => {}
        }
        minus
    }

    #[test]
    fn every_acting_variable_changes_the_options_and_no_other_does() {
        for variable in VARIABLES {
            let before = parent(variable.number);
            let mut after = before;
            after[variable.number - 1] ^= true;
            let changed = decode(&before) != decode(&after);
            assert_eq!(changed, variable.effect == Effect::Acts, "{variable:?}");
        }
    }

    #[test]
    fn details_act_only_below_their_parents() {
        // Detail, its parent, the parent's value that silences it.
        let silenced = [
            (8, 7, false),
            (9, 7, false),
            (10, 3, false),
            (11, 10, false),
            (11, 3, false),
            (14, 13, false),
            (20, 19, true),
            (22, 21, false),
            (23, 21, false),
            (25, 24, false),
            (27, 26, true),
            (29, 28, false),
        ];
        for (detail, parent, value) in silenced {
            let mut minus = [true; COUNT];
            minus[parent - 1] = value;
            let before = decode(&minus);
            minus[detail - 1] ^= true;
            assert_eq!(decode(&minus), before, "{detail} below {parent}");
        }
    }

    #[test]
    fn the_minimum_of_the_papers_polynomials_decodes_to_the_options_it_names() {
        // A.2: batch norm with tuning, ReLU, rates in [0.001, 0.1], Adam, activation at the first
        // place and not at the third; signs against the weights of Table 3.
        let mut minus = [false; COUNT];
        for number in [24, 19, 4, 10, 15, 25] {
            minus[number - 1] = true;
        }
        let options = decode(&minus);
        assert_eq!(options.batch_norm, Some(BatchNorm { tuned: true }));
        assert_eq!(options.activation, Activation::Relu);
        assert_eq!(options.optimiser, Optimiser::Adam);
        assert_eq!(options.weight_decay, None);
        assert_eq!(options.places, Places { first: true, second: false, third: false });
        // 04 · 05 has weight 3.12: the two differ, so that their product is −1.
        assert_eq!(options.learning_rate, 0.01);
        minus[4 - 1] = false;
        minus[5 - 1] = true;
        assert_eq!(decode(&minus).learning_rate, 0.001);
    }

    #[test]
    fn the_usual_network_is_that_of_he() {
        let expected = ResidualOptions {
            initialisation: Initialisation::Kaiming,
            optimiser: Optimiser::Sgd { momentum: Some(Momentum::Tenth) },
            learning_rate: 0.1,
            drops: Some(Drops { first: 60, second: 100 }),
            link: Link { start: LinkStart::One, tuned: None },
            places: Places { first: true, second: false, third: true },
            convolution_bias: false,
            activation: Activation::Relu,
            dropout: None,
            batch_norm: Some(BatchNorm { tuned: true }),
            shortcut: Shortcut::Identity,
            weight_decay: Some(1e-4),
            batch_size: 128,
        };
        assert_eq!(decode(&usual()), expected);
        let text = serde_json::to_string(&expected).unwrap();
        assert_eq!(serde_json::from_str::<ResidualOptions>(&text).unwrap(), expected);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let good = decode(&usual());
        for minus in [[true; COUNT], [false; COUNT], usual()] {
            assert_eq!(decode(&minus).check(), Ok(()));
        }
        let bad = [
            ("learning-rate", ResidualOptions { learning_rate: f64::NAN, ..good }),
            ("learning-rate", ResidualOptions { learning_rate: -0.1, ..good }),
            ("dropout", ResidualOptions { dropout: Some(1.0), ..good }),
            ("dropout", ResidualOptions { dropout: Some(f64::NAN), ..good }),
            ("weight-decay", ResidualOptions { weight_decay: Some(f64::INFINITY), ..good }),
            ("batch-size", ResidualOptions { batch_size: 0, ..good }),
        ];
        for (name, options) in bad {
            assert_eq!(options.check().unwrap_err().name, name);
        }
    }

    #[test]
    fn schedules_are_fractions_of_the_horizon() {
        let options = decode(&[true; COUNT]);
        let rates = |horizon: usize| {
            (0..horizon).map(|epoch| options.rate(epoch, horizon)).collect::<Vec<_>>()
        };
        let drop = |at: usize, of: &[f64]| of[at - 1] > 5.0 * of[at];
        for horizon in [160, 16, 8] {
            let rates = rates(horizon);
            assert!(drop(horizon / 4, &rates) && drop(horizon / 2, &rates), "{rates:?}");
            let steps = rates.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert_eq!(steps, 2);
        }
        let mut minus = [true; COUNT];
        minus[14 - 1] = false;
        let late = decode(&minus);
        assert!(!late.tunes_links(9, 160) && late.tunes_links(10, 160));
        assert!(!late.tunes_links(0, 16) && late.tunes_links(1, 16));
        minus[13 - 1] = false;
        assert!(!decode(&minus).tunes_links(100, 160) && options.tunes_links(0, 160));
    }
}
