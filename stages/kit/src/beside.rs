//! A table of the paper beside ours, cell by cell: its number, our mean over replicates, the interval.

use std::collections::BTreeMap;

use pipeline::stage::{Context, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
};

use crate::table::{Columns, Rows};

/// The numbers of a table: method → column of ours → what is printed.
pub type Printed = BTreeMap<String, BTreeMap<String, f64>>;

/// Puts a printed table beside the results of our runs.
#[derive(Serialize, Deserialize)]
pub struct Beside {
    /// The numbers of the paper.
    pub printed: Printed,
    /// Of several rows of a method and replicate the one with the least value here counts.
    pub chosen_by: String,
}

/// A number of the paper with ours.
type Cell<'a> = (&'a str, &'a str, f64, Estimate);

impl Beside {
    fn cells(&self, rows: Rows, rng: &mut ChaCha12Rng) -> Result<Vec<Cell<'_>>, Stop> {
        let (method, replicate) = (rows.text("method")?, rows.index("replicate")?);
        let by = rows.real(&self.chosen_by)?;
        // Method → replicate → the row that counts.
        let mut chosen: BTreeMap<&str, BTreeMap<u32, usize>> = BTreeMap::new();
        for i in (0..rows.len()).filter(|&i| !by[i].is_nan()) {
            let best = chosen.entry(&method[i]).or_default().entry(replicate[i]).or_insert(i);
            if by[i] < by[*best] {
                *best = i;
            }
        }
        let mut cells = Vec::new();
        for (method, columns) in &self.printed {
            for (column, &paper) in columns {
                let values = rows.real(column)?;
                let own = chosen.get(method.as_str()).into_iter().flat_map(BTreeMap::values);
                let own: Vec<f64> = own.map(|&i| values[i]).collect();
                cells.push((method.as_str(), column.as_str(), paper, interval(&own, rng, mean)));
            }
        }
        Ok(cells)
    }
}

impl Stage for Beside {
    const KIND: &'static str = "papers/beside";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let table = cx.input("ours")?;
        let cells = self.cells(Rows(&table), &mut cx.rng("intervals")?)?;
        let on = match Rows(&table).text("text") {
            Ok(texts) => texts.into_iter().next().unwrap_or_default(),
            Err(_) => String::new(),
        };
        let some = |value: f64| value.is_finite().then_some(value);
        let table = Columns::new()
            .text("method", "the method", cells.iter().map(|c| c.0))
            .text("measure", "what is measured", cells.iter().map(|c| c.1))
            .text("on", "the text that ours were trained on", cells.iter().map(|_| &on))
            .real("paper", "the paper's number", cells.iter().map(|c| c.2))
            .maybe("ours", "our mean over replicates", cells.iter().map(|c| some(c.3.value)))
            .maybe("low", "lower end of its 95% interval", cells.iter().map(|c| some(c.3.low)))
            .maybe("high", "upper end of its 95% interval", cells.iter().map(|c| some(c.3.high)))
            .index("replicates", "how many there are", cells.iter().map(|c| c.3.n as u32))
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn of_several_rows_the_one_that_was_chosen_counts() {
        let table = Columns::new()
            .text("method", "", ["fixed", "fixed", "fixed", "fixed", "stn"])
            .index("replicate", "", [0, 0, 1, 1, 0])
            .real("valid", "", [3.0, 2.0, 4.0, f64::NAN, 1.0])
            .real("test", "", [1.0, 7.0, 9.0, 0.0, 5.0])
            .batch()
            .unwrap();
        let row = |test: f64| BTreeMap::from([("test".to_owned(), test)]);
        let printed =
            [("fixed", 6.0), ("grid", 2.0)].map(|(name, test)| (name.to_owned(), row(test)));
        let beside = Beside { printed: printed.into(), chosen_by: "valid".to_owned() };
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let cells = beside.cells(Rows(&table), &mut rng).unwrap();
        let (method, column, paper, ours) = cells[0];
        assert_eq!((method, column, paper, ours.n), ("fixed", "test", 6.0, 2));
        assert!((ours.value - 8.0).abs() < 1e-12, "7 and 9: {ours:?}");
        assert!(cells[1].3.value.is_nan() && cells[1].3.n == 0, "not run");
    }
}
