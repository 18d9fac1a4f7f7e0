//! Schedules the brackets of successive halving: which rung is filled next, and which configurations are
//! promoted. It works on budgets and losses, wherever configurations come from.

use std::collections::BTreeMap;

use super::brackets::{Bracket, Rung};
use crate::tuner::failed_last;

/// A slot in a rung, to be filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Number of the bracket, from 0.
    pub bracket: u64,
    /// The rung.
    pub rung: Rung,
    /// The rung below, if this is not the bracket's first.
    pub below: Option<Rung>,
    /// The configuration that successive halving promotes to this slot; `None` in the first rung.
    pub promoted: Option<Vec<f64>>,
}

#[derive(Debug, Clone)]
struct Entrant {
    config: Vec<f64>,
    /// NaN and infinities are kept as +∞.
    value: Option<f64>,
}

#[derive(Debug, Clone)]
struct Open {
    number: u64,
    rungs: Bracket,
    at: usize,
    /// Configurations promoted to this rung, in the order in which they first entered.
    promoted: Vec<Vec<f64>>,
    /// Suggestions at this rung, by their number.
    entrants: BTreeMap<u64, Entrant>,
}

impl Open {
    fn full(&self) -> bool {
        self.entrants.len() == self.rungs[self.at].size
    }

    fn settled(&self) -> bool {
        self.full() && self.entrants.values().all(|e| e.value.is_some())
    }

    /// Promotes the best to the next rung; of equals the earlier.
    fn advance(&mut self) {
        let size = self.rungs[self.at + 1].size;
        let mut ranked: Vec<(f64, u64)> =
            self.entrants.iter().map(|(&id, e)| (e.value.unwrap_or(f64::INFINITY), id)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Vec<u64> = ranked.into_iter().take(size).map(|(_, id)| id).collect();
        best.sort_unstable();
        self.promoted =
            best.iter().filter_map(|id| self.entrants.get(id)).map(|e| e.config.clone()).collect();
        self.entrants.clear();
        self.at += 1;
    }
}

/// Runs brackets one after another. While a rung of one waits for losses, the next bracket starts.
#[derive(Debug, Clone)]
pub struct Schedule {
    cycle: Vec<Bracket>,
    limit: Option<u64>,
    started: u64,
    open: Vec<Open>,
}

impl Schedule {
    /// The brackets of a cycle, repeated until there are `limit` brackets. Empty rungs are left out.
    pub fn new(cycle: Vec<Bracket>, limit: Option<u64>) -> Self {
        let filled = |bracket: Bracket| bracket.into_iter().filter(|r| r.size > 0).collect();
        let cycle: Vec<Bracket> = cycle.into_iter().map(filled).collect();
        let limit = if cycle.iter().all(Vec::is_empty) { Some(0) } else { limit };
        Self { cycle, limit, started: 0, open: Vec::new() }
    }

    /// The next slot to fill; `None` if all brackets have started and are waiting or done.
    pub fn next_slot(&mut self) -> Option<Slot> {
        for open in &mut self.open {
            if open.settled() && open.at + 1 < open.rungs.len() {
                open.advance();
            }
        }
        self.open.retain(|o| !o.settled());
        if self.open.iter().all(Open::full) {
            if self.limit.is_some_and(|limit| self.started >= limit) {
                return None;
            }
            let number = self.started;
            let rungs = self.cycle[(number % self.cycle.len() as u64) as usize].clone();
            let (promoted, entrants) = (Vec::new(), BTreeMap::new());
            self.started += 1;
            if !rungs.is_empty() {
                self.open.push(Open { number, rungs, at: 0, promoted, entrants });
            }
        }
        let open = self.open.iter().find(|o| !o.full())?;
        Some(Slot {
            bracket: open.number,
            rung: open.rungs[open.at],
            below: open.at.checked_sub(1).map(|i| open.rungs[i]),
            promoted: open.promoted.get(open.entrants.len()).cloned(),
        })
    }

    /// Fills the slot that [`Self::next_slot`] returned last.
    pub fn fill(&mut self, slot: &Slot, id: u64, config: Vec<f64>) {
        if let Some(open) = self.open.iter_mut().find(|o| o.number == slot.bracket) {
            open.entrants.insert(id, Entrant { config, value: None });
        }
    }

    /// Records the loss of a suggestion; a failed one counts as the worst.
    pub fn told(&mut self, id: u64, value: f64) {
        let value = failed_last(value);
        if let Some(entrant) = self.open.iter_mut().find_map(|o| o.entrants.get_mut(&id)) {
            entrant.value = Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bracket(sizes: &[usize]) -> Bracket {
        let top = sizes.len() as u32 - 1;
        let rung = |(i, &size)| Rung { size, divisor: 2_u64.pow(top - i as u32) };
        sizes.iter().enumerate().map(rung).collect()
    }

    #[test]
    fn the_best_go_on_in_the_order_in_which_they_came() {
        let mut schedule = Schedule::new(vec![bracket(&[4, 2, 1])], Some(1));
        for (id, value) in [3.0, f64::NAN, 1.0, 2.0].into_iter().enumerate() {
            let slot = schedule.next_slot().unwrap();
            assert_eq!((slot.rung.divisor, &slot.promoted), (4, &None));
            schedule.fill(&slot, id as u64, vec![id as f64]);
            schedule.told(id as u64, value);
        }
        for (id, config, value) in [(4, 2.0, 5.0), (5, 3.0, 4.0)] {
            let slot = schedule.next_slot().unwrap();
            assert_eq!((slot.rung.divisor, slot.promoted.clone()), (2, Some(vec![config])));
            schedule.fill(&slot, id, vec![config]);
            schedule.told(id, value);
        }
        let last = schedule.next_slot().unwrap();
        assert_eq!((last.rung.divisor, last.promoted.clone()), (1, Some(vec![3.0])));
        schedule.fill(&last, 6, vec![3.0]);
        assert_eq!(schedule.next_slot(), None);
        schedule.told(6, 0.0);
        assert_eq!(schedule.next_slot(), None);
    }

    #[test]
    fn a_waiting_bracket_lets_the_next_one_start_and_goes_on_first_when_told() {
        let mut schedule = Schedule::new(vec![bracket(&[2, 1]), bracket(&[1])], None);
        for id in 0..3 {
            let slot = schedule.next_slot().unwrap();
            assert_eq!(slot.bracket, u64::from(id == 2));
            schedule.fill(&slot, id, vec![0.0]);
        }
        schedule.told(1, 1.0);
        schedule.told(0, 1.0);
        let slot = schedule.next_slot().unwrap();
        assert_eq!((slot.bracket, slot.rung.divisor), (0, 1));
    }

    #[test]
    fn nothing_to_fill_is_no_endless_search() {
        assert_eq!(Schedule::new(vec![Vec::new()], None).next_slot(), None);
    }
}
