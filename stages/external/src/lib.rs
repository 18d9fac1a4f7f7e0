//! Optimisers that are programs of their own, in any language: started as a child process, which is sent one line
//! of JSON on its standard input for each request and answers each with one line on its standard output
//! (`docs/book/src/external.md` describes the protocol).
//!
//! [`message`] holds the requests and replies, [`process`] the child with its time limit and its last words, and
//! [`optimiser`] the [`tuners::tuner::Tuner`] made of them. Whatever a child does (it hangs, ends, writes garbage,
//! suggests what is not in the space), the caller gets one error that says what and names its last words; nothing
//! panics and nothing waits for ever.

pub mod error;
pub mod message;
pub mod optimiser;
pub mod process;

pub use error::{Error, Result};
pub use optimiser::Optimiser;
