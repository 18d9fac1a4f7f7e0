//! Generates the implementations that make a struct a row.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DataStruct, DeriveInput, Error, Fields, Result, Type};

use crate::column::Column;

/// `Row` for the struct, and `ReadRow` unless it borrows.
pub(crate) fn derived(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a row is a struct with named fields"));
    };
    let columns = fields.named.iter().map(Column::of).collect::<Result<Vec<_>>>()?;
    if columns.is_empty() {
        return Err(Error::new_spanned(&input.ident, "a row has columns"));
    }
    let borrowed = |column: &Column| matches!(column.holds, Type::Reference(_));
    let borrows = input.generics.lifetimes().next().is_some() || columns.iter().any(borrowed);
    let read = if borrows { TokenStream::new() } else { reading(input, &columns) };
    let written = writing(input, &columns);
    Ok(quote! { #written #read })
}

fn writing(input: &DeriveInput, columns: &[Column]) -> TokenStream {
    let (own, (generics, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    let added = columns.iter().map(|Column { field, holds, name, what, cell, flat }| {
        if *flat {
            quote! {
                let parts: ::std::vec::Vec<&#holds> = rows.iter().map(|row| &row.#field).collect();
                let table = <#holds as ::kit::row::Row>::add(&parts, table);
            }
        } else {
            quote! {
                let cells: ::std::vec::Vec<_> = rows.iter().map(|row| &row.#field).collect();
                let table = table.cells::<#cell>(#name, #what, &cells);
            }
        }
    });
    quote! {
        impl #generics ::kit::row::Row for #own #arguments #bounds {
            fn add(rows: &[&Self], table: ::kit::table::Columns) -> ::kit::table::Columns {
                #(#added)*
                table
            }
        }
    }
}

fn reading(input: &DeriveInput, columns: &[Column]) -> TokenStream {
    let (own, (generics, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    let fields: Vec<_> = columns.iter().map(|column| &column.field).collect();
    // Not named after the fields, one of which could be called `table`.
    let all: Vec<_> = (0..fields.len()).map(|i| format_ident!("column_{i}")).collect();
    let values = columns.iter().map(|Column { holds, name, cell, flat, .. }| {
        if *flat {
            quote! { <#holds as ::kit::row::ReadRow>::read(table)? }
        } else {
            quote! { table.cells::<#cell>(#name)? }
        }
    });
    quote! {
        impl #generics ::kit::row::ReadRow for #own #arguments #bounds {
            fn read(
                table: ::kit::table::Rows,
            ) -> ::std::result::Result<::std::vec::Vec<Self>, ::kit::table::TableError> {
                #(let mut #all = #values.into_iter();)*
                let next = || ::std::option::Option::Some(Self { #(#fields: #all.next()?,)* });
                ::std::result::Result::Ok(::std::iter::from_fn(next).collect())
            }
        }
    }
}
