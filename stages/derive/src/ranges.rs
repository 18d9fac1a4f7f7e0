//! Generates the check of a struct's values against the ranges that its fields declare.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Data, DataStruct, DeriveInput, Error, Expr, ExprLit, ExprUnary, Field, Fields, Lit, Result,
    UnOp, ext::IdentExt as _,
};

/// `Ranges` for the struct.
pub(crate) fn derived(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "ranges are those of a struct's named fields",
        ));
    };
    let checks = fields.named.iter().map(check).collect::<Result<Vec<_>>>()?;
    let (own, (generics, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    Ok(quote! {
        impl #generics ::kit::ranges::Ranges for #own #arguments #bounds {
            fn fault(&self) -> ::std::option::Option<::kit::ranges::Fault> {
                #(#checks)*
                ::std::option::Option::None
            }
        }
    })
}

/// The check of one field; nothing for one without an attribute.
fn check(field: &Field) -> Result<TokenStream> {
    let Some(name) = &field.ident else { return Ok(TokenStream::new()) };
    // As serde's `kebab-case` writes it.
    let mut key = name.unraw().to_string().replace('_', "-");
    let (mut inside, mut ends) = (false, Vec::new());
    let mut own = field.attrs.iter().filter(|own| own.path().is_ident("range")).peekable();
    if own.peek().is_none() {
        return Ok(TokenStream::new());
    }
    for attribute in own {
        attribute.parse_nested_meta(|meta| {
            let known = ["at_least", "above", "at_most", "below", "entries"];
            if meta.path.is_ident("inside") {
                inside = true;
            } else if meta.path.is_ident("name") {
                key = meta.value()?.parse::<syn::LitStr>()?.value();
            } else if known.iter().any(|end| meta.path.is_ident(end)) {
                let (end, value) = (meta.path.clone(), number(&meta.value()?.parse()?)?);
                ends.push(quote! { #end: ::std::option::Option::Some(#value), });
            } else {
                let ends = "`at_least`, `above`, `at_most`, `below`, `entries`";
                return Err(meta.error(format!("a range takes {ends}, `inside` and `name`")));
            }
            Ok(())
        })?;
    }
    let ranged = (!ends.is_empty()).then(|| {
        quote! {
            let range = ::kit::ranges::Range { #(#ends)* ..::kit::ranges::Range::ANY };
            if let ::std::option::Option::Some(fault) =
                ::kit::ranges::Ranged::outside(&self.#name, &range)
            {
                return ::std::option::Option::Some(fault.inside(#key));
            }
        }
    });
    let nested = inside.then(|| {
        quote! {
            if let ::std::option::Option::Some(fault) = ::kit::ranges::Ranges::fault(&self.#name) {
                return ::std::option::Option::Some(fault.inside(#key));
            }
        }
    });
    Ok(quote! { #ranged #nested })
}

/// The value of a literal, which may have a sign, or of the path of a constant.
fn number(value: &Expr) -> Result<TokenStream> {
    let literal = |number: f64| quote! { #number };
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(whole), .. }) => whole.base10_parse().map(literal),
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().map(literal),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
            number(expr).map(|value| quote! { -#value })
        }
        Expr::Path(constant) => Ok(quote! { #constant as f64 }),
        other => Err(Error::new_spanned(other, "an end of a range is a number or a constant")),
    }
}
