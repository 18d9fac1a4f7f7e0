//! The cost of a training on a text: counted multiplications, in passes of the plain network over the
//! training part. Unlike times, these do not depend on the machine.

use data::corpus::Corpus;
use models::neural::{language::Language, self_tuning::EpochRecord, self_tuning_lstm::StLstm};

/// The cost of a forward and backward step, in forward steps.
const BACK: f64 = 3.0;

/// Multiplications for one word, forward. The response of a tuned network doubles its layers; the decoder has
/// none. Elementwise operations are left out.
#[must_use]
pub fn multiplications(network: &Language, words: usize, tuned: bool) -> f64 {
    let mut from = network.embedding;
    let mut layers = 0;
    for layer in 0..network.layers {
        let units = network.units_of(layer);
        layers += 4 * units * (from + units);
        from = units;
    }
    let copies = if tuned { 2 } else { 1 };
    (copies * layers + words * from) as f64
}

/// The cost up to the end of each epoch. An epoch is a pass over the training part, forward and backward, and
/// one over the validation part, forward; a step that updates hyper-parameters goes forward and backward as
/// well. The test part, which decides nothing, is not counted.
#[must_use]
pub fn of(settings: &StLstm, corpus: &Corpus, epochs: &[EpochRecord]) -> Vec<f64> {
    let network = &settings.network;
    let word = |tuned| multiplications(network, corpus.vocabulary.len(), tuned);
    let (learned, judged) = (corpus.train.len() as f64, corpus.validation.len() as f64);
    let words = (network.batch * network.bptt) as f64;
    let unit = word(false) * (BACK * learned + judged);
    let own = word(settings.control.tunes());
    let cost = |(number, epoch): (usize, &EpochRecord)| {
        let passes = (number + 1) as f64 * (BACK * learned + judged);
        own * (passes + BACK * words * epoch.moves as f64) / unit
    };
    epochs.iter().enumerate().map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::neural::self_tuning::{Control, Decay, Response, Scale, SgdConfig, Tuning};

    const NETWORK: Language = Language {
        layers: 2,
        units: 30,
        embedding: 20,
        tied: false,
        batch: 5,
        bptt: 4,
        evaluation_batch: 1,
        penalised: false,
    };

    fn settings(control: Control) -> StLstm {
        let decay = Decay { factor: 0.25, window: 5, minimum_rate: 0.0, patience: 10 };
        let descent = SgdConfig { learning_rate: 1.0, momentum: 0.0, clip: None, epochs: 2, decay };
        StLstm { network: NETWORK, hypers: Vec::new(), control, descent }
    }

    fn epoch(moves: u64) -> EpochRecord {
        EpochRecord {
            batches: 10,
            moves,
            train_loss: 1.0,
            valid_loss: 1.0,
            valid_error: None,
            test_loss: None,
            test_error: None,
            rate: 1.0,
        }
    }

    #[test]
    fn multiplications_are_those_of_the_matrices() {
        // Four gates each from 20 and 30 to 30, from 30 and 30 to 30, and 30 to 100 words.
        let layers = 4 * 30 * 50 + 4 * 30 * 60;
        assert_eq!(multiplications(&NETWORK, 100, false), f64::from(layers + 3000));
        assert_eq!(multiplications(&NETWORK, 100, true), f64::from(2 * layers + 3000));
        // A tied decoder's last layer has as many units as a word dimensions.
        let tied = Language { tied: true, ..NETWORK };
        let layers = 4 * 30 * 50 + 4 * 20 * 50;
        assert_eq!(multiplications(&tied, 100, false), f64::from(layers + 2000));
    }

    #[test]
    fn steps_on_validation_batches_are_paid_for() {
        let corpus = Corpus {
            train: vec![0; 100],
            validation: vec![0; 40],
            test: vec![0; 40],
            vocabulary: (0..10).map(|i| i.to_string()).collect(),
        };
        let plain = of(&settings(Control::Given(Vec::new())), &corpus, &[epoch(0), epoch(0)]);
        assert_eq!(plain, [1.0, 2.0]);
        let tuning = Tuning {
            train_steps: 2,
            valid_steps: 1,
            warm_up_batches: 0,
            learning_rate: 0.1,
            scale: Scale::Fixed(1.0),
            perturb_validation: false,
            response: Response::default(),
        };
        let tuned = of(&settings(Control::Tuned(tuning)), &corpus, &[epoch(3)])[0];
        let (double, single) = (2.0 * 13_200.0 + 300.0, 13_200.0 + 300.0);
        // Three updates of 5 × 4 words: the work of 340 words at first, of 180 more later.
        assert!((tuned - double * 520.0 / (single * 340.0)).abs() < 1e-12, "{tuned}");
    }
}
