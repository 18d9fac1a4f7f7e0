//! Which components matter: their importance, and how the best settings are spread over their values.

use kit::port::{In, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::moments::mean;

use crate::{
    grid::Grid,
    study::{HALF, MARKS, Panel, Study, TOP, masses, shares},
    tables::{
        ablated::Ablated,
        importance::{Importance, Mass},
    },
    target::GROUPS,
};

/// The importance of the components of a grid.
#[derive(Serialize, Deserialize)]
pub struct Importances {
    /// The settings.
    pub grid: Grid,
    /// How many of them were tried.
    pub draw: usize,
    /// Evaluations of a run.
    pub evaluations: u32,
}

impl Importances {
    /// The runs.
    pub const RUNS: In<Ablated> = In::new("runs");
    /// Importances.
    pub const MAIN: Out<Importance> = Out::table("main");
    /// Masses.
    pub const MASSES: Out<Mass> = Out::table("masses");

    fn evaluations(&self, mark: usize) -> u32 {
        self.evaluations * (mark as u32 + 1) / MARKS as u32
    }

    fn importances(&self, group: &str, panel: &Panel) -> Vec<Importance> {
        let all: Vec<usize> = (0..panel.targets.len()).collect();
        let mut rows = Vec::new();
        for mark in 0..MARKS {
            let [global, local] =
                [panel.global(mark), panel.local(mark)].map(|each| shares(&each, &all));
            for (factor, (&global, &local)) in panel.factors.iter().zip(global.iter().zip(&local)) {
                rows.push(Importance {
                    group: group.to_owned(),
                    evaluations: self.evaluations(mark),
                    component: factor.name.to_owned(),
                    global,
                    local,
                });
            }
        }
        rows
    }

    fn masses(&self, group: &str, panel: &Panel) -> Vec<Mass> {
        let mut rows = Vec::new();
        for mark in 0..MARKS {
            for factor in &panel.factors {
                for (i, value) in factor.levels.iter().enumerate() {
                    let average = |share| {
                        let of =
                            panel.targets.iter().map(|t| masses(factor, &t.at[mark], share)[i]);
                        mean(&of.collect::<Vec<_>>())
                    };
                    rows.push(Mass {
                        group: group.to_owned(),
                        evaluations: self.evaluations(mark),
                        component: factor.name.to_owned(),
                        value: value.clone(),
                        half: average(HALF),
                        top: average(TOP),
                    });
                }
            }
        }
        rows
    }
}

impl Stage for Importances {
    const KIND: &'static str = "tpe/importance";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::MASSES.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let study = Study::new(&self.grid, self.draw, &Self::RUNS.read(cx)?);
        let panels = GROUPS.iter().filter_map(|&group| Some((group, study.groups.get(group)?)));
        let panels: Vec<(&str, &Panel)> = panels.collect();
        let each = panels.iter().flat_map(|(group, panel)| self.importances(group, panel));
        Self::MAIN.write(cx, &each.collect::<Vec<_>>())?;
        let each = panels.iter().flat_map(|(group, panel)| self.masses(group, panel));
        Self::MASSES.write(cx, &each.collect::<Vec<_>>())
    }
}
