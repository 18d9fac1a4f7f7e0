//! The list of everything that a recorded run computed, as a table: one row per output of a stage.

use std::{path::Path, sync::Arc};

use arrow_array::{
    Array, ArrayRef, Float64Array, RecordBatch, StringArray, cast::AsArray, types::Float64Type,
};
use arrow_schema::{DataType, Field, Schema};

use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
    provenance::Account,
    table,
};

/// One output of one stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The stage's name.
    pub stage: String,
    /// Its kind.
    pub kind: String,
    /// Its key.
    pub key: Digest,
    /// The digest of its code.
    pub code: String,
    /// The output.
    pub output: String,
    /// The content's digest.
    pub digest: Digest,
    /// CPU seconds of the stage.
    pub cpu_s: f64,
}

const TEXTS: [(&str, &str); 6] = [
    ("stage", "the stage's name"),
    ("kind", "its kind"),
    ("key", "the hash of everything that decides its result"),
    ("code", "the digest of its code"),
    ("output", "the output's name"),
    ("digest", "BLAKE3 of the output's bytes"),
];
const CPU: (&str, &str) = ("cpu_s", "CPU seconds of the stage");

impl Line {
    /// The outputs of a stage.
    pub(super) fn of(account: &Account) -> impl Iterator<Item = Self> + '_ {
        account.outputs.iter().map(|(output, digest)| Self {
            stage: account.stage.clone(),
            kind: account.kind.clone(),
            key: account.key,
            code: account.code.clone(),
            output: output.clone(),
            digest: *digest,
            cpu_s: account.cpu_s(),
        })
    }
}

/// These lines as a table, by stage and output.
pub(super) fn table(mut rows: Vec<Line>) -> Result<RecordBatch> {
    rows.sort_by(|a, b| (&a.stage, &a.output).cmp(&(&b.stage, &b.output)));
    let text = |of: fn(&Line) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
    };
    let columns = vec![
        text(|line| line.stage.clone()),
        text(|line| line.kind.clone()),
        text(|line| line.key.to_string()),
        text(|line| line.code.clone()),
        text(|line| line.output.clone()),
        text(|line| line.digest.to_string()),
        Arc::new(Float64Array::from_iter_values(rows.iter().map(|line| line.cpu_s))),
    ];
    let field = |(name, what): (&str, &str), kind: DataType| {
        let about = [("description".to_owned(), what.to_owned())];
        Field::new(name, kind, false).with_metadata(std::collections::HashMap::from(about))
    };
    let fields = TEXTS.map(|text| field(text, DataType::Utf8)).into_iter();
    let fields: Vec<Field> = fields.chain([field(CPU, DataType::Float64)]).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|e| Error::usage(format!("the list of stages cannot be written: {e}")))
}

/// The rows of the list at `path`.
///
/// # Errors
/// When it cannot be read or is not such a list.
pub fn read(path: &Path) -> Result<Vec<Line>> {
    let table = table::read(path)?;
    let broken = |what: &str| {
        Error::new(Exit::Store, format!("{}: {what}", path.display()))
            .help("`git checkout` brings it back, `retune record` writes it anew")
    };
    let texts = TEXTS.map(|(name, _)| {
        table.column_by_name(name).and_then(|column| column.as_string_opt::<i32>())
    });
    let [Some(stage), Some(kind), Some(key), Some(code), Some(output), Some(digest)] = texts else {
        return Err(broken("a column of text is missing"));
    };
    let cpu = table.column_by_name(CPU.0).and_then(|c| c.as_primitive_opt::<Float64Type>());
    let cpu = cpu.ok_or_else(|| broken("the column cpu_s is missing"))?;
    let parsed =
        |text: &str| text.parse().map_err(|_| broken(&format!("`{text}` is not a digest")));
    (0..table.num_rows())
        .map(|i| {
            if cpu.is_null(i) || [stage, key, digest].iter().any(|column| column.is_null(i)) {
                return Err(broken("a value is missing"));
            }
            Ok(Line {
                stage: stage.value(i).to_owned(),
                kind: kind.value(i).to_owned(),
                key: parsed(key.value(i))?,
                code: code.value(i).to_owned(),
                output: output.value(i).to_owned(),
                digest: parsed(digest.value(i))?,
                cpu_s: cpu.value(i),
            })
        })
        .collect()
}
