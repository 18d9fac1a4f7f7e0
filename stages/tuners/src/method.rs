//! The black-box tuners by name, for configs and for the conformance tests.

use numerics::space::Space;
use serde::{Deserialize, Serialize};

use super::{
    cma_es::{CmaEs, CmaEsSettings},
    differential_evolution::{DifferentialEvolution, DifferentialEvolutionSettings},
    dodge::{Dodge, DodgeSettings},
    evolution::Evolution,
    grid::Grid,
    harmonica::{Harmonica, HarmonicaSettings},
    random::Random,
    smoothie::{Smoothie, SmoothieSettings},
    sobol::Sobol,
};
use crate::{
    bayesian::{
        component_tpe::{ComponentTpe, ComponentTpeSettings},
        directed::{Directed, DirectedSettings},
        fabolas::{Fabolas, FabolasSettings},
        gp_ei::{GpEi, GpEiSettings},
        hebo_like::{HeboLike, HeboLikeSettings},
        hypertune::{HyperTune, HyperTuneSettings},
        multivariate_tpe::{MultivariateTpe, MultivariateTpeSettings},
        smac_like::{SmacLike, SmacLikeSettings},
        smbo::{Smbo, SmboSettings},
        tpe::{Tpe, TpeSettings},
        turbo::{Turbo, TurboSettings},
    },
    multi_fidelity::{
        asha::{Asha, AshaSettings},
        bohb::{Bohb, BohbSettings},
        brackets::{Bracket, Ladder},
        dehb::{Dehb, DehbSettings},
        hyperband::{Hyperband, HyperbandSettings},
        prior_band::{PriorBand, PriorBandSettings},
        successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings},
    },
    tuner::{Error, Tuner},
};

/// Settings of grid search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GridSettings {
    /// Points a number.
    pub points: usize,
}

/// A black-box tuner with its settings; an arm has the name of its tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum Method {
    /// Random search. (Without the braces, unknown keys beside the kind would pass.)
    Random {},
    /// Points of a scrambled Sobol sequence.
    Sobol {},
    /// Grid search.
    Grid(GridSettings),
    /// Successive halving.
    SuccessiveHalving(SuccessiveHalvingSettings),
    /// Hyperband.
    Hyperband(HyperbandSettings),
    /// Asynchronous successive halving.
    Asha(AshaSettings),
    /// BOHB.
    Bohb(BohbSettings),
    /// DEHB.
    Dehb(DehbSettings),
    /// Hyperband with a prior, `PriorBand`.
    PriorBand(PriorBandSettings),
    /// Tree-structured Parzen estimators.
    Tpe(TpeSettings),
    /// Tree-structured Parzen estimators of all parameters jointly, as in Optuna 5.0.
    MultivariateTpe(MultivariateTpeSettings),
    /// Tree-structured Parzen estimators with their components as options.
    ComponentTpe(ComponentTpeSettings),
    /// Gaussian process with expected improvement.
    Smbo(SmboSettings),
    /// Gaussian process with sampled hyper-parameters, after Spearmint.
    GpEi(GpEiSettings),
    /// Gaussian process in a trust region.
    Turbo(TurboSettings),
    /// Power transform, Gaussian process, Pareto set of acquisitions.
    HeboLike(HeboLikeSettings),
    /// Differential evolution.
    DifferentialEvolution(DifferentialEvolutionSettings),
    /// Evolution of a normal distribution that learns its covariance.
    CmaEs(CmaEsSettings),
    /// Random forest with expected improvement.
    SmacLike(SmacLikeSettings),
    /// Options that bring nothing new lose weight.
    Dodge(DodgeSettings),
    /// Probes for smoothness, then full runs.
    Smoothie(SmoothieSettings),
    /// Parities found in random samples restrict the space.
    Harmonica(HarmonicaSettings),
    /// Gaussian process that may know signs, with expected improvement.
    Directed(DirectedSettings),
    /// Subset searches, then a search that knows in which direction models may grow.
    HyperTune(HyperTuneSettings),
    /// Small shares of the data tell of the whole, by information gained a cost.
    Fabolas(FabolasSettings),
}

