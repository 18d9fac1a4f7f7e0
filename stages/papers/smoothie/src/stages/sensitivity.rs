//! Figure 8 and claim S11: the results of Algorithm 1 for other N1 and N2, and if it runs the highest, the
//! lowest or any of the N1 configurations, computed from pools of configurations that were all trained in
//! full.

use kit::port::{In, Out};
use pipeline::stage::{Context, Stage, Stop};
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::{
    pools::{Key, Member, Pools},
    protocol::Formula,
    tables::{pool::Tried, sensitivity::Cell},
};

/// Draws from the pools.
#[derive(Serialize, Deserialize)]
pub struct Sensitivity {
    /// The formula that guides.
    pub formula: Formula,
}

/// The N1 of Figure 8.
const N1: [usize; 12] = [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75];
/// The N2 of Figure 8.
const N2: [usize; 3] = [5, 10, 15];
/// Number of times that N1 configurations are drawn from a pool.
const DRAWS: usize = 200;

/// The rule by which N2 of the N1 are run in full.
#[derive(Clone, Copy)]
enum Rule {
    Highest,
    Lowest,
    Any,
}

const RULES: [(&str, Rule); 3] =
    [("highest", Rule::Highest), ("lowest", Rule::Lowest), ("random", Rule::Any)];

impl Sensitivity {
    /// The gathered pools.
    pub const POOLS: In<Tried> = In::new("pools");
    /// Figure 8, pool by pool.
    pub const MAIN: Out<Cell> = Out::table("main");
}

impl Stage for Sensitivity {
    const KIND: &'static str = "smoothie/sensitivity";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let pools = Pools::from(Self::POOLS.read(cx)?);
        let mut rows = Vec::new();
        for (key, members) in &pools.by_key {
            let mut rng = cx.rng(&format!("{key:?}"))?;
            for n1 in N1.into_iter().filter(|&n1| n1 <= members.len()) {
                for n2 in N2 {
                    for (name, rule) in RULES {
                        let found: Vec<f64> = (0..DRAWS)
                            .filter_map(|_| self.search(members, n1, n2, rule, &mut rng))
                            .collect();
                        if !found.is_empty() {
                            let mean = found.iter().sum::<f64>() / found.len() as f64;
                            let Key { family, task, learner, repeat } = key.clone();
                            let (rule, score) = (name.into(), mean);
                            rows.push(Cell { family, task, learner, repeat, n1, n2, rule, score });
                        }
                    }
                }
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}

impl Sensitivity {
    /// Algorithm 1 on a random N1 of the pool: the test score of its choice. A configuration without a
    /// smoothness is never preferred, one without a score never chosen.
    fn search(
        &self,
        pool: &[Member],
        n1: usize,
        n2: usize,
        rule: Rule,
        rng: &mut ChaCha12Rng,
    ) -> Option<f64> {
        let mut order: Vec<&Member> = pool.iter().collect();
        order.shuffle(rng);
        order.truncate(n1);
        let guide = |m: &Member| {
            let value = m.smoothness(self.formula);
            if value.is_nan() { f64::NEG_INFINITY } else { value }
        };
        match rule {
            Rule::Highest => order.sort_by(|a, b| guide(b).total_cmp(&guide(a))),
            Rule::Lowest => order.sort_by(|a, b| guide(a).total_cmp(&guide(b))),
            Rule::Any => {}
        }
        // Of equals the first, as in a run of the method: most searches on few rows have equals.
        let run = order.into_iter().take(n2).filter(|m| !m.selection.is_nan());
        run.reduce(|best, m| if m.selection > best.selection { m } else { best }).map(|m| m.score)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn each_rule_runs_what_it_says() {
        // The score grows with the smoothness.
        let pool: Vec<Member> = (0..20).map(|i| Member::new(f64::from(i), f64::from(i))).collect();
        let stage = Sensitivity { formula: Formula::Theorem };
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut find = |rule| stage.search(&pool, 20, 5, rule, &mut rng).unwrap();
        assert_eq!((find(Rule::Highest), find(Rule::Lowest)), (19.0, 4.0));
        let any = find(Rule::Any);
        assert!((4.0..=19.0).contains(&any));
    }

    #[test]
    fn of_equal_scores_the_first_run_is_chosen() {
        // All configurations are equal in the score by which they are chosen, and differ in the other.
        let alike = |i: i32| {
            let mut member = Member::new(f64::from(i), f64::from(i));
            member.selection = 0.5;
            member
        };
        let pool: Vec<Member> = (0..20).map(alike).collect();
        let stage = Sensitivity { formula: Formula::Theorem };
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut find = |rule| stage.search(&pool, 20, 5, rule, &mut rng).unwrap();
        assert_eq!((find(Rule::Highest), find(Rule::Lowest)), (19.0, 0.0));
    }
}
