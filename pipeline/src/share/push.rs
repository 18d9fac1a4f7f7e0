//! Puts on a remote what a store has.

use crate::{
    error::{Error, Result},
    graph::Graph,
    plan::{Options, Plan, State},
    remote::Remote,
    share::side_by_side,
    store::{Store, record::Record},
};

/// The outcome for the wanted stages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// Stages whose result was pushed.
    pub put: Vec<String>,
    /// The number of stages whose result was there already.
    pub there: usize,
    /// Stages that are up to date but have no record of how they came about.
    pub untold: Vec<String>,
    /// The number of stages that are not up to date.
    pub stale: usize,
}

/// Pushes the results of the wanted stages that are up to date to the remote.
///
/// # Errors
/// When the remote is read-only or cannot be reached, or the store cannot be read.
pub fn push(graph: &Graph, wanted: &[bool], store: &Store, remote: &Remote) -> Result<Pushed> {
    if remote.is_read_only() {
        return Err(Error::usage("nothing can be put on this remote: it is only read")
            .help("name a folder, or s3://BUCKET/PREFIX"));
    }
    // What is pushed must not be collected meanwhile.
    let _present = store.present()?;
    let plan = Plan::new(graph, wanted, store, Options::default())?;
    let records = store.records()?;
    let mut pushed = Pushed::default();
    let mut ready: Vec<Record> = Vec::new();
    for &id in graph.order().iter().filter(|id| wanted[id.index()]) {
        let name = &graph[id].name;
        match plan.state(id) {
            State::Fresh(key, _) => match records.get(*key) {
                Some(record) => ready.push(Record { name: name.clone(), ..record.clone() }),
                None => pushed.untold.push(name.clone()),
            },
            _ => pushed.stale += 1,
        }
    }
    let put = side_by_side(&ready, |record| {
        if remote.has(store, record)? {
            return Ok(false);
        }
        remote.push(store, record, false).map(|()| true)
    })?;
    for (record, put) in ready.into_iter().zip(put) {
        if put { pushed.put.push(record.name) } else { pushed.there += 1 }
    }
    Ok(pushed)
}