impl Method {
    /// Every method once, with its published settings; multi-fidelity methods use these brackets.
    pub fn published(hyperband: HyperbandSettings) -> Vec<Self> {
        let HyperbandSettings { budgets, brackets } = hyperband;
        let halving = SuccessiveHalvingSettings { budgets, configurations: 27, brackets };
        let dehb = DehbSettings { hyperband, evolution: Evolution::default() };
        vec![
            Self::Random {},
            Self::Sobol {},
            Self::Grid(GridSettings { points: 4 }),
            Self::SuccessiveHalving(halving),
            Self::Hyperband(hyperband),
            Self::Asha(AshaSettings { budgets, early_stopping: 0 }),
            Self::Bohb(BohbSettings::on(hyperband)),
            Self::Dehb(dehb),
            Self::PriorBand(PriorBandSettings::on(hyperband)),
            Self::Tpe(TpeSettings::default()),
            Self::MultivariateTpe(MultivariateTpeSettings::default()),
            Self::ComponentTpe(ComponentTpeSettings::default()),
            Self::Smbo(SmboSettings::default()),
            Self::GpEi(GpEiSettings::default()),
            Self::Turbo(TurboSettings::default()),
            Self::HeboLike(HeboLikeSettings::default()),
            Self::DifferentialEvolution(DifferentialEvolutionSettings::default()),
            Self::CmaEs(CmaEsSettings::default()),
            Self::SmacLike(SmacLikeSettings::default()),
            Self::Dodge(DodgeSettings::default()),
            Self::Smoothie(SmoothieSettings::default()),
            Self::Harmonica(HarmonicaSettings::default()),
            Self::Directed(DirectedSettings::default()),
            Self::HyperTune(HyperTuneSettings::default()),
            Self::Fabolas(FabolasSettings::default()),
        ]
    }

    /// The tuner on a space.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn tuner(self, space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(match self {
            Self::Random {} => Box::new(Random::new(space)),
            Self::Sobol {} => Box::new(Sobol::new(space)),
            Self::Grid(s) => Box::new(Grid::new(space, s.points)?),
            Self::SuccessiveHalving(s) => Box::new(SuccessiveHalving::new(space, s)?),
            Self::Hyperband(s) => Box::new(Hyperband::new(space, s)?),
            Self::Asha(s) => Box::new(Asha::new(space, s)?),
            Self::Bohb(s) => Box::new(Bohb::new(space, s)?),
            Self::Dehb(s) => Box::new(Dehb::new(space, s)?),
            Self::PriorBand(s) => Box::new(PriorBand::new(space, s)?),
            Self::Tpe(s) => Box::new(Tpe::new(space, s)?),
            Self::MultivariateTpe(s) => Box::new(MultivariateTpe::new(space, s)?),
            Self::ComponentTpe(s) => Box::new(ComponentTpe::new(space, s)?),
            Self::Smbo(s) => Box::new(Smbo::new(space, s)?),
            Self::GpEi(s) => Box::new(GpEi::new(space, s)?),
            Self::Turbo(s) => Box::new(Turbo::new(space, s)?),
            Self::HeboLike(s) => Box::new(HeboLike::new(space, s)?),
            Self::DifferentialEvolution(s) => Box::new(DifferentialEvolution::new(space, s)?),
            Self::CmaEs(s) => Box::new(CmaEs::new(space, s)?),
            Self::SmacLike(s) => Box::new(SmacLike::new(space, s)?),
            Self::Dodge(s) => Box::new(Dodge::new(space, s)?),
            Self::Smoothie(s) => Box::new(Smoothie::new(space, s)?),
            Self::Harmonica(s) => Box::new(Harmonica::new(space, s)?),
            Self::Directed(s) => Box::new(Directed::new(space, s)?),
            Self::HyperTune(s) => Box::new(HyperTune::new(space, s)?),
            Self::Fabolas(s) => Box::new(Fabolas::new(space, s)?),
        })
    }

    /// The brackets of a multi-fidelity method; `None` for the others.
    ///
    /// # Errors
    /// If a budget is out of range.
    pub fn cycle(self) -> Result<Vec<Bracket>, Error> {
        Ok(match self {
            Self::SuccessiveHalving(s) => {
                vec![Ladder::new(s.budgets)?.starting_with(s.configurations)]
            }
            Self::Hyperband(s) => Ladder::new(s.budgets)?.cycle(),
            Self::Bohb(s) => Ladder::new(s.hyperband.budgets)?.cycle(),
            Self::Dehb(s) => Ladder::new(s.hyperband.budgets)?.cycle(),
            Self::PriorBand(s) => Ladder::new(s.hyperband.budgets)?.cycle(),
            Self::Random {}
            | Self::Sobol {}
            | Self::Grid(_)
            | Self::Asha(_)
            | Self::Tpe(_)
            | Self::MultivariateTpe(_)
            | Self::ComponentTpe(_)
            | Self::Smbo(_)
            | Self::GpEi(_)
            | Self::Turbo(_)
            | Self::HeboLike(_)
            | Self::DifferentialEvolution(_)
            | Self::CmaEs(_)
            | Self::SmacLike(_)
            | Self::Dodge(_)
            | Self::Smoothie(_)
            | Self::Harmonica(_)
            | Self::Directed(_)
            | Self::HyperTune(_)
            | Self::Fabolas(_) => Vec::new(),
        })
    }
}
