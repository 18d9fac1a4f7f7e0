//! \[Hazan2018\] A.3: the best random configurations of the small network and some of their neighbours, to be
//! trained as large networks.

use std::collections::BTreeSet;

use kit::port::Out;
use models::neural::residual::{Effect, VARIABLES};
use pipeline::stage::{Context, Stage, Stop};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::network::rows::{self, Asked, Tried};

/// Asks for the best configurations and their neighbours.
#[derive(Serialize, Deserialize)]
pub struct Transfer {
    /// Number of best configurations.
    pub best: usize,
    /// Total number of their neighbours.
    pub neighbours: usize,
    /// Epochs of a full training.
    pub epochs: u32,
}

impl Transfer {
    /// The requested configurations.
    pub const MAIN: Out<Asked> = Out::table("main");
}

impl Stage for Transfer {
    const KIND: &'static str = "harmonica/transfer";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let tried: Vec<Tried> = rows::rounds(cx)?.concat();
        let chosen = chosen(&tried, self.best, self.neighbours, &mut cx.rng("neighbours")?);
        let row = |(number, minus)| Asked { number, minus, epochs: self.epochs };
        let asked: Vec<Asked> = (0..).zip(chosen).map(row).collect();
        Self::MAIN.write(cx, &asked)
    }
}

/// The `best` tried configurations (of equal ones the earlier), then their neighbours in turn: each differs
/// in one variable that acts, drawn at random without repetition for the same configuration.
///
/// DIFFERS: the paper does not say which of the 60 variables is changed. A change of one that does
/// nothing would be the same network again.
fn chosen(
    tried: &[Tried],
    best: usize,
    neighbours: usize,
    rng: &mut ChaCha12Rng,
) -> Vec<Vec<bool>> {
    let mut ranked: Vec<&Tried> = tried.iter().collect();
    ranked.sort_by(|a, b| a.error.total_cmp(&b.error).then(a.asked.number.cmp(&b.asked.number)));
    let mut all: Vec<Vec<bool>> =
        ranked.into_iter().take(best).map(|tried| tried.asked.minus.clone()).collect();
    let centres = all.len();
    let acting: Vec<usize> =
        (0..VARIABLES.len()).filter(|&i| VARIABLES[i].effect == Effect::Acts).collect();
    let mut changed = BTreeSet::new();
    // No configuration has more neighbours than there are variables that act.
    for n in 0..neighbours.min(centres * acting.len()) {
        let centre = n % centres;
        let variable = loop {
            let variable = acting[rng.random_range(0..acting.len())];
            if changed.insert((centre, variable)) {
                break variable;
            }
        };
        let mut neighbour = all[centre].clone();
        neighbour[variable] ^= true;
        all.push(neighbour);
    }
    all
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;
    use models::neural::residual::COUNT;

    #[test]
    fn neighbours_differ_in_one_variable_that_acts() {
        let tried: Vec<Tried> = (0..8_u32)
            .map(|number| {
                let minus = (0..COUNT as u32).map(|j| number >> (j % 3) & 1 == 1).collect();
                let asked = Asked { number, minus, epochs: 2 };
                Tried { asked, depth: 8, error: f64::from(number * 5 % 8), diverged: false }
            })
            .collect();
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let all = chosen(&tried, 2, 11, &mut rng);
        // Errors 0, 5, 2, 7, 4, 1, …: the best are the configurations 0 and 5.
        assert_eq!((&all[0], &all[1]), (&tried[0].asked.minus, &tried[5].asked.minus));
        assert_eq!(all.len(), 13);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 13, "none comes twice");
        for (n, neighbour) in all[2..].iter().enumerate() {
            let differs = |j: &usize| neighbour[*j] != all[n % 2][*j];
            let changed: Vec<usize> = (0..COUNT).filter(differs).collect();
            assert!(changed.len() == 1 && changed[0] < 31, "{changed:?}");
        }
        assert_eq!(chosen(&tried, 1, 1000, &mut rng).len(), 1 + 31);
        assert!(chosen(&[], 3, 4, &mut rng).is_empty());
    }
}
