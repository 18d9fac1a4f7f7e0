//! Parses the column that a field describes: its name, its description, and how its values are stored.

use syn::{
    Attribute, Error, Expr, ExprLit, Field, Ident, Lit, LitStr, Meta, Result, Type,
    ext::IdentExt as _,
};

/// A field of a row.
pub(crate) struct Column {
    /// The field.
    pub field: Ident,
    /// The type of the field.
    pub holds: Type,
    /// The column's name: that of the field unless an attribute gives another.
    pub name: String,
    /// The column's description with its unit: the documentation of the field.
    pub what: String,
    /// The type that determines how values are stored in the column: that of the field unless an attribute
    /// gives another.
    pub cell: Type,
    /// Whether the field is itself a row, whose columns take its place.
    pub flat: bool,
}

impl Column {
    pub(crate) fn of(field: &Field) -> Result<Self> {
        let Some(name) = field.ident.clone() else {
            return Err(Error::new_spanned(field, "a column has a name"));
        };
        let mut column = Self {
            name: name.unraw().to_string(),
            field: name,
            holds: field.ty.clone(),
            what: documentation(&field.attrs),
            cell: field.ty.clone(),
            flat: false,
        };
        for attribute in field.attrs.iter().filter(|own| own.path().is_ident("row")) {
            column.take(attribute)?;
        }
        if column.what.is_empty() && !column.flat {
            return Err(Error::new_spanned(
                field,
                "a column says what it holds: document the field",
            ));
        }
        Ok(column)
    }

    /// Reads `#[row(name = "…", unit = "…", with = Type, flatten)]`.
    fn take(&mut self, attribute: &Attribute) -> Result<()> {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                self.name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("unit") {
                let unit = meta.value()?.parse::<LitStr>()?.value();
                self.what = format!("{}, {unit}", self.what);
            } else if meta.path.is_ident("with") {
                self.cell = meta.value()?.parse()?;
            } else if meta.path.is_ident("flatten") {
                self.flat = true;
            } else {
                return Err(meta.error("a column takes `name`, `unit`, `with` and `flatten`"));
            }
            Ok(())
        })
    }
}

/// The documentation of a field, its lines joined.
fn documentation(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}
