//! Compares a table with its record where the processor is of another family, whose libraries round differently.

use arrow_array::{Array as _, Float64Array, RecordBatch, cast::AsArray as _};
use arrow_schema::DataType;

/// Two numbers agree if they differ by at most this share of the larger one,
const RELATIVE: f64 = 1e-6;
/// or by at most this share of the largest of their column: what is left where larger numbers cancel.
const OF_COLUMN: f64 = 1e-9;

/// Whether two tables have the same columns and rows, and in them the same values, numbers to the tolerance.
#[must_use]
pub fn near(recorded: &RecordBatch, computed: &RecordBatch) -> bool {
    let same = recorded.schema().fields() == computed.schema().fields();
    let columns = || recorded.columns().iter().zip(computed.columns());
    same && recorded.num_rows() == computed.num_rows()
        && columns().all(|(a, b)| match a.data_type() {
            DataType::Float64 => near_numbers(a.as_primitive(), b.as_primitive()),
            _ => a == b,
        })
}

fn near_numbers(a: &Float64Array, b: &Float64Array) -> bool {
    let sizes = a.iter().chain(b).flatten().map(f64::abs).filter(|size| size.is_finite());
    let largest = sizes.fold(0.0, f64::max);
    let alike = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => {
            let bound = (RELATIVE * a.abs().max(b.abs())).max(OF_COLUMN * largest);
            a == b || a.is_nan() && b.is_nan() || bound.is_finite() && (a - b).abs() <= bound
        }
        (a, b) => a.is_none() && b.is_none(),
    };
    a.len() == b.len() && a.iter().zip(b).all(alike)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};

    use super::*;

    fn table(numbers: &[Option<f64>], text: &str) -> RecordBatch {
        let texts = StringArray::from(vec![text; numbers.len()]);
        let numbers = Float64Array::from(numbers.to_vec());
        let columns: [(&str, ArrayRef); 2] = [("x", Arc::new(numbers)), ("text", Arc::new(texts))];
        RecordBatch::try_from_iter(columns).expect("two columns of one length")
    }

    #[test]
    fn numbers_agree_to_the_tolerance_and_all_else_exactly() {
        let own = [Some(1.0), Some(f64::NAN), None, Some(f64::INFINITY), Some(0.0), Some(-1e3)];
        let with = |at: usize, value| {
            let mut numbers = own;
            numbers[at] = value;
            near(&table(&own, "a"), &table(&numbers, "a"))
        };
        assert!(near(&table(&own, "a"), &table(&own, "a")));
        assert!(with(0, Some(1.0 + 9e-7)) && !with(0, Some(1.0 + 3e-6)), "a share of the number");
        assert!(with(4, Some(9e-7)) && !with(4, Some(1.1e-6)), "a share of the column's largest");
        assert!(!with(1, Some(0.0)) && !with(0, Some(f64::NAN)), "NaN is like itself alone");
        assert!(!with(2, Some(0.0)) && !with(0, None), "so is what is missing");
        assert!(!with(3, Some(1e300)) && !with(3, Some(f64::NEG_INFINITY)));
        assert!(!near(&table(&own, "a"), &table(&own, "b")), "texts are exact");
        assert!(!near(&table(&own, "a"), &table(&own[..5], "a")), "another number of rows");
    }
}
