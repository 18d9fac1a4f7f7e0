//! The one way in which a stage changes its state in a run, and the propagation down the graph when a stage is
//! settled. Invariant: states are decided by the plan, from inputs, and not here.

use super::Run;
use crate::{error::Result, event::Event, graph::Id, plan::State};

impl Run<'_, '_> {
    /// Every change of a stage's state: sets it and keeps the queue, the counters, the summary and the listener in
    /// step with it. What only an attempt knows (why it starts, what it cost, whether it is tried again) the attempt
    /// has already reported to the listener.
    pub(super) fn transition(&mut self, id: Id, next: State) {
        let name = &self.graph[id].name;
        let was = self.plan.state(id);
        debug_assert!(was.may_become(&next), "{name}: {was:?} does not become {next:?}");
        let was = self.plan.set(id, next);
        match (was, self.plan.state(id)) {
            (State::Waiting(_), State::Stale(..)) => self.queue.push(id),
            (State::Running(_), State::Fresh(..)) if self.pulled.remove(&id) => {
                self.listener.hear(&Event::Pulled { stage: name.clone() });
                self.summary.pulled.push(name.clone());
            }
            (State::Running(_), State::Fresh(..)) => self.summary.executed.push(name.clone()),
            (_, State::Fresh(..)) => {
                self.listener.hear(&Event::CutOff { stage: name.clone() });
                self.summary.cut_off.push(name.clone());
            }
            (_, State::Unavailable(_, why)) => {
                let (stage, message) = (name.clone(), why.clone());
                self.listener.hear(&Event::Unavailable { stage, message });
                self.summary.unavailable.push((name.clone(), why.clone()));
            }
            (_, State::Failed(why)) => self.summary.failed.push((name.clone(), why.clone())),
            (_, State::Blocked(root)) => {
                self.summary.blocked.push((name.clone(), self.graph[*root].name.clone()));
            }
            _ => {}
        }
        if self.plan.state(id).settled() {
            self.settled += 1;
            self.pace.forget(id);
        }
    }

    /// Moves a stage into a final state. This may settle its readers, and so on down the graph.
    pub(super) fn conclude(&mut self, id: Id, last: State) -> Result<()> {
        self.transition(id, last);
        let mut news = vec![id];
        let graph = self.graph;
        while let Some(id) = news.pop() {
            for reader in graph.readers(id) {
                if !matches!(self.plan.state(reader), State::Waiting(_)) {
                    continue;
                }
                let next = self.plan.decide(reader)?;
                if next.settled() {
                    news.push(reader);
                }
                self.transition(reader, next);
            }
        }
        self.progress();
        Ok(())
    }
}
