//! Connects the table that one stage writes to the input of another that reads it: unless both have the same
//! type, the code does not compile. Separate from [`crate::port`], which stages use when they run, because
//! the assembly of the graph is not part of a stage's key.
//!
//! ```
//! # use kit::{port::{In, Out}, row::Row};
//! # use pipeline::stage::{Context, Output, Stage, Stop};
//! # use serde::{Deserialize, Serialize};
//! # #[derive(Row)]
//! # struct Tried {
//! #     /// error on the validation part
//! #     error: f64,
//! # }
//! # #[derive(Serialize, Deserialize)]
//! # struct Search {}
//! # impl Search {
//! #     const MAIN: Out<Tried> = Out::table("main");
//! # }
//! # impl Stage for Search {
//! #     const KIND: &'static str = "example/search";
//! #     const MODULE: &'static str = module_path!();
//! #     fn run(&self, cx: &mut Context) -> Result<(), Stop> {
//! #         Self::MAIN.write(cx, &[Tried { error: 0.5 }])
//! #     }
//! # }
//! # #[derive(Serialize, Deserialize)]
//! # struct Best {}
//! # impl Best {
//! #     const TRIED: In<Tried> = In::new("tried");
//! # }
//! # impl Stage for Best {
//! #     const KIND: &'static str = "example/best";
//! #     const MODULE: &'static str = module_path!();
//! #     fn run(&self, _: &mut Context) -> Result<(), Stop> {
//! #         Ok(())
//! #     }
//! # }
//! use kit::wire::Wire;
//! use pipeline::graph::Builder;
//!
//! fn expand(builder: &mut Builder) -> pipeline::Result<()> {
//!     let tried = builder.add("example/search", &Search {})?.gives(&Search::MAIN);
//!     builder.add("example/best", &Best {})?.reads(&Best::TRIED, &tried);
//!     Ok(())
//! }
//! # impl pipeline::work::Work for Search {
//! #     fn work(&self, _: &pipeline::work::Inputs) -> f64 {
//! #         1.0
//! #     }
//! # }
//! # impl pipeline::work::Work for Best {
//! #     fn work(&self, _: &pipeline::work::Inputs) -> f64 {
//! #         1.0
//! #     }
//! # }
//! # let mut kinds = pipeline::registry::Kinds::default();
//! # kinds.add::<Search>(&[]).add::<Best>(&[]);
//! # let mut builder = Builder::new(&kinds);
//! # expand(&mut builder)?;
//! # let graph = builder.build()?;
//! # assert_eq!(graph[graph.find("example/best")?].inputs[0].role, "tried");
//! # Ok::<(), pipeline::Error>(())
//! ```

use std::marker::PhantomData;

use pipeline::{
    error::Result,
    graph::{Builder, Draft},
};

use crate::{
    data_sets::{
        benchmark::LoadBenchmark, benchmark_table, curve_table, curves::LoadCurves, load::LoadData,
        stored,
    },
    gather::Gather,
    port::{In, Out, SeenAs},
};

/// A table of `T`s that a stage of the graph writes.
pub struct Handle<T> {
    stage: String,
    output: &'static str,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self { stage: self.stage.clone(), ..*self }
    }
}

impl<T> Handle<T> {
    /// The stage that writes it.
    #[must_use]
    pub fn stage(&self) -> &str {
        &self.stage
    }

    /// The same table for readers of `U`s.
    #[must_use]
    pub fn seen_as<U>(self) -> Handle<U>
    where
        T: SeenAs<U>,
    {
        Handle { stage: self.stage, output: self.output, of: PhantomData }
    }

    /// The name of the table.
    #[must_use]
    pub fn output(&self) -> &'static str {
        self.output
    }
}

impl<T> Out<T> {
    /// This table of the stage called `stage`, which may be added later.
    #[must_use]
    pub fn of(&self, stage: impl Into<String>) -> Handle<T> {
        Handle { stage: stage.into(), output: self.output().name, of: PhantomData }
    }
}

/// A stage that is being added to the graph, with its ports.
pub trait Wire {
    /// Reads `table` as `input`.
    fn reads<T>(&mut self, input: &In<T>, table: &Handle<T>) -> &mut Self;

