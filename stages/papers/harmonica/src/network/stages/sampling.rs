//! What the stages of Harmonica found on the small network: Table 3, the values that were fixed
//! (A.2), and Figure 4.

use arrow_array::RecordBatch;
use kit::table::{Columns, TableError};
use models::neural::residual::{Effect, VARIABLES};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::moments::{mean, variance};
use tuners::harmonica::{HarmonicaSettings, Restriction};

use crate::network::{
    found, replay,
    rows::{self, Tried},
};

/// Goes through the samples of one replicate; the last round is of samples after the last stage.
#[derive(Serialize, Deserialize)]
pub struct Sampling {
    /// The replicate.
    pub replicate: u32,
    /// Harmonica's.
    pub settings: HarmonicaSettings,
}

impl Stage for Sampling {
    const KIND: &'static str = "harmonica/sampling";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table("fixed"), Output::table("averages")];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let rounds = rows::rounds(cx)?;
        let stages = rounds.len().min(self.settings.stages);
        let told = replay::told(&rounds[..stages]);
        let found = found::restrictions(self.settings, &told, &mut cx.rng("search")?)
            .map_err(|e| Stop::Failed(e.to_string()))?;
        let numbered: Vec<(u32, Restriction)> =
            (1..).zip(found).filter_map(|(stage, found)| Some((stage, found?))).collect();
        cx.write("main", &self.features(&numbered)?)?;
        cx.write("fixed", &self.fixed(&numbered)?)?;
        Ok(cx.write("averages", &self.averages(&rounds)?)?)
    }
}

impl Sampling {
    fn features(&self, found: &[(u32, Restriction)]) -> Result<RecordBatch, TableError> {
        let terms = |(stage, found): &(u32, Restriction)| {
            let stage = *stage;
            (1..).zip(found.polynomial.terms.clone()).map(move |(rank, term)| (stage, rank, term))
        };
        let all: Vec<_> = found.iter().flat_map(terms).collect();
        let of = |effect: Effect| {
            let count = move |monomial: &[usize]| {
                monomial.iter().filter(|&&i| VARIABLES[i].effect == effect).count() as u32
            };
            all.iter().map(move |(_, _, term)| count(&term.monomial)).collect::<Vec<_>>()
        };
        Columns::new()
            .index("replicate", "replicate, from 0", all.iter().map(|_| self.replicate))
            .index("stage", "stage of Harmonica, from 1", all.iter().map(|r| r.0))
            .index("rank", "rank by size of the weight, from 1", all.iter().map(|r| r.1))
            .text(
                "variables",
                "numbers of Table 2",
                all.iter().map(|r| found::numbers(&r.2.monomial)),
            )
            .text("feature", "names of Table 2", all.iter().map(|r| found::names(&r.2.monomial)))
            .real(
                "weight",
                "percentage points of test error",
                all.iter().map(|r| 100.0 * r.2.weight),
            )
            .index("degree", "variables", all.iter().map(|r| r.2.monomial.len() as u32))
            .index("dummies", "dummy variables among them", of(Effect::Dummy))
            .index("inert", "settings without effect among them", of(Effect::Inert))
            .batch()
    }

    fn fixed(&self, found: &[(u32, Restriction)]) -> Result<RecordBatch, TableError> {
        let mut all = Vec::new();
        for (stage, restriction) in found {
            for (j, &variable) in restriction.variables.iter().enumerate() {
                let minus = restriction.codes.iter().filter(|code| **code >> j & 1 == 1).count();
                all.push((*stage, variable, minus as f64 / restriction.codes.len() as f64));
            }
        }
        Columns::new()
            .index("replicate", "replicate, from 0", all.iter().map(|_| self.replicate))
            .index("stage", "stage of Harmonica, from 1", all.iter().map(|r| r.0))
            .index(
                "variable",
                "number of Table 2",
                all.iter().map(|r| VARIABLES[r.1].number as u32),
            )
            .text("name", "name of Table 2", all.iter().map(|r| VARIABLES[r.1].name))
            .real(
                "first",
                "share of the restrictions that choose the first option (-1)",
                all.iter().map(|r| r.2),
            )
            .batch()
    }

    fn averages(&self, rounds: &[Vec<Tried>]) -> Result<RecordBatch, TableError> {
        let errors = |round: &Vec<Tried>| round.iter().map(|t| t.error).collect::<Vec<_>>();
        let all: Vec<Vec<f64>> = rounds.iter().map(errors).collect();
        let diverged = |round: &Vec<Tried>| {
            round.iter().filter(|t| t.diverged).count() as f64 / round.len() as f64
        };
        Columns::new()
            .index("replicate", "replicate, from 0", rounds.iter().map(|_| self.replicate))
            .index("stage", "stages that restrict the samples", 0..rounds.len() as u32)
            .index("samples", "random samples", rounds.iter().map(|r| r.len() as u32))
            .real("error", "mean test error", all.iter().map(|e| mean(e)))
            .real(
                "deviation",
                "its standard deviation over samples",
                all.iter().map(|e| variance(e).sqrt()),
            )
            .real("diverged", "share of trainings that diverged", rounds.iter().map(diverged))
            .batch()
    }
}
