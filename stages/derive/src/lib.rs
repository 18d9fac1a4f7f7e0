//! The derive macros `#[derive(Row)]`, which makes a struct a row of a table, and `#[derive(Ranges)]`, which checks the
//! values of a config. Their meaning and use are documented with the traits that they implement, in `kit::row` and
//! `kit::ranges`.

mod column;
mod ranges;
mod row;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, parse_macro_input};

/// Derives `kit::row::Row`, and `kit::row::ReadRow` for a struct that borrows nothing.
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    row::derived(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `kit::ranges::Ranges`.
#[proc_macro_derive(Ranges, attributes(range))]
pub fn derive_ranges(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    ranges::derived(&input).unwrap_or_else(Error::into_compile_error).into()
}
