//! What a stage reads and writes, each with the type of its table. A stage has its ports as constants, and
//! nowhere else are their names:
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
//! Which stage's table an input is, its expansion says: see [`crate::wire`].

use std::{borrow::Cow, fmt::Display, marker::PhantomData};

use arrow_array::RecordBatch;
use pipeline::stage::{Context, Output, Stop};

use crate::{
    row::{self, ReadRow, Row},
    table::TableError,
};

/// What a table holds, for those who write it.
pub trait Table {
    /// In memory.
    type Held<'h>
    where
        Self: 'h;

    /// The table.
    ///
    /// # Errors
    /// When what it holds contradicts itself.
    fn batch(held: Self::Held<'_>) -> Result<RecordBatch, TableError>;
}

/// What a table holds, for those who read it.
pub trait ReadTable: Table {
    /// In memory.
    type Read;

    /// What the table holds.
    ///
    /// # Errors
    /// When it is no such table.
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

/// A table whose columns the program does not know beforehand.
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

/// A row that has the columns of a `T`, so that who reads `T`s may be given a table of these.
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

    /// Whether it is there: an optional input may not be.
    #[must_use]
    pub fn is_there(&self, cx: &Context) -> bool {
        cx.roles().any(|role| role == self.role)
    }
}

impl<T: ReadTable> In<T> {
    /// What it holds.
    ///
    /// # Errors
    /// When it is not there, its content is not what the store recorded, or it is another table.
    pub fn read(&self, cx: &Context) -> Result<T::Read, Stop> {
        Ok(T::read(cx.input(&self.role)?)?)
    }

    /// What it holds, or nothing where it could not be had.
    ///
    /// # Errors
    /// When its content is not what the store recorded, or it is another table.
    pub fn read_if_there(&self, cx: &Context) -> Result<Option<T::Read>, Stop> {
        self.is_there(cx).then(|| self.read(cx)).transpose()
    }
}

/// Inputs of one kind, whose roles begin alike and end with what tells them apart.
pub struct Many<T> {
    start: &'static str,
    of: PhantomData<fn() -> T>,
}

impl<T> Many<T> {
    /// The inputs whose roles begin like this.
    #[must_use]
    pub const fn new(start: &'static str) -> Self {
        Self { start, of: PhantomData }
    }

    /// One of them.
    #[must_use]
    pub fn at(&self, end: impl Display) -> In<T> {
        In { role: Cow::Owned(format!("{}{end}", self.start)), of: PhantomData }
    }

    /// Those that are there, in the order of their roles, each with the end of its role.
    #[must_use]
    pub fn there(&self, cx: &Context) -> Vec<(String, In<T>)> {
        let ends = cx.roles().filter_map(|role| role.strip_prefix(self.start));
        ends.map(|end| (end.to_owned(), self.at(end))).collect()
    }
}

impl<T: ReadTable> Many<T> {
    /// What those hold that are there, in the order of their roles, each with the end of its role.
    ///
    /// # Errors
    /// When a content is not what the store recorded, or it is another table.
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
    /// A table that is the same bytes for the same key.
    #[must_use]
    pub const fn table(name: &'static str) -> Self {
        Self { output: Output::table(name), of: PhantomData }
    }

    /// A table of measurements.
    #[must_use]
    pub const fn measured(name: &'static str) -> Self {
        Self { output: Output::measured(name), of: PhantomData }
    }

    /// One of the two.
    #[must_use]
    pub const fn new(name: &'static str, measured: bool) -> Self {
        Self { output: Output { name, measured }, of: PhantomData }
    }

    /// What the stage declares.
    #[must_use]
    pub const fn output(&self) -> Output {
        self.output
    }
}

impl<T: Table> Out<T> {
    /// Writes it.
    ///
    /// # Errors
    /// When the stage does not declare it or has written it before, what it is to hold contradicts itself, or
    /// the disk refuses.
    pub fn write(&self, cx: &mut Context, held: T::Held<'_>) -> Result<(), Stop> {
        Ok(cx.write(self.output.name, &T::batch(held)?)?)
    }
}
