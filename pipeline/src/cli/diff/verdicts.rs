//! What an experiment concludes differently in another run: the rows of its concluding stage whose answer changed.
//! Which columns name a row and hold its answer is declared by the program
//! ([`Recording`](crate::registry::Recording)).

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use serde::Serialize;

use super::Session;
use crate::{
    store::{Store, record::Record},
    table,
};

/// An answer that changed.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Turn {
    pub stage: String,
    /// What names the row, such as a claim.
    pub row: String,
    /// `None` if there was no such row.
    pub old: Option<String>,
    /// `None` if there is no such row any more.
    pub new: Option<String>,
}

/// Whether a stage concludes its experiment.
pub(super) fn concludes(session: &Session, stage: &str) -> bool {
    let conclusion = session.registry.recording.conclusion;
    stage.split_once('/').is_some_and(|(_, own)| own == conclusion)
}

/// The answers of a concluding stage that differ in its new result. `None` if one of the tables is gone.
pub(super) fn turns(
    session: &Session,
    store: &Store,
    stage: &str,
    old: &Record,
    new: &Record,
) -> Vec<Turn> {
    let recording = session.registry.recording;
    let read = |record: &Record| {
        let (_, digest) = record.outputs.iter().find(|(name, _)| name == "main")?;
        answers(&table::read(&store.object(*digest)).ok()?, recording.labels, recording.answer)
    };
    let (Some(before), Some(after)) = (read(old), read(new)) else { return Vec::new() };
    between(stage, &before, &after)
}

fn between(
    stage: &str,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<Turn> {
    let gone = before.keys().filter(|row| !after.contains_key(*row));
    let rows = after.keys().chain(gone).filter(|row| before.get(*row) != after.get(*row));
    let turn = |row: &String| Turn {
        stage: stage.to_owned(),
        row: row.clone(),
        old: before.get(row).cloned(),
        new: after.get(row).cloned(),
    };
    rows.map(turn).collect()
}

/// Row → answer; `None` if the columns do not exist.
fn answers(batch: &RecordBatch, labels: &[&str], answer: &str) -> Option<BTreeMap<String, String>> {
    let options = FormatOptions::default();
    let column = |name: &&str| ArrayFormatter::try_new(batch.column_by_name(name)?, &options).ok();
    let labels = labels.iter().map(column).collect::<Option<Vec<_>>>()?;
    let answer = column(&answer)?;
    let row = |i: usize| {
        let words = labels.iter().map(|label| label.value(i).to_string());
        (words.collect::<Vec<_>>().join(" "), answer.value(i).to_string())
    };
    Some((0..batch.num_rows()).map(row).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::StringArray;

    use super::*;

    fn table(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
        let column = |words: Vec<&str>| Arc::new(StringArray::from(words)) as _;
        let (ids, verdicts) = rows.iter().copied().unzip();
        let named = [("id", column(ids)), ("verdict", column(verdicts))];
        let batch = RecordBatch::try_from_iter(named).expect("columns of one length");
        assert_eq!(answers(&batch, &["other"], "verdict"), None);
        answers(&batch, &["id"], "verdict").expect("has these columns")
    }

    #[test]
    fn answers_that_are_others_are_told_wherever_their_rows_stand() {
        let before = table(&[("A1", "replicated"), ("A2", "open"), ("A3", "open")]);
        let after = table(&[("A2", "open"), ("A1", "contradicted"), ("A4", "open")]);
        let told: Vec<_> = between("x/claims", &before, &after)
            .into_iter()
            .map(|turn| (turn.row, turn.old.unwrap_or_default(), turn.new.unwrap_or_default()))
            .collect();
        let wanted = [("A1", "replicated", "contradicted"), ("A4", "", "open"), ("A3", "open", "")];
        assert_eq!(told, wanted.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }
}
