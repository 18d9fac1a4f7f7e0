//! Tests the round trip through the tables, and what is refused.

use proptest::prelude::*;

use super::*;

fn named(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("f{i}")).collect()
}

/// A value that is often zero, often exact in 32 bits.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), Just(0.5), -1e300..1e300_f64, -1.0..1.0_f64]
}

fn any_loaded() -> impl Strategy<Value = Loaded> {
    (0..9_usize, 0..5_usize).prop_flat_map(|(rows, cols)| {
        let cells = prop::collection::vec(value(), rows * cols);
        let y = prop::collection::vec(value(), rows);
        let labels = prop::collection::vec(0..3_u32, rows);
        (cells, y, labels, any::<(bool, bool)>()).prop_map(
            move |(cells, y, labels, (sparse, real))| Loaded {
                x: if sparse {
                    to_sparse(rows, cols, &cells)
                } else {
                    Features::Dense(Array2::from_shape_vec((rows, cols), cells).unwrap())
                },
                y: if real { Target::Real(y) } else { Target::Classes { labels, names: named(3) } },
                feature_names: named(cols),
            },
        )
    })
}

fn to_sparse(rows: usize, cols: usize, cells: &[f64]) -> Features {
    let mut x = Sparse { rows, cols, indptr: vec![0], indices: Vec::new(), values: Vec::new() };
    for i in 0..rows {
        for (j, &v) in cells[i * cols..(i + 1) * cols].iter().enumerate() {
            if v != 0.0 {
                x.indices.push(j as u32);
                x.values.push(v);
            }
        }
        x.indptr.push(x.indices.len());
    }
    Features::Sparse(x)
}

/// Cuts every batch in two, as a reader of a large file might.
fn cut(tables: &Tables) -> Tables {
    let halves = |batch: &RecordBatch| {
        let half = batch.num_rows() / 2;
        [batch.slice(0, half), batch.slice(half, batch.num_rows() - half)]
    };
    tables.iter().map(|(k, v)| (k.clone(), v.iter().flat_map(halves).collect())).collect()
}

proptest! {
    #[test]
    fn the_round_trip_loses_nothing(loaded in any_loaded()) {
        let tables = encode(&loaded).unwrap();
        for tables in [cut(&tables), tables] {
            let back = decode(&tables).unwrap();
            // Debug text distinguishes -0 from 0, equality does not.
            prop_assert_eq!(format!("{back:?}"), format!("{loaded:?}"));
        }
    }
}

#[test]
fn whole_grey_values_need_32_bits_only() {
    let x = ndarray::array![[3.0, 0.1], [16.0, 0.2]];
    let loaded =
        Loaded { x: Features::Dense(x), y: Target::Real(vec![0.0, 1.0]), feature_names: named(2) };
    let tables = encode(&loaded).unwrap();
    let schema = tables[MATRIX][0].schema();
    assert_eq!(schema.field(0).data_type(), &DataType::Float32);
    assert_eq!(schema.field(1).data_type(), &DataType::Float64);
    assert!(schema.metadata().is_empty());
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    let loaded = |names: [&str; 2], value: f64| Loaded {
        x: Features::Dense(ndarray::array![[1.0, value]]),
        y: Target::Real(vec![0.0]),
        feature_names: names.map(String::from).to_vec(),
    };
    let error = encode(&loaded(["a", "a"], 1.0)).unwrap_err().to_string();
    assert_eq!(error, "two columns of the data set have the name `a`");
    assert!(encode(&loaded(["a", "target"], 1.0)).is_ok(), "the target is a table of its own");
    assert!(encode(&loaded(["a", "b"], f64::NAN)).is_err());
}

#[test]
fn a_missing_table_or_column_is_named() {
    let loaded = Loaded {
        x: Features::Dense(ndarray::array![[1.0]]),
        y: Target::Real(vec![0.0]),
        feature_names: named(1),
    };
    let mut tables = encode(&loaded).unwrap();
    tables.insert(
        MATRIX.into(),
        vec![batch(vec![(TARGET, "", array(Float64Array::from(vec![0.0])))]).unwrap()],
    );
    let error = decode(&tables).unwrap_err().to_string();
    assert_eq!(error, "table `matrix` of the data set: no column `f0` of reals without nulls");
    tables.remove(NAMES);
    assert_eq!(
        decode(&tables).unwrap_err().to_string(),
        "table `names` of the data set: not there"
    );
}
