//! The work of the stages of a plan, inputs before readers. The size of an input is that of its artifact or, if it
//! does not exist yet, of what its stage will write.

use std::{cell::RefCell, collections::HashMap};

use super::{rate::Group, rates::Samples, sizes::Sizes};
use crate::{
    graph::{Graph, Id},
    kinds::{Kinds, Load},
    plan::{Plan, State, output},
    work::{Inputs, Size},
};

/// What is to be run.
pub(super) struct Outlook<'a> {
    graph: &'a Graph,
    plan: &'a Plan<'a>,
    kinds: &'a Kinds,
    samples: &'a Samples<'a>,
    sizes: &'a Sizes<'a>,
    loads: HashMap<Id, (Group, Option<f64>)>,
    written: RefCell<HashMap<(Id, &'static str), Option<Size>>>,
}

impl<'a> Outlook<'a> {
    /// The outlook for all stages of `plan` that are stale or may follow.
    pub(super) fn new(
        graph: &'a Graph,
        plan: &'a Plan<'a>,
        kinds: &'a Kinds,
        samples: &'a Samples<'a>,
        sizes: &'a Sizes<'a>,
    ) -> Self {
        let (loads, written) = (HashMap::new(), RefCell::default());
        let mut outlook = Self { graph, plan, kinds, samples, sizes, loads, written };
        for &id in graph.order() {
            if matches!(plan.state(id), State::Stale(..) | State::Waiting(_)) {
                let (variant, work) = outlook.load(id);
                let gpu = graph[id].needs.gpus > 0;
                let group = Group { kind: graph[id].kind.to_owned(), variant, gpu };
                outlook.loads.insert(id, (group, work));
            }
        }
        outlook
    }

    /// The stage's group and its work, if it is known.
    pub(super) fn get(&self, id: Id) -> Option<(&Group, Option<f64>)> {
        self.loads.get(&id).map(|(group, work)| (group, *work))
    }

    /// Its variant, and its work if every size that the formula asked for was known.
    fn load(&self, id: Id) -> (String, Option<f64>) {
        let node = &self.graph[id];
        self.with_inputs(id, |inputs| match self.kinds.load(node.kind, &node.params, inputs) {
            Some(Load { variant, work }) => (variant, inputs.complete().then_some(work)),
            None => (String::new(), None),
        })
    }

    fn with_inputs<T>(&self, id: Id, then: impl FnOnce(&Inputs) -> T) -> T {
        let there =
            |from: Id| !matches!(self.plan.state(from), State::Unavailable(..) | State::Blocked(_));
        let edges: Vec<_> = self.graph[id].inputs.iter().filter(|e| there(e.from)).collect();
        let look = |place: usize| self.size(edges[place].from, edges[place].output);
        then(&Inputs::new(edges.iter().map(|edge| edge.role.as_str()).collect(), &look))
    }

    /// The size of an output.
    fn size(&self, id: Id, name: &'static str) -> Option<Size> {
        if let State::Fresh(_, produced) = self.plan.state(id) {
            return self.sizes.of(output(produced, name)?);
        }
        if let Some(known) = self.written.borrow().get(&(id, name)) {
            return *known;
        }
        let node = &self.graph[id];
        let told = self.kinds.get(node.kind).and_then(|kind| {
            self.with_inputs(id, |inputs| (kind.writes)(&node.params, name, inputs))
        });
        let grown = || {
            let (group, work) = self.loads.get(&id)?;
            self.samples.written(group, name, (*work)?, self.sizes)
        };
        let size = told.or_else(grown);
        self.written.borrow_mut().insert((id, name), size);
        size
    }
}
