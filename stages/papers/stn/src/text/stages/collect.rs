//! The trainings of one experiment in three tables: what each came to, its epochs, and the courses
//! of its hyper-parameters.

use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::Schema;
use kit::table::{Columns, Rows, TableError};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

/// A training and what it is in the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What was done.
    pub method: String,
    /// The value that was set, if one was, and a second one.
    pub value: Option<f64>,
    /// See `value`.
    pub second: Option<f64>,
    /// The replicate.
    pub replicate: u32,
    /// The stage that trained, which is the first part of its roles.
    pub stage: String,
}

impl Entry {
    /// The role of one of its tables.
    #[must_use]
    pub fn role(&self, output: &str) -> String {
        format!("{} {output}", self.stage)
    }
}

/// Puts trainings below each other.
#[derive(Serialize, Deserialize)]
pub struct Collect {
    /// In this order.
    pub entries: Vec<Entry>,
    /// The epochs that are kept; all, if there are none.
    pub shown: Vec<u32>,
}

impl Stage for Collect {
    const KIND: &'static str = "stn/text/collect";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table("epochs"), Output::table("steps")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let given = |entry: &&Entry| cx.roles().any(|role| role == entry.role("main"));
        let entries: Vec<&Entry> = self.entries.iter().filter(given).collect();
        let read = |output: &str| -> Result<Vec<RecordBatch>, Stop> {
            let table = |entry: &&Entry| Ok(cx.input(&entry.role(output))?);
            entries.iter().map(table).collect()
        };
        let (epochs, steps, cost) = (read("main")?, read("steps")?, read("cost")?);
        if entries.is_empty() {
            return Err(Stop::Unavailable("no network could be trained on a text".to_owned()));
        }
        let results = epochs.iter().zip(&cost).map(|(epochs, cost)| Outcome::of(epochs, cost));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let text = name_of_text(cx)?;
        let main = labels(&text, entries.iter().map(|e| (*e, 1)))
            .maybe(
                "perplexity",
                "validation perplexity of the best epoch",
                results.iter().map(|r| r.valid),
            )
            .maybe("test", "test perplexity of that epoch", results.iter().map(|r| r.test))
            .index("best_epoch", "that epoch, 0 for none", results.iter().map(|r| r.best))
            .index("epochs", "epochs trained", results.iter().map(|r| r.epochs))
            .real("cost", "passes of the plain network", results.iter().map(|r| r.cost))
            .batch()?;
        let below = |tables: &[RecordBatch]| -> Result<RecordBatch, Stop> {
            let sizes = entries.iter().zip(tables).map(|(e, t)| (*e, t.num_rows()));
            beside(&labels(&text, sizes).batch()?, tables)
        };
        let (epochs, steps) = (self.kept(&below(&epochs)?)?, below(&steps)?);
        cx.write("main", &main)?;
        cx.write("epochs", &epochs)?;
        Ok(cx.write("steps", &steps)?)
    }
}

impl Collect {
    /// The rows of epochs that are shown.
    fn kept(&self, epochs: &RecordBatch) -> Result<RecordBatch, Stop> {
        if self.shown.is_empty() {
            return Ok(epochs.clone());
        }
        let epoch = Rows(epochs).index("epoch")?;
        let kept: Vec<bool> = epoch.iter().map(|e| self.shown.contains(e)).collect();
        arrow_select::filter::filter_record_batch(epochs, &BooleanArray::from(kept))
            .map_err(|e| Stop::Failed(e.to_string()))
    }
}

/// What a training came to.
struct Outcome {
    valid: Option<f64>,
    test: Option<f64>,
    best: u32,
    epochs: u32,
    cost: f64,
}

impl Outcome {
    fn of(epochs: &RecordBatch, cost: &RecordBatch) -> Result<Self, TableError> {
        let (valid, test) = (Rows(epochs).real("valid_loss")?, Rows(epochs).real("test_loss")?);
        let best = (0..valid.len()).min_by(|&a, &b| valid[a].total_cmp(&valid[b]));
        Ok(Self {
            valid: best.map(|at| valid[at].exp()),
            test: best.map(|at| test[at].exp()),
            best: best.map_or(0, |at| at as u32 + 1),
            epochs: valid.len() as u32,
            cost: Rows(cost).real("cost")?.last().copied().unwrap_or(0.0),
        })
    }
}

