//! Draws the results that are computed again at random, and compares them with what the store has.

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{
    digest::Digest,
    graph::{Graph, Id},
    plan::{self, Plan, State},
};

/// An output that came out differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which output.
    pub output: &'static str,
    /// The digest in the store.
    pub recorded: Digest,
    /// The digest now.
    pub now: Digest,
}

/// The results that can be compared: one stage per key, with an output that is not measured.
#[must_use]
pub fn candidates(graph: &Graph, plan: &Plan) -> Vec<Id> {
    let mut keys = HashSet::new();
    let fresh = graph.order().iter().copied().filter(|&id| {
        let State::Fresh(key, _) = plan.state(id) else { return false };
        graph[id].outputs.iter().any(|output| !output.measured) && keys.insert(*key)
    });
    fresh.collect()
}

/// `count` of these, or all of them; every subset is equally likely.
#[must_use]
pub fn draw(mut from: Vec<Id>, count: usize, seed: u64) -> Vec<Id> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let count = count.min(from.len());
    for i in 0..count {
        let left = (from.len() - i) as u64;
        let drawn = usize::try_from(rng.next_u64() % left).unwrap_or_default();
        from.swap(i, i + drawn);
    }
    from.truncate(count);
    from
}

/// The outputs of a stage that was computed again which differ from the recorded ones. Measured outputs may differ.
#[must_use]
pub fn differences(
    graph: &Graph,
    plan: &Plan,
    id: Id,
    outputs: &[(String, Digest)],
) -> Vec<Difference> {
    let State::Fresh(_, produced) = plan.state(id) else { return Vec::new() };
    let compared =
        graph[id].outputs.iter().filter(|output| !output.measured).filter_map(|output| {
            let recorded = plan::output(produced, output.name)?;
            let (_, now) = outputs.iter().find(|(name, _)| name == output.name)?;
            Some(Difference { output: output.name, recorded, now: *now })
        });
    compared.filter(|difference| difference.recorded != difference.now).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_drawn_as_often_as_any_other() {
        let all: Vec<Id> = (0..10).map(Id::new).collect();
        let mut times = [0; 10];
        for seed in 0..2000 {
            let drawn = draw(all.clone(), 3, seed);
            assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 3, "none twice");
            for id in drawn {
                times[id.index()] += 1;
            }
        }
        // 600 expected, standard deviation 20.
        assert!(times.iter().all(|n| (500..700).contains(n)), "{times:?}");
        assert_eq!(draw(all.clone(), 3, 7), draw(all.clone(), 3, 7));
        assert_eq!(draw(all.clone(), 30, 7).len(), 10);
    }
}