    /// Reads `table` as `input`, and runs without it if it is unavailable.
    fn may_read<T>(&mut self, input: &In<T>, table: &Handle<T>) -> &mut Self;

    /// The table that it writes as `output`.
    fn gives<T>(&self, output: &Out<T>) -> Handle<T>;
}

impl Wire for Draft {
    fn reads<T>(&mut self, input: &In<T>, table: &Handle<T>) -> &mut Self {
        self.read(input.role(), table.stage.as_str(), table.output, false)
    }

    fn may_read<T>(&mut self, input: &In<T>, table: &Handle<T>) -> &mut Self {
        self.read(input.role(), table.stage.as_str(), table.output, true)
    }

    fn gives<T>(&self, output: &Out<T>) -> Handle<T> {
        output.of(self.name())
    }
}

/// Reads the data set that the stage called `data` loads, as [`stored::read`] does.
pub fn stored(draft: &mut Draft, data: &str) {
    draft
        .reads(&stored::VALUES, &LoadData::VALUES.of(data))
        .reads(&stored::TARGET, &LoadData::TARGET.of(data))
        .reads(&stored::NAMES, &LoadData::NAMES.of(data));
}

/// Reads the benchmark that the stage called `name` loads, as [`benchmark_table::read`] does.
pub fn benchmark(draft: &mut Draft, name: &str) {
    draft
        .reads(&benchmark_table::TRAININGS, &LoadBenchmark::MAIN.of(name))
        .reads(&benchmark_table::SPACE, &LoadBenchmark::SPACE.of(name));
}

/// Reads the learning curves that the stage called `name` loads.
pub fn curves(draft: &mut Draft, name: &str) {
    draft.reads(&curve_table::CURVES, &LoadCurves::MAIN.of(name));
}

/// Reads the trainings behind the learning curves that the stage called `name` loads.
pub fn curve_trainings(draft: &mut Draft, name: &str) {
    draft.reads(&curve_table::TRAININGS, &LoadCurves::TRAININGS.of(name));
}

/// The table that the stage called `name` gathers, from tables written as `of`.
pub fn gathered<T>(name: impl Into<String>, _: &Out<T>) -> Handle<T> {
    Handle { stage: name.into(), output: Gather::<false>::MAIN.output().name, of: PhantomData }
}

/// Tables with roles that keep their order.
pub fn numbered<T>(
    tables: impl IntoIterator<Item = Handle<T>>,
) -> impl Iterator<Item = (String, Handle<T>)> {
    tables.into_iter().enumerate().map(|(i, table)| (format!("{i:05}"), table))
}

/// Adds the stage called `name` that concatenates tables, each written as `of` and with its role, and reads
/// all of them.
///
/// # Errors
/// If a stage of this name cannot be added.
pub fn gather_all<T>(
    builder: &mut Builder,
    name: impl Into<String>,
    of: &Out<T>,
    tables: impl IntoIterator<Item = (String, Handle<T>)>,
) -> Result<Handle<T>> {
    gather(builder, name.into(), of, (tables.into_iter(), false))
}

/// The same for those tables that are available.
///
/// # Errors
/// If a stage of this name cannot be added.
pub fn gather_any<T>(
    builder: &mut Builder,
    name: impl Into<String>,
    of: &Out<T>,
    tables: impl IntoIterator<Item = (String, Handle<T>)>,
) -> Result<Handle<T>> {
    gather(builder, name.into(), of, (tables.into_iter(), true))
}

fn gather<T>(
    builder: &mut Builder,
    name: String,
    of: &Out<T>,
    (tables, optional): (impl Iterator<Item = (String, Handle<T>)>, bool),
) -> Result<Handle<T>> {
    let draft = if of.output().measured {
        builder.add(name, &Gather::<true> {})?
    } else {
        builder.add(name, &Gather::<false> {})?
    };
    for (role, Handle { stage, output, .. }) in tables {
        draft.read(role, stage, output, optional);
    }
    Ok(gathered(draft.name(), of))
}
