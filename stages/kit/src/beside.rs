//! Compares a table of the paper with ours, cell by cell: the paper's number, our mean over replicates, the
//! interval.

use std::collections::BTreeMap;

use pipeline::stage::{Context, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
};

use crate::{
    cell::FiniteOrNull,
    port::{Any, In, Out},
    row::Row,
    table::Rows,
};

/// The numbers of a table: method → our column → the printed number.
pub type Printed = BTreeMap<String, BTreeMap<String, f64>>;

/// Compares a printed table with the results of our runs.
#[derive(Serialize, Deserialize)]
pub struct Beside {
    /// The numbers of the paper.
    pub printed: Printed,
    /// Of several rows of a method and replicate, the one with the lowest value in this column counts.
    pub chosen_by: String,
}

/// A number of the paper with ours.
#[derive(Row)]
pub struct Compared {
    /// the method
    method: String,
    /// what is measured
    measure: String,
    /// the text that ours were trained on
    on: String,
    /// the paper's number
    paper: f64,
    /// our mean over replicates
    #[row(with = FiniteOrNull)]
    ours: f64,
    /// lower end of its 95% interval
    #[row(with = FiniteOrNull)]
    low: f64,
    /// upper end of its 95% interval
    #[row(with = FiniteOrNull)]
    high: f64,
    /// how many there are
    replicates: usize,
}

impl Beside {
    /// Our results; the config names their columns.
    pub const OURS: In<Any> = In::new("ours");
    /// The comparison.
    pub const MAIN: Out<Compared> = Out::table("main");

    fn compared(&self, rows: Rows, rng: &mut ChaCha12Rng) -> Result<Vec<Compared>, Stop> {
        let (method, replicate) =
            (rows.cells::<String>("method")?, rows.cells::<u32>("replicate")?);
        let by = rows.cells::<f64>(&self.chosen_by)?;
        let text = rows.cells::<String>("text").unwrap_or_default().into_iter().next();
        let on = text.unwrap_or_default();
        // Method → replicate → the row that counts.
        let mut chosen: BTreeMap<&str, BTreeMap<u32, usize>> = BTreeMap::new();
        for i in (0..rows.len()).filter(|&i| !by[i].is_nan()) {
            let best = chosen.entry(&method[i]).or_default().entry(replicate[i]).or_insert(i);
            if by[i] < by[*best] {
                *best = i;
            }
        }
        let mut all = Vec::new();
        for (method, columns) in &self.printed {
            for (column, &paper) in columns {
                let values = rows.cells::<f64>(column)?;
                let own = chosen.get(method.as_str()).into_iter().flat_map(BTreeMap::values);
                let own: Vec<f64> = own.map(|&i| values[i]).collect();
                let Estimate { value, low, high, n } = interval(&own, rng, mean);
                let (method, measure, on) = (method.clone(), column.clone(), on.clone());
                all.push(Compared {
                    method,
                    measure,
                    on,
                    paper,
                    ours: value,
                    low,
                    high,
                    replicates: n,
                });
            }
        }
        Ok(all)
    }
}

impl Stage for Beside {
    const KIND: &'static str = "papers/beside";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let table = Self::OURS.read(cx)?;
        let compared = self.compared(Rows(&table), &mut cx.rng("intervals")?)?;
        Self::MAIN.write(cx, &compared)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::row;

    #[derive(Row)]
    struct Ours {
        /// the method
        method: &'static str,
        /// replicate, from 0
        replicate: u32,
        /// validation loss
        valid: f64,
        /// test loss
        test: f64,
    }

    #[test]
    fn of_several_rows_the_one_that_was_chosen_counts() {
        let all = [("fixed", 0, 3.0, 1.0), ("fixed", 0, 2.0, 7.0), ("fixed", 1, 4.0, 9.0)];
        let all = all.into_iter().chain([("fixed", 1, f64::NAN, 0.0), ("stn", 0, 1.0, 5.0)]);
        let ours =
            all.map(|(method, replicate, valid, test)| Ours { method, replicate, valid, test });
        let table = row::batch(&ours.collect::<Vec<_>>()).unwrap();
        let row = |test: f64| BTreeMap::from([("test".to_owned(), test)]);
        let printed =
            [("fixed", 6.0), ("grid", 2.0)].map(|(name, test)| (name.to_owned(), row(test)));
        let beside = Beside { printed: printed.into(), chosen_by: "valid".to_owned() };
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let all = beside.compared(Rows(&table), &mut rng).unwrap();
        let first = &all[0];
        assert_eq!((first.method.as_str(), first.measure.as_str()), ("fixed", "test"));
        assert_eq!((first.paper, first.replicates), (6.0, 2));
        assert!((first.ours - 8.0).abs() < 1e-12, "7 and 9: {}", first.ours);
        assert!(all[1].ours.is_nan() && all[1].replicates == 0, "not run");
    }
}
