//! Adds the stages `ID/contests/NAME`, which compare methods by the tables of a paper: the values in each
//! block, average ranks, and groups that do not differ (`kit::contest`). The site shows them.

use kit::contest::{Contest, Values};
use pipeline::{error::Result, graph::Builder};

/// A contest of a paper.
struct Listed {
    /// The paper, and the name of the contest.
    stage: (&'static str, &'static str),
    /// Whether larger values are better.
    more: bool,
    /// Whether names of methods end in budgets that differ from block to block.
    budgets: bool,
    tables: &'static [Table],
}

/// A table with the values of methods.
struct Table {
    stage: &'static str,
    only: &'static [(&'static str, &'static str)],
    within: &'static str,
    block: &'static [&'static str],
    method: &'static str,
    value: &'static str,
    /// The column with the repeat, if rows are steps of a search.
    steps_of: Option<&'static str>,
}

const LISTED: [Listed; 8] = [
    Listed {
        stage: ("compare", "tasks"),
        more: false,
        budgets: false,
        tables: &[table("compare/standings", "", &["task"], "tuner", "normalised")],
    },
    Listed {
        stage: ("harmonica", "synthetic"),
        more: false,
        budgets: false,
        tables: &[table("harmonica/synthetic/contest", "", &["seed"], "method", "regret")],
    },
    Listed {
        stage: ("harmonica", "networks"),
        more: false,
        budgets: false,
        tables: &[table(
            "harmonica/network/figures/race",
            "CIFAR-10",
            &["replicate"],
            "method",
            "error",
        )],
    },
    Listed {
        stage: ("hoag", "problems"),
        more: false,
        budgets: false,
        tables: &[Table {
            only: &[("rules", "paper-half-L")],
            steps_of: Some("split"),
            ..table("hoag/figures/convergence", "", &["problem"], "method", "suboptimality")
        }],
    },
    Listed {
        stage: ("hypertune", "tasks"),
        more: false,
        budgets: false,
        tables: &[table("hypertune/figures/standings", "", &["task"], "method", "held_out")],
    },
    Listed {
        stage: ("smoothie", "tasks"),
        more: true,
        budgets: true,
        tables: &[table("smoothie/figures/standings", "", &["task"], "treatment", "median")],
    },
    Listed {
        stage: ("stn", "searches"),
        more: false,
        budgets: false,
        tables: &[
            table("stn/text/figures/race", "", &["text", "replicate"], "method", "perplexity"),
            table("stn/images/figures/race", "CIFAR-10", &["replicate"], "method", "valid_loss"),
        ],
    },
    Listed {
        stage: ("tpe", "targets"),
        more: false,
        budgets: false,
        tables: &[table("tpe/figures/ranks", "", &["target"], "method", "best")],
    },
];

const fn table(
    stage: &'static str,
    within: &'static str,
    block: &'static [&'static str],
    method: &'static str,
    value: &'static str,
) -> Table {
    Table { stage, only: &[], within, block, method, value, steps_of: None }
}

/// Adds the contests of the paper `id`. An unavailable table is left out.
///
/// # Errors
/// If a stage of this name exists.
pub fn add(id: &str, builder: &mut Builder) -> Result<()> {
    for listed in LISTED.iter().filter(|listed| listed.stage.0 == id) {
        let values = |table: &Table| Values {
            only: table.only.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
            within: table.within.to_owned(),
            block: table.block.iter().map(|&column| column.to_owned()).collect(),
            method: table.method.to_owned(),
            value: table.value.to_owned(),
            steps_of: table.steps_of.map(str::to_owned),
        };
        let tables = listed.tables.iter().map(values).collect();
        let contest = Contest { tables, more: listed.more, budgets: listed.budgets };
        let draft = builder.add(format!("{id}/contests/{}", listed.stage.1), &contest)?;
        for (at, table) in listed.tables.iter().enumerate() {
            draft.read(at.to_string(), table.stage, "main", true);
        }
    }
    Ok(())
}
