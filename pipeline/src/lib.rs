//! A content-hashed DAG engine: typed stages, a content-addressed Parquet store, parallel runs, and an explanation of
//! every rerun. Invariant: it does not depend on any experiment, optimiser or tensor library.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{RecordBatch, record_batch};
//! use pipeline::{
//!     artifacts::Artifacts,
//!     graph::Builder,
//!     registry::Kinds,
//!     run::{self, Backend, Options, sandbox::Confined, slots::Slots},
//!     seed::Seed,
//!     stage::{Context, Stage, Stop},
//!     store::Store,
//!     work::{Inputs, Work},
//! };
//! use rand::RngExt as _;
//! use serde::{Deserialize, Serialize};
//!
//! /// Draws `count` random numbers. The fields of the type enter its key, and nothing else does.
//! #[derive(Serialize, Deserialize)]
//! struct Draw {
//!     count: usize,
//! }
//!
//! impl Stage for Draw {
//!     const KIND: &'static str = "draw";
//!     const MODULE: &'static str = module_path!();
//!
//!     fn run(&self, cx: &mut Context) -> Result<(), Stop> {
//!         let mut rng = cx.rng("numbers")?;
//!         let numbers: Vec<u32> = (0..self.count).map(|_| rng.random_range(0..100)).collect();
//!         let table = record_batch!(("number", UInt32, numbers)).expect("one column");
//!         Ok(cx.write("main", &table)?)
//!     }
//! }
//!
//! impl Work for Draw {
//!     fn work(&self, _: &Inputs) -> f64 {
//!         self.count as f64
//!     }
//! }
//!
//! let mut kinds = Kinds::default();
//! kinds.add::<Draw>(&[]); // a program brings a table of code digests; see `codehash`
//! let kinds = Arc::new(kinds);
//! let mut builder = Builder::new(&kinds);
//! builder.add("example/draw", &Draw { count: 3 })?.seed(Seed::new(1, "example", 0));
//! let graph = builder.build()?;
//!
//! let dir = tempfile::tempdir()?;
//! let store = Arc::new(Store::open(dir.path())?);
//! let options = Options {
//!     backend: Backend::Here(Slots::new(1, 1000, 0, 1)),
//!     keep_going: true,
//!     program: "unused".into(), // no stage here asks for a process of its own
//!     interrupted: Arc::default(),
//!     limit: None,
//!     sandbox: Confined::None,
//!     remote: None,
//!     sources: None,
//!     forced: Vec::new(),
//!     given: std::collections::HashMap::default(),
//! };
//! let run = || run::run(&graph, &[true], &store, &kinds, &options, &mut |_: &_| {});
//! assert_eq!(run()?.executed, ["example/draw"]);
//! assert!(run()?.executed.is_empty(), "it is fresh");
//!
//! let table: RecordBatch = Artifacts::open(dir.path())?.table("example/draw", "main")?;
//! assert_eq!(table.num_rows(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Modules; each uses only those before it: [`error`], [`digest`], [`disk`], [`seed`], [`table`], [`kernels`],
//! [`machine`], [`program`] → [`stage`], [`work`], [`code`], [`config`] → [`kinds`], [`graph`], [`registry`] →
//! [`manifest`] → [`store`] → [`plan`], [`remote`], [`estimate`] → [`run`] → [`absence`] → [`artifacts`],
//! [`provenance`] → [`recorded`] → [`share`] → `cli`. [`fold`] names sweeps for people.

pub mod absence;
pub mod artifacts;
#[cfg(feature = "cli")]
pub mod cli;
pub mod code;
pub mod config;
pub mod digest;
pub mod disk;
pub mod error;
pub mod estimate;
pub mod event;
pub mod fold;
pub mod graph;
pub mod kernels;
pub mod kinds;
pub mod machine;
pub mod manifest;
pub mod plan;
pub mod program;
pub mod provenance;
pub mod recorded;
pub mod registry;
mod regular;
pub mod remote;
pub mod run;
pub mod seed;
pub mod share;
pub mod stage;
pub mod store;
pub mod table;
pub mod work;

pub use error::{Error, Result};
