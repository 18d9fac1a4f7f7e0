//! The results of Harmonica's stages on the small network: Table 3, the values that were fixed (A.2), and
//! Figure 4.

use kit::{port::Out, row::Row};
use models::{
    neural::residual::{Effect, VARIABLES},
    polynomial::sparse_parity::Term,
};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::moments::{mean, variance};
use tuners::harmonica::{HarmonicaSettings, Restriction};

use crate::{
    network::{
        found, replay,
        rows::{self, Tried},
    },
    tables::{averages::Average, features::Feature},
};

/// Analyses the samples of one replicate; the last round has samples after the last stage.
#[derive(Serialize, Deserialize)]
pub struct Sampling {
    /// The replicate.
    pub replicate: u32,
    /// Harmonica's settings.
    pub settings: HarmonicaSettings,
}

/// A value that was fixed.
#[derive(Row)]
pub struct Fixed {
    /// replicate, from 0
    replicate: u32,
    /// stage of Harmonica, from 1
    stage: u32,
    /// number of Table 2
    variable: usize,
    /// name of Table 2
    name: &'static str,
    /// share of the restrictions that choose the first option (-1)
    first: f64,
}

impl Sampling {
    /// The features found.
    pub const MAIN: Out<Feature> = Out::table("main");
    /// The fixed values.
    pub const FIXED: Out<Fixed> = Out::table("fixed");
    /// Errors of the samples.
    pub const AVERAGES: Out<Average> = Out::table("averages");
}

impl Stage for Sampling {
    const KIND: &'static str = "harmonica/sampling";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::FIXED.output(), Self::AVERAGES.output()];

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
        let features = numbered.iter().flat_map(|(stage, found)| self.features(*stage, found));
        Self::MAIN.write(cx, &features.collect::<Vec<_>>())?;
        let fixed = numbered.iter().flat_map(|(stage, found)| self.fixed(*stage, found));
        Self::FIXED.write(cx, &fixed.collect::<Vec<_>>())?;
        let averages = (0..).zip(&rounds).map(|(stage, round)| self.average(stage, round));
        Self::AVERAGES.write(cx, &averages.collect::<Vec<_>>())
    }
}

impl Sampling {
    fn features(&self, stage: u32, found: &Restriction) -> impl Iterator<Item = Feature> {
        let terms = (1..).zip(found.polynomial.terms.clone());
        let replicate = self.replicate;
        terms.map(move |(rank, Term { monomial, weight })| {
            let of = |effect| monomial.iter().filter(|&&i| VARIABLES[i].effect == effect).count();
            Feature {
                replicate,
                stage,
                rank,
                variables: found::numbers(&monomial),
                feature: found::names(&monomial),
                weight: 100.0 * weight,
                degree: monomial.len(),
                dummies: of(Effect::Dummy),
                inert: of(Effect::Inert),
            }
        })
    }

    fn fixed(&self, stage: u32, restriction: &Restriction) -> impl Iterator<Item = Fixed> {
        restriction.variables.iter().enumerate().map(move |(j, &variable)| {
            let minus = restriction.codes.iter().filter(|code| **code >> j & 1 == 1).count();
            Fixed {
                replicate: self.replicate,
                stage,
                variable: VARIABLES[variable].number,
                name: VARIABLES[variable].name,
                first: minus as f64 / restriction.codes.len() as f64,
            }
        })
    }

    fn average(&self, stage: u32, round: &[Tried]) -> Average {
        let errors: Vec<f64> = round.iter().map(|t| t.error).collect();
        Average {
            replicate: self.replicate,
            stage,
            samples: round.len(),
            error: mean(&errors),
            deviation: variance(&errors).sqrt(),
            diverged: round.iter().filter(|t| t.diverged).count() as f64 / round.len() as f64,
        }
    }
}
