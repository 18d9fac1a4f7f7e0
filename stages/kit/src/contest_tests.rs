use super::*;

fn values(steps_of: Option<&str>) -> Values {
    Values {
        only: vec![("rules".to_owned(), "own".to_owned())],
        within: "toy".to_owned(),
        block: vec!["problem".to_owned()],
        method: "method".to_owned(),
        value: "loss".to_owned(),
        steps_of: steps_of.map(str::to_owned),
    }
}

#[derive(Row)]
struct Step {
    /// rules
    rules: &'static str,
    /// method
    method: &'static str,
    /// problem
    problem: u32,
    /// split
    split: u32,
    /// loss
    loss: f64,
}

/// Two repeats of a method on a problem, two steps each, and a row under other rules.
fn table() -> arrow_array::RecordBatch {
    let steps = [
        ("own", 0, 5.0),
        ("own", 0, 1.0),
        ("own", 1, 3.0),
        ("own", 1, f64::NAN),
        ("other", 0, -9.0),
    ];
    let row = |(rules, split, loss)| Step { rules, method: "a", problem: 7, split, loss };
    crate::row::batch(&steps.map(row)).unwrap()
}

#[test]
fn the_best_step_of_each_repeat_counts_or_the_mean_of_all() {
    let table = table();
    let read = |of: Option<&str>, better| values(of).read(Rows(&table), better).unwrap();
    assert_eq!(read(Some("split"), Better::Lower)["toy 7"]["a"], 2.0, "of 1 and 3");
    assert_eq!(read(Some("split"), Better::Higher)["toy 7"]["a"], 4.0, "of 5 and 3");
    assert!(read(None, Better::Lower)["toy 7"]["a"].is_nan());
}

#[test]
fn ranks_within_a_block_share_places_and_what_is_no_number_comes_last() {
    let contest = |more| Contest { tables: Vec::new(), more, budgets: false };
    let block = [("a", 1.0), ("b", 1.0), ("c", 3.0), ("d", f64::NAN), ("e", 0.5)];
    let block: Block = block.into_iter().map(|(m, v)| (m.to_owned(), v)).collect();
    assert_eq!(contest(false).ranked(&block), [2.5, 2.5, 4.0, 5.0, 1.0]);
    assert_eq!(contest(true).ranked(&block), [2.5, 2.5, 1.0, 5.0, 4.0]);
}
