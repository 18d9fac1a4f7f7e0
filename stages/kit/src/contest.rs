//! Compares methods over several blocks, such as data sets, problems or replicates: the value of each method
//! in each block, average ranks, and the methods that Nemenyi's test does not distinguish \[Demsar2006\]. The
//! stage is the same for all papers; each paper says which of its tables hold the values.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::Array2;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{
    better::Better,
    moments::mean,
    order::median,
    rank_tests::{
        friedman::friedman,
        nemenyi::{cliques, critical_difference},
        ranks::ranks,
    },
};

use crate::{port::Out, row::Row, table::Rows};

mod budgets;

/// A table with one value for each method and block, or several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Values {
    /// Only rows in which these text columns have these values count.
    pub only: Vec<(String, String)>,
    /// The prefix of the names of its blocks.
    pub within: String,
    /// The columns that together name the block: methods are ranked within each block.
    pub block: Vec<String>,
    /// The column with the method.
    pub method: String,
    /// The column with the value.
    pub value: String,
    /// The column with the repeat, if the values of a repeat are steps of a search: the median over repeats
    /// of the best value of each then counts. Without it the mean of all values counts.
    pub steps_of: Option<String>,
}

/// The comparison of methods over blocks. Its inputs are the tables, in the order of their roles.
#[derive(Serialize, Deserialize)]
pub struct Contest {
    /// How each table is read.
    pub tables: Vec<Values>,
    /// Whether larger values are better.
    pub more: bool,
    /// Whether names of methods end in budgets that differ from block to block.
    pub budgets: bool,
}

/// The value of a method in a block.
#[derive(Row)]
pub struct Reached {
    /// data set, problem or replicate
    block: String,
    /// the method
    method: String,
    /// what it reached
    value: f64,
    /// its rank there: 0 is best, 1 worst
    relative_rank: f64,
}

/// The average rank of a method over all blocks.
#[derive(Row)]
pub struct AverageRank {
    /// the method; those that some blocks lack are left out
    treatment: String,
    /// over all blocks, 1 is best
    average_rank: f64,
    /// Nemenyi at 5%
    critical_difference: f64,
    /// how many
    blocks: usize,
}

/// A group of methods that do not differ.
#[derive(Row)]
pub struct Bar {
    /// methods from this one
    best: String,
    /// to this one do not differ
    worst: String,
}

/// Level of the critical difference.
const ALPHA: f64 = 0.05;

/// Method → its value.
type Block = BTreeMap<String, f64>;

impl Contest {
    /// The values by block and method.
    pub const MAIN: Out<Reached> = Out::table("main");
    /// The methods by average rank.
    pub const RANKS: Out<AverageRank> = Out::table("ranks");
    /// Which of them do not differ.
    pub const BARS: Out<Bar> = Out::table("bars");
}

impl Stage for Contest {
    const KIND: &'static str = "papers/contest";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::RANKS.output(), Self::BARS.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let roles: Vec<String> = cx.roles().map(str::to_owned).collect();
        let mut blocks: BTreeMap<String, Block> = BTreeMap::new();
        for role in &roles {
            let table = cx.input(role)?;
            let values = role.parse::<usize>().ok().and_then(|at| self.tables.get(at));
            let values =
                values.ok_or_else(|| Stop::Failed(format!("no table has the role {role}")))?;
            blocks.extend(values.read(Rows(&table), self.better())?);
        }
        if blocks.is_empty() {
            return Err(Stop::Unavailable(
                "none of the tables that it compares can be had".to_owned(),
            ));
        }
        if self.budgets {
            for block in blocks.values_mut() {
                let names = budgets::common(block.keys().map(String::as_str));
                *block = block.iter().map(|(name, value)| (names[name].clone(), *value)).collect();
            }
        }
        Self::MAIN.write(cx, &self.reached(&blocks))?;
        self.standing(cx, &blocks)
    }
}

impl Contest {
    fn better(&self) -> Better {
        if self.more { Better::Higher } else { Better::Lower }
    }

    /// One row per block and method.
    fn reached(&self, blocks: &BTreeMap<String, Block>) -> Vec<Reached> {
        let mut rows = Vec::new();
        for (name, block) in blocks {
            let worst = (block.len() as f64 - 1.0).max(1.0);
            for ((method, value), rank) in block.iter().zip(self.ranked(block)) {
                rows.push(Reached {
                    block: name.clone(),
                    method: method.clone(),
                    value: *value,
                    relative_rank: (rank - 1.0) / worst,
                });
            }
        }
        rows
    }

    /// The ranks within a block, 1 for the best; NaN comes last.
    fn ranked(&self, block: &Block) -> Vec<f64> {
        let key = |v: &f64| if v.is_nan() { f64::INFINITY } else { self.better().ascending(*v) };
        ranks(&block.values().map(key).collect::<Vec<_>>()).ranks
    }