/// The name of the text that the trainings had, from the input `text`.
///
/// # Errors
/// When the input holds no name.
pub fn name_of_text(cx: &Context) -> Result<String, Stop> {
    let names = Rows(&cx.input("text")?).text("text")?;
    names.into_iter().next().ok_or_else(|| Stop::Failed("the text has no name".to_owned()))
}

/// The columns that say which training each row is of, for so many rows of each.
fn labels<'a>(text: &str, sizes: impl Iterator<Item = (&'a Entry, usize)>) -> Columns {
    let all: Vec<&Entry> = sizes.flat_map(|(entry, n)| std::iter::repeat_n(entry, n)).collect();
    Columns::new()
        .text("text", "the text that networks are trained on", all.iter().map(|_| text))
        .text("method", "what was done", all.iter().map(|e| &e.method))
        .maybe("value", "the value that was set", all.iter().map(|e| e.value))
        .maybe("second", "a second value that was set", all.iter().map(|e| e.second))
        .index("replicate", "which repeat", all.iter().map(|e| e.replicate))
}

/// The tables below each other, with these labels in the place of their own.
fn beside(labels: &RecordBatch, tables: &[RecordBatch]) -> Result<RecordBatch, Stop> {
    let fail = |e: arrow_schema::ArrowError| Stop::Failed(e.to_string());
    let schema = tables.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
    let all = arrow_select::concat::concat_batches(&schema, tables).map_err(fail)?;
    let own = |name: &str| labels.column_by_name(name).is_none();
    let (mut fields, mut columns) = (labels.schema().fields().to_vec(), labels.columns().to_vec());
    for (field, column) in schema.fields().iter().zip(all.columns()) {
        if own(field.name()) || field.name() == "value" {
            // A step's own value stands beside the one that was set.
            let renamed = field.name() == "value";
            let name = if renamed { "at" } else { field.name() };
            fields.push(Arc::new(field.as_ref().clone().with_name(name)));
            columns.push(Arc::clone(column));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_take_the_place_of_those_of_a_training() {
        let entry = |method: &str, value, replicate| Entry {
            method: method.to_owned(),
            value,
            second: None,
            replicate,
            stage: format!("{method}{replicate}"),
        };
        let entries = [entry("fixed", Some(0.1), 0), entry("stn", None, 4)];
        let steps = |n: usize| {
            Columns::new()
                .text("method", "", (0..n).map(|_| "given"))
                .index("replicate", "", (0..n).map(|_| 9))
                .real("value", "", (0..n).map(|i| i as f64))
                .batch()
                .unwrap()
        };
        let tables = [steps(2), steps(1)];
        let sizes = entries.iter().zip([2, 1]);
        let all = beside(&labels("toy", sizes).batch().unwrap(), &tables).unwrap();
        let rows = Rows(&all);
        assert_eq!(rows.text("method").unwrap(), ["fixed", "fixed", "stn"]);
        assert_eq!(rows.index("replicate").unwrap(), [0, 0, 4]);
        assert_eq!(rows.real("at").unwrap(), [0.0, 1.0, 0.0]);
        assert!(rows.real("value").unwrap()[2].is_nan());
    }

    #[test]
    fn a_training_is_worth_its_best_epoch() {
        let epochs = |valid: &[f64]| {
            Columns::new()
                .real("valid_loss", "", valid.iter().copied())
                .maybe("test_loss", "", valid.iter().map(|v| (*v < 2.0).then_some(2.0 * v)))
                .batch()
                .unwrap()
        };
        let cost = Columns::new().real("cost", "", [1.5, 3.0, 4.5]).batch().unwrap();
        let found = Outcome::of(&epochs(&[2.0, 1.0, 3.0]), &cost).unwrap();
        assert_eq!((found.valid, found.test), (Some(1f64.exp()), Some(2f64.exp())));
        assert_eq!((found.best, found.epochs, found.cost), (2, 3, 4.5));
        let none = Columns::new().real("cost", "", []).batch().unwrap();
        let found = Outcome::of(&epochs(&[]), &none).unwrap();
        assert_eq!((found.valid, found.best), (None, 0));
    }
}
