//! Ports: the inputs and outputs of a stage, each with the type of its table. A stage declares its ports as
//! constants, the only place where their names occur:
//!
//! ```
//! use kit::{port::{In, Out}, row::Row};
//! use pipeline::stage::{Context, Output, Stage, Stop};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Row)]
//! struct Tried {
//!     /// error on the validation part
//!     error: f64,
//! }
//!
//! /// Keeps the runs that came near the best one.
//! #[derive(Serialize, Deserialize)]
//! struct Best {
//!     margin: f64,
//! }
//!
//! impl Best {
//!     const TRIED: In<Tried> = In::new("tried");
//!     const MAIN: Out<Tried> = Out::table("main");
//! }
//!
//! impl Stage for Best {
//!     const KIND: &'static str = "example/best";
//!     const MODULE: &'static str = module_path!();
//!     const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];
//!
//!     fn run(&self, cx: &mut Context) -> Result<(), Stop> {
//!         let mut tried = Self::TRIED.read(cx)?;
//!         let least = tried.iter().map(|one| one.error).fold(f64::INFINITY, f64::min);
//!         tried.retain(|one| one.error <= least + self.margin);
//!         Self::MAIN.write(cx, &tried)
//!     }
//! }
//! ```
//!
//! The paper's expansion connects an input to the table of another stage: see [`crate::wire`].

use std::{borrow::Cow, fmt::Display, marker::PhantomData};

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Output, Stop};

use crate::{
    row::{self, ReadRow, Row},
    table::TableError,
};

/// The content of a table, for writing.
pub trait Table {
    /// The content in memory.
    type Held<'h>
    where
        Self: 'h;

    /// The table.
    ///
    /// # Errors
    /// If the content is inconsistent.
    fn batch(held: Self::Held<'_>) -> Result<RecordBatch, TableError>;
}

/// The content of a table, for reading.
pub trait ReadTable: Table {
    /// The content in memory.
    type Read;

    /// The content of the table.
    ///
    /// # Errors
    /// If it is not such a table.
    fn read(table: RecordBatch) -> Result<Self::Read, TableError>;
}

impl<R: Row> Table for R {
    type Held<'h>
        = &'h [R]
    where
        R: 'h;

    fn batch(held: &[R]) -> Result<RecordBatch, TableError> {
        row::batch(held)
    }
}

impl<R: ReadRow> ReadTable for R {
    type Read = Vec<R>;

    fn read(table: RecordBatch) -> Result<Vec<R>, TableError> {
        row::read(&table)
    }
}

/// A table whose columns are not known at compile time.
pub struct Any;

impl Table for Any {
    type Held<'h> = RecordBatch;

    fn batch(held: RecordBatch) -> Result<RecordBatch, TableError> {
        Ok(held)
    }
}

impl ReadTable for Any {
    type Read = RecordBatch;

    fn read(table: RecordBatch) -> Result<RecordBatch, TableError> {
        Ok(table)
    }
}

/// A row that has the columns of a `T`, so that a reader of `T`s can be given a table of these.
pub trait SeenAs<T> {}

impl<R: Row> SeenAs<Any> for R {}

/// An input that is a table of `T`s.
pub struct In<T> {
    role: Cow<'static, str>,
    of: PhantomData<fn() -> T>,
}

impl<T> In<T> {
    /// The input of this role.
    #[must_use]
    pub const fn new(role: &'static str) -> Self {
        Self { role: Cow::Borrowed(role), of: PhantomData }
    }

    /// Its role among the inputs.
    #[must_use]
    pub fn role(&self) -> String {
        self.role.to_string()
    }

    /// Whether the input is present: an optional input may be absent.
    #[must_use]
    pub fn is_there(&self, cx: &Context) -> bool {
        cx.roles().any(|role| role == self.role)
    }
}

impl<T: ReadTable> In<T> {
    /// Its content.
    ///
    /// # Errors
    /// If it is absent, its content is not what the store recorded, or it is another table.
    pub fn read(&self, cx: &Context) -> Result<T::Read, Stop> {
        Ok(T::read(cx.input(&self.role)?)?)
    }

    /// Its content, or `None` if it is absent.
    ///
    /// # Errors
    /// If its content is not what the store recorded, or it is another table.
    pub fn read_if_there(&self, cx: &Context) -> Result<Option<T::Read>, Stop> {
        self.is_there(cx).then(|| self.read(cx)).transpose()
    }
}

/// Inputs of one kind, whose roles have a common prefix and differ in the rest.
pub struct Many<T> {
    start: &'static str,
    of: PhantomData<fn() -> T>,
}

impl<T> Many<T> {
    /// The inputs whose roles begin with this.
    #[must_use]
    pub const fn new(start: &'static str) -> Self {
        Self { start, of: PhantomData }
    }

    /// One of them.
    #[must_use]
    pub fn at(&self, end: impl Display) -> In<T> {
        In { role: Cow::Owned(format!("{}{end}", self.start)), of: PhantomData }
    }

    /// The inputs that are present, in the order of their roles, each with the rest of its role.
    #[must_use]
    pub fn there(&self, cx: &Context) -> Vec<(String, In<T>)> {
        let ends = cx.roles().filter_map(|role| role.strip_prefix(self.start));
        ends.map(|end| (end.to_owned(), self.at(end))).collect()
    }
}

impl<T: ReadTable> Many<T> {
    /// The contents of the inputs that are present, in the order of their roles, each with the rest of its
    /// role.
    ///
    /// # Errors
    /// If a content is not what the store recorded, or an input is another table.
    pub fn read(&self, cx: &Context) -> Result<Vec<(String, T::Read)>, Stop> {
        self.there(cx).into_iter().map(|(end, input)| Ok((end, input.read(cx)?))).collect()
    }
}

/// An output that is a table of `T`s.
pub struct Out<T> {
    output: Output,
    of: PhantomData<fn() -> T>,
}

impl<T> Out<T> {
    /// A table whose bytes are the same for the same key.
    #[must_use]
    pub const fn table(name: &'static str) -> Self {
        Self { output: Output::table(name), of: PhantomData }
    }

    /// A table of measurements.
    #[must_use]
    pub const fn measured(name: &'static str) -> Self {
        Self { output: Output::measured(name), of: PhantomData }
    }

    /// A table of one of the two kinds.
    #[must_use]
    pub const fn new(name: &'static str, measured: bool) -> Self {
        Self { output: Output { name, measured }, of: PhantomData }
    }

    /// The declaration for the stage.
    #[must_use]
    pub const fn output(&self) -> Output {
        self.output
    }
}

impl<T: Table> Out<T> {
    /// Writes it.
    ///
    /// # Errors
    /// If the stage does not declare it or has written it before, the content is inconsistent, or writing to
    /// disk fails.
    pub fn write(&self, cx: &mut Context, held: T::Held<'_>) -> Result<(), Stop> {
        Ok(cx.write(self.output.name, &T::batch(held)?)?)
    }
}
