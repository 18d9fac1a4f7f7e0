//! The derive macro `#[derive(Row)]`, which makes a struct a row of a table. Its meaning and use are
//! documented with the traits that it implements, in `kit::row`.

mod column;
mod row;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, parse_macro_input};

/// Derives `kit::row::Row`, and `kit::row::ReadRow` for a struct that borrows nothing.
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    row::derived(&input).unwrap_or_else(Error::into_compile_error).into()
}
