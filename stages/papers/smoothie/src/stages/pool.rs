//! Random configurations of one task, each both probed and trained in full, from which every question about
//! smoothness as a guide is answered (Figures 3, 7 and 8).

use kit::port::Out;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    cut::Field,
    protocol::{Defects, Formula},
    rules::Rules,
    space::{Search, describe},
    tables::{label::Label, pool::Tried},
};

/// The configurations.
#[derive(Serialize, Deserialize)]
pub struct Pool {
    /// The label of its rows.
    pub label: Label,
    /// The space from which they are drawn.
    pub search: Search,
    /// How they are evaluated.
    pub rules: Rules,
    /// How defect data are treated; `None` for other data.
    pub defects: Option<Defects>,
    /// Number of configurations per repeat.
    pub configurations: u32,
    /// The repeat.
    pub repeat: u32,
}

impl Pool {
    /// Their results.
    pub const MAIN: Out<Tried> = Out::table("main");
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
            // The same random numbers for every formula, so that they differ in nothing else.
            let stream = |what: &str| cx.rng(&format!("{what} {number}"));
            let probe = |formula| -> Result<Option<f64>, Stop> {
                Ok(evaluator.probe(choice, &self.rules, formula, &mut stream("probe")?))
            };
            let theorem = probe(Formula::Theorem)?;
            let (code, numeric) = (probe(Formula::Code)?, probe(Formula::Numeric)?);
            let found =
                evaluator.evaluate(choice, &self.rules, self.rules.epochs, &mut stream("train")?);
            let metric = self.rules.metric;
            rows.push(Tried {
                label: self.label.clone(),
                repeat: self.repeat,
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
        Self::MAIN.write(cx, &rows)
    }
}
