//! What the threads of an executor, and of the exchange with a remote, report to the deciding loop.

use super::job::Ending;
use crate::{
    error::Result,
    event::Event,
    store::{Produced, record::Record},
};

/// What the threads of an executor report to the thread that decides.
pub(super) enum Message {
    /// The attempt's process has this number.
    Spawned(usize, u32),
    /// The attempt is over.
    Ended(usize, Result<(Ending, Produced)>),
    /// The answer of the remote, which was asked for the attempt's result.
    Fetched(usize, Fetched),
    /// An event for the listener of the run.
    Said(Event),
}

/// A result that came from the remote.
pub(super) type Fetched = Option<(Box<Record>, Produced)>;
