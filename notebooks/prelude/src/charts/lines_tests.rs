use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array};

use super::*;

fn convergence() -> Table {
    let rows = 2 * 2 * 5;
    let text = |f: fn(usize) -> &'static str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..rows).map(f)))
    };
    let number = |f: fn(usize) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..rows).map(f)))
    };
    let batch = RecordBatch::try_from_iter([
        ("problem", text(|_| "digits")),
        ("method", text(|r| if r % 2 == 0 { "grid" } else { "smbo" })),
        ("split", Arc::new(UInt32Array::from_iter_values((0..20).map(|r| r / 2 % 2))) as ArrayRef),
        ("seconds", number(|r| 0.1 + r as f64)),
        ("loss", number(|r| 1.0 / (1.0 + r as f64))),
        ("nothing", number(|_| f64::NAN)),
    ]);
    Table::from_batch(&batch.unwrap(), "toy/curves", "main", "abc").unwrap()
}

fn lines(table: &Table) -> Lines<'_> {
    table.lines("seconds", "CPU time [s]", Scale::Log).panels("problem").by("method").over("split")
}

#[test]
fn each_repetition_is_a_run() {
    let table = convergence();
    let lines = lines(&table).row("loss", "loss", Scale::Log);
    let runs = lines.runs("digits", "smbo", &lines.rows[0]).unwrap();
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run.len() == 5 && run.is_sorted_by_key(|p| p.0)));
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let table = convergence();
    let draw =
        || lines(&table).row("loss", "loss", Scale::Log).draw("Toy", "two curves").unwrap().0;
    assert_eq!(draw(), draw());
    assert!(draw().contains("alt=\"two curves\""));
    assert!(draw().contains("toy/curves"));
}

#[test]
fn a_ring_marks_the_lowest_point() {
    let table = convergence();
    let series = ["grid".to_owned(), "smbo".to_owned()];
    let layers = |lines: Lines<'_>| lines.panel("digits", &lines.rows[0], &series).unwrap().layers;
    let plain = lines(&table).row("loss", "loss", Scale::Log);
    let ringed = lines(&table).row("loss", "loss", Scale::Log).lowest();
    let drawn = layers(ringed);
    assert_eq!(drawn.len(), layers(plain).len() + 2);
    let of = |layer: &Layer| match layer {
        Layer::Ring(_, at) => Some(at.1),
        _ => None,
    };
    let lowest = |layer: &Layer| match layer {
        Layer::Line(_, points) => Some(points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min)),
        _ => None,
    };
    let rings: Vec<f64> = drawn.iter().filter_map(of).collect();
    assert_eq!(rings, drawn.iter().filter_map(lowest).collect::<Vec<_>>());
}

#[test]
fn a_figure_without_numbers_says_so() {
    let table = convergence();
    let error = lines(&table).row("nothing", "", Scale::Linear).draw("Toy", "").unwrap_err();
    assert!(error.to_string().contains("digits"));
    assert!(lines(&table).row("absent", "", Scale::Linear).draw("Toy", "").is_err());
}