    /// The average ranks of the methods that occur in every block, and the groups that do not differ.
    fn standing(&self, cx: &mut Context, blocks: &BTreeMap<String, Block>) -> Result<(), Stop> {
        let all: BTreeSet<&String> = blocks.values().flat_map(BTreeMap::keys).collect();
        let everywhere = |m: &&String| blocks.values().all(|block| block.contains_key(*m));
        let methods: Vec<&String> = all.into_iter().filter(everywhere).collect();
        let (n, k) = (blocks.len(), methods.len());
        let worst = if self.more { f64::NEG_INFINITY } else { f64::INFINITY };
        let value =
            |block: &Block, m: &&String| Some(block[*m]).filter(|v| !v.is_nan()).unwrap_or(worst);
        let values = blocks.values().flat_map(|b| methods.iter().map(move |m| value(b, m)));
        let values = Array2::from_shape_vec((n, k), values.collect());
        let values = values.map_err(|e| Stop::Failed(e.to_string()))?;
        let found = friedman(values.view(), self.better()).average_ranks;
        let critical = critical_difference(k, n, ALPHA);
        let compared = n > 1 && k > 1;
        let mut order: Vec<usize> = if compared { (0..k).collect() } else { Vec::new() };
        order.sort_by(|&i, &j| found[i].total_cmp(&found[j]));
        let ranks = order.iter().map(|&i| AverageRank {
            treatment: methods[i].clone(),
            average_rank: found[i],
            critical_difference: critical,
            blocks: n,
        });
        Self::RANKS.write(cx, &ranks.collect::<Vec<_>>())?;
        let bars = if compared { cliques(&found, critical) } else { Vec::new() };
        let ends = bars.iter().filter_map(|bar| Some((*bar.first()?, *bar.last()?)));
        let bar = |(best, worst): (usize, usize)| Bar {
            best: methods[best].clone(),
            worst: methods[worst].clone(),
        };
        Self::BARS.write(cx, &ends.map(bar).collect::<Vec<_>>())
    }
}

/// A column as texts that distinguish its values, whatever its type.
fn label(rows: Rows, column: &str) -> Result<Vec<String>, Stop> {
    let texts = |values: Vec<u64>| values.iter().map(u64::to_string).collect();
    let small = || rows.cells::<u32>(column).map(|v| texts(v.into_iter().map(u64::from).collect()));
    Ok(rows
        .cells::<String>(column)
        .or_else(|_| small())
        .or_else(|_| rows.cells::<u64>(column).map(texts))?)
}

impl Values {
    /// Block → method → value.
    fn read(&self, rows: Rows, better: Better) -> Result<BTreeMap<String, Block>, Stop> {
        let method = rows.cells::<String>(&self.method)?;
        let value = rows.cells::<f64>(&self.value)?;
        let names = self.block.iter().map(|column| label(rows, column));
        let names = names.collect::<Result<Vec<_>, _>>()?;
        let repeat = self.steps_of.as_ref().map(|column| label(rows, column)).transpose()?;
        let mut keep = vec![true; rows.len()];
        for (column, wanted) in &self.only {
            for (kept, found) in keep.iter_mut().zip(rows.cells::<String>(column)?) {
                *kept &= found == *wanted;
            }
        }
        // Block → method → repeat → values.
        let mut all: BTreeMap<String, BTreeMap<&str, BTreeMap<&str, Vec<f64>>>> = BTreeMap::new();
        for i in (0..rows.len()).filter(|&i| keep[i]) {
            let within = Some(self.within.as_str()).filter(|within| !within.is_empty());
            let parts = within.into_iter().chain(names.iter().map(|column| column[i].as_str()));
            let block = parts.collect::<Vec<_>>().join(" ");
            let own = all.entry(block).or_default().entry(&method[i]).or_default();
            own.entry(repeat.as_ref().map_or("", |repeat| &repeat[i])).or_default().push(value[i]);
        }
        let best = |values: &Vec<f64>| {
            let sign = if better == Better::Higher { -1.0 } else { 1.0 };
            sign * values.iter().map(|v| sign * v).fold(f64::INFINITY, f64::min)
        };
        let reached = |repeats: &BTreeMap<&str, Vec<f64>>| match &self.steps_of {
            Some(_) => median(&repeats.values().map(best).collect::<Vec<_>>()),
            None => mean(&repeats.values().flatten().copied().collect::<Vec<_>>()),
        };
        let block = |(name, methods): (String, BTreeMap<&str, BTreeMap<&str, Vec<f64>>>)| {
            let own = methods.iter().map(|(m, repeats)| ((*m).to_owned(), reached(repeats)));
            (name, own.collect())
        };
        Ok(all.into_iter().map(block).collect())
    }
}

#[cfg(test)]
#[path = "contest_tests.rs"]
mod tests;
