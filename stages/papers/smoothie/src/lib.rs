//! SMOOTHIE, "Is hyper-parameter optimization different for software analytics?" \[Yedida2024\]: its stages,
//! and the expansion of the config to them, under two protocols.
//!
//! ```text
//! data ─ cut ─┬─ smoothie-*, random, bohb, dehb, baseline ─┬─ runs, times ─ standings ─┬─ audit
//!             │                                            └─ landscape ───────────────┤
//!             └─ pool-* ─ pools ─ sensitivity ─────────────────────────────────────────┼─ claims
//!                                                                             bounds ──┘
//! ```

pub mod arm;
pub mod arms;
pub mod config;
pub mod cut;
pub mod encoded;
pub mod evaluator;
pub mod expand;
pub mod fidelities;
pub mod learn;
pub mod method;
pub mod pools;
pub mod protocol;
pub mod ranking;
pub mod results;
pub mod rules;
pub mod space;
pub mod stages;
pub mod tables;
pub mod verdicts;
pub mod wiring;
pub mod work;

use kit::{
    claims::{Claim, wiring::Source},
    paper::Paper,
};
use pipeline::{code::Table, error::Result, graph::Builder, registry::Kinds};

use self::{config::SmoothieConfig, stages::claims::SmoothieCriteria};

/// The paper.
pub struct Smoothie;

impl Paper for Smoothie {
    const ID: &'static str = "smoothie";
    type Values = SmoothieConfig;
    type Criteria = SmoothieCriteria;

    fn stages(kinds: &mut Kinds, code: Table) {
        kinds
            .add::<stages::cut::CutStage>(code)
            .add::<stages::encode::Encode>(code)
            .add::<arms::smoothie::TuneSmoothie>(code)
            .add::<arms::random::TuneRandom>(code)
            .add::<arms::bohb::TuneBohb>(code)
            .add::<arms::smac_like::TuneSmacLike>(code)
            .add::<arms::dehb::TuneDehb>(code)
            .add::<arms::hebo_like::TuneHeboLike>(code)
            .add::<arms::ghost::TuneGhost>(code)
            .add::<arms::svm::TuneSvm>(code)
            .add::<stages::pool::Pool>(code)
            .add::<stages::landscape::Landscape>(code)
            .add::<stages::bounds::Bounds>(code)
            .add::<stages::standings::Standings>(code)
            .add::<stages::intervals::Intervals>(code)
            .add::<stages::sensitivity::Sensitivity>(code)
            .add::<stages::contrasts::Contrasts>(code)
            .add::<stages::audit::Audit>(code);
    }

    fn add(values: &SmoothieConfig, builder: &mut Builder) -> Result<Vec<Source>> {
        expand::add(values, builder)
    }

    /// Under another root seed: only the protocol that counts, and the tasks of its claims.
    fn part(values: &SmoothieConfig) -> SmoothieConfig {
        let mut part = values.clone();
        part.protocols.retain(|name, _| *name == values.headline);
        part.tasks.retain(|_, task| verdicts::concern(&values.again.claims, &task.family));
        part
    }

    fn criteria(
        values: &SmoothieConfig,
        paper: &SmoothieConfig,
        _: &mut [Claim],
    ) -> SmoothieCriteria {
        wiring::criteria(values, paper)
    }
}
