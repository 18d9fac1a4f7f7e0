//! What the threads of an executor, and of the exchange with a remote, tell the loop that decides.

use super::job::Ending;
use crate::{
    error::Result,
    event::Event,
    store::{Produced, record::Record},
};

/// What the threads of an executor tell the one that decides.
pub(super) enum Message {
    /// The attempt's process has this number.
    Spawned(usize, u32),
    /// The attempt is over.
    Ended(usize, Result<(Ending, Produced)>),
    /// The remote was asked for the attempt's result.
    Fetched(usize, Fetched),
    /// Something that who listens to the run wants to know.
    Said(Event),
}

/// A result that came from the remote.
pub(super) type Fetched = Option<(Box<Record>, Produced)>;
