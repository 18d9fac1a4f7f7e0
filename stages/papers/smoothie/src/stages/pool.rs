//! Random configurations of one task, each both probed and trained in full: what every question
//! about smoothness as a guide is answered from (Figures 3, 7 and 8).

use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    cut::Field,
    evaluator::Rules,
    protocol::{Defects, Formula},
    space::{Search, describe},
    stages::label::Label,
};

/// The configurations.
#[derive(Serialize, Deserialize)]
pub struct Pool {
    /// What its rows are about.
    pub label: Label,
    /// Where they are drawn from.
    pub search: Search,
    /// How they are evaluated.
    pub rules: Rules,
    /// How defect data are treated; none for other data.
    pub defects: Option<Defects>,
    /// How many a repeat.
    pub configurations: u32,
    /// The repeat.
    pub repeat: u32,
}

struct Row {
    number: u32,
    config: String,
    theorem: Option<f64>,
    code: Option<f64>,
    numeric: Option<f64>,
    selection: Option<f64>,
    score: Option<f64>,
    constant: bool,
}

impl Stage for Pool {
    const KIND: &'static str = "smoothie/pool";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let fail = |e: numerics::space::Error| Stop::Failed(e.to_string());
        let space = self.search.space().map_err(fail)?;
        let evaluator = Field::read(cx, self.defects)?.evaluator(self.repeat)?;
        let mut drawing = cx.rng("draw")?;
        let mut rows = Vec::new();
        for number in 0..self.configurations {
            let config = space.draw(&mut drawing);
            let choice = self.search.choice(&space, &config);
            // The same random numbers for every formula: they differ in nothing else.
            let stream = |what: &str| cx.rng(&format!("{what} {number}"));
            let probe = |formula| -> Result<Option<f64>, Stop> {
                Ok(evaluator.probe(choice, &self.rules, formula, &mut stream("probe")?))
            };
            let theorem = probe(Formula::Theorem)?;
            let (code, numeric) = (probe(Formula::Code)?, probe(Formula::Numeric)?);
            let found =
                evaluator.evaluate(choice, &self.rules, self.rules.epochs, &mut stream("train")?);
            let metric = self.rules.metric;
            rows.push(Row {
                number,
                config: describe(&space, &config),
                theorem,
                code,
                numeric,
                selection: found.map(|e| e.selection.get(metric)),
                score: found.map(|e| e.test.get(metric)),
                constant: found.is_some_and(|e| e.test.constant),
            });
        }
        let table = self
            .label
            .columns(rows.len())
            .index("repeat", "repeat, from 0", rows.iter().map(|_| self.repeat))
            .index("number", "number of the configuration", rows.iter().map(|r| r.number))
            .text("config", "the configuration", rows.iter().map(|r| &r.config))
            .maybe("theorem", "smoothness by the paper's formula", rows.iter().map(|r| r.theorem))
            .maybe("code", "smoothness by the code's formula", rows.iter().map(|r| r.code))
            .maybe("numeric", "smoothness by finite differences", rows.iter().map(|r| r.numeric))
            .maybe(
                "selection",
                "score where configurations are compared",
                rows.iter().map(|r| r.selection),
            )
            .maybe("score", "score on the test part", rows.iter().map(|r| r.score))
            .flag(
                "constant",
                "every test row was given the same class",
                rows.iter().map(|r| r.constant),
            )
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}
