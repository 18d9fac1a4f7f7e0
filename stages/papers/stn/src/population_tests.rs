//! Tests a population of toy trainings, uninterrupted and killed at every turn.

use models::neural::self_tuning::EpochRecord;
use numerics::space::{Domain, Parameter};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

use super::*;

const SETTINGS: PopulationBased =
    PopulationBased { members: 5, interval: 3, share: 0.2, resample: 0.25, factor: 1.2 };

fn space() -> Space {
    let domain = Domain::Float { low: 0.1, high: 1.0, log: false };
    Space::new(vec![Parameter { name: "step".to_owned(), domain }]).unwrap()
}

/// Its weight decays to zero; its checkpoint is the weight with its number of epochs.
fn toy(turn: &Turn<'_>) -> Finished {
    let file = turn.folder.join("weight");
    let (mut weight, begun) = match fs::read_to_string(&file) {
        Ok(text) => {
            let (weight, epochs) = text.split_once(' ').unwrap();
            (weight.parse::<f64>().unwrap(), epochs.parse::<usize>().unwrap())
        }
        Err(_) => (1.0 + turn.member as f64, 0),
    };
    assert_eq!(begun, turn.before, "goes on where its parent stopped");
    let mut finished = Finished::default();
    for epoch in begun..turn.until {
        weight *= 1.0 - 0.5 * turn.values[0];
        finished.epochs.push(EpochRecord {
            batches: epoch as u64,
            moves: 0,
            train_loss: weight,
            valid_loss: weight,
            valid_error: None,
            test_loss: None,
            test_error: None,
            rate: 0.1,
        });
    }
    fs::create_dir_all(&turn.folder).unwrap();
    fs::write(file, format!("{weight:?} {}", turn.until)).unwrap();
    finished
}

fn run(
    folder: &Path,
    turn: &mut dyn FnMut(&Turn<'_>) -> Result<Finished, Stop>,
) -> Result<Vec<Lived>, Stop> {
    train_in(folder, &SETTINGS, &space(), 10, &mut ChaCha12Rng::seed_from_u64(4), turn)
}

#[test]
fn weights_are_inherited_with_their_history() {
    let folder = tempfile::tempdir().unwrap();
    let all = run(folder.path(), &mut |turn| Ok(toy(turn))).unwrap();
    // Rounds of 3, 3, 3 and 1 epochs.
    assert_eq!(all.iter().map(|l| l.finished.epochs.len()).sum::<usize>(), 5 * 10);
    let rounds: Vec<&[Lived]> = all.chunks(5).collect();
    assert_eq!(rounds.len(), 4);
    for pair in rounds.windows(2) {
        let end = |i: usize| pair[0][i].finished.epochs.last().unwrap().valid_loss;
        let worst = (0..5).max_by(|&a, &b| end(a).total_cmp(&end(b))).unwrap();
        let best = (0..5).min_by(|&a, &b| end(a).total_cmp(&end(b))).unwrap();
        for (i, lived) in pair[1].iter().enumerate() {
            assert_eq!(lived.from, if i == worst { best } else { i });
            let first = lived.finished.epochs[0].valid_loss;
            assert_eq!(first, end(lived.from) * (1.0 - 0.5 * lived.values[0]));
        }
    }
}

#[test]
fn a_kill_at_any_turn_changes_nothing() {
    let whole = tempfile::tempdir().unwrap();
    let expected = run(whole.path(), &mut |turn| Ok(toy(turn))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut attempts = 0;
    let found = loop {
        attempts += 1;
        let mut left = 3;
        let found = run(folder.path(), &mut |turn| {
            if left == 0 {
                return Err(Stop::Failed("killed".to_owned()));
            }
            left -= 1;
            Ok(toy(turn))
        });
        if let Ok(found) = found {
            break found;
        }
    };
    assert_eq!((found, attempts), (expected, 7));
}

#[test]
fn a_population_that_diverged_ends() {
    let folder = tempfile::tempdir().unwrap();
    let all = run(folder.path(), &mut |_| Ok(Finished { diverged: true, ..Finished::default() }));
    assert_eq!(all.unwrap().len(), 5);
}
