//! Expands the config to the stages of the network experiments.

use kit::{
    claims::wiring::Source,
    wire::{Handle, Wire, gather_any, gathered},
};
use models::neural::residual::{COUNT, Effect, VARIABLES};
use pipeline::{error::Result, graph::Builder, seed::Seed, stage::Stage};
use tuners::{multi_fidelity::successive_halving::SuccessiveHalvingSettings, tuner};

use super::{
    config::{Network, Stability},
    rounds::{Rounds, Track, read_rounds},
    rows::Tried,
    search::{Search, halving_rounds, hyperband_rounds},
    stages::{
        race::{Entry, Race, times_of},
        sampling::Sampling,
        stability::TableOne,
        transfer::Transfer,
        trial::Trial,
        usual::Usual,
        weights::Weights,
    },
};
use crate::verdicts::evidence;

/// Adds every stage that the config asks for.
///
/// # Errors
/// If a setting is out of range.
pub fn expand(values: &Network, root_seed: u64, builder: &mut Builder) -> Result<[Source; 4]> {
    let mut expansion = Expansion {
        values,
        rounds: Rounds::new(values, root_seed, builder)?,
        entries: Vec::new(),
        told: Vec::new(),
    };
    for replicate in 0..values.replicates {
        expansion.replicate(replicate)?;
    }
    expansion.figures(root_seed)
}

struct Expansion<'a, 'b, 'k> {
    values: &'a Network,
    rounds: Rounds<'a, 'b, 'k>,
    entries: Vec<Entry>,
    /// The results that they were told.
    told: Vec<Handle<Tried>>,
}

/// The error for a setting that the config's check did not catch.
fn refused(error: tuner::Error) -> pipeline::error::Error {
    pipeline::error::Error::usage(format!("[network]: {error}"))
}

impl Expansion<'_, '_, '_> {
    /// All rounds of a search on the big network.
    fn race(
        &mut self,
        mut track: Track,
        method: &str,
        sizes: &[usize],
        replicate: u32,
    ) -> Result<Track> {
        for (i, &size) in sizes.iter().enumerate() {
            let name = format!("harmonica/network/replicate={replicate}/{method}/round={i}");
            self.rounds.round(&mut track, &name, self.values.big, size, replicate)?;
        }
        self.enter(method, &track.told, replicate);
        Ok(track)
    }

    fn enter(&mut self, method: &str, told: &[Handle<Tried>], replicate: u32) {
        let stages = told.iter().map(|told| told.stage().to_owned()).collect();
        self.entries.push(Entry { method: method.to_owned(), replicate, told: stages });
        self.told.extend_from_slice(told);
    }

    /// A search that has not begun, in a family of searches that begin alike.
    fn start(&self, search: Search, family: &str, replicate: u32) -> Track {
        let seed = self.rounds.seed(&format!("search {family}"), replicate);
        Track { search, variables: COUNT, seed, told: Vec::new() }
    }

    fn replicate(&mut self, replicate: u32) -> Result<()> {
        let first = self.harmonica(replicate)?;
        self.rivals(replicate)?;
        self.transfer(&first, replicate)
    }

    /// Harmonica with all its variants, which share its stages. Returns the results of its first samples,
    /// which are unrestricted.
    fn harmonica(&mut self, replicate: u32) -> Result<Handle<Tried>> {
        let values = self.values;
        let at = format!("harmonica/network/replicate={replicate}");
        let stages = values.harmonica.stages;
        let mut track = self.start(values.search(stages, None), "harmonica", replicate);
        for stage in 1..=stages {
            track.search = values.search(stage, None);
            let (name, size) = (format!("{at}/sampling-{stage}"), values.harmonica.samples);
            self.rounds.round(&mut track, &name, values.small, size, replicate)?;
            let base = values.successive_halving(1);
            self.base(&track, &format!("harmonica-{stage}"), stage, Some(base), replicate)?;
            if stage < stages || stages == 1 {
                let method = format!("harmonica-{stage}-random-search");
                self.base(&track, &method, stage, None, replicate)?;
            }
            if stage > 1 && values.long > 0 {
                let base = values.successive_halving(values.long);
                let method = format!("harmonica-{stage}-long");
                self.base(&track, &method, stage, Some(base), replicate)?;
            }
        }
        let Stability { lambda, samples } = values.stability.clone();
        let stage = TableOne { replicate, settings: values.harmonica, lambda, samples };
        self.about("stability", &stage, &track, replicate)?;
        track.search = values.search(stages + 1, None);
        let name = format!("{at}/after");
        self.rounds.round(&mut track, &name, values.small, values.after, replicate)?;
        let stage = Sampling { replicate, settings: values.harmonica };
        self.about("sampling", &stage, &track, replicate)?;
        Ok(track.told.swap_remove(0))
    }

    /// The methods that it is compared with.
    fn rivals(&mut self, replicate: u32) -> Result<()> {
        let values = self.values;
        let at = format!("harmonica/network/replicate={replicate}");

        let halving = values.successive_halving(1);
        let method = "successive-halving";
        let track = self.start(Search::SuccessiveHalving(halving), method, replicate);
        self.race(track, method, &halving_rounds(halving).map_err(refused)?, replicate)?;

        if values.hyperband.brackets > 0 {
            let hyperband = values.hyperband();
            let track = self.start(Search::Hyperband(hyperband), "hyperband", replicate);
            let sizes = hyperband_rounds(hyperband).map_err(refused)?;
            self.race(track, "hyperband", &sizes, replicate)?;
        }

        // Random search eight times as long begins with random search.
        let (first, times) = (values.random.configurations, values.random.times);
        let track = self.start(Search::Random, "random", replicate);
        let mut track = self.race(track, "random", &[first], replicate)?;
        if times > 0 {
            let long = format!("random-{times}x");
            let name = format!("{at}/{long}/round=1");
            self.rounds.round(&mut track, &name, values.big, first * (times - 1), replicate)?;
            self.enter(&long, &track.told, replicate);
        }

        let mut track = self.start(Search::GpEi(values.gp_ei.settings), "gp-ei", replicate);
        track.variables = VARIABLES.iter().filter(|v| v.effect != Effect::Dummy).count();
        self.race(track, "gp-ei", &vec![1; values.gp_ei.trials], replicate)?;

        let name = format!("{at}/hand-tuned");
        let usual = Usual { epochs: values.big.epochs as u32 };
        let draft = self.rounds.builder.add(format!("{name}/ask"), &usual)?;
        let asked = draft.gives(&Usual::MAIN);
        let told = self.rounds.trials(&name, &asked, (values.big, 1), replicate)?;
        self.enter("hand-tuned", &[told], replicate);
        Ok(())
    }

    /// Harmonica after `stages` stages, with successive halving or random search.
    fn base(
        &mut self,
        sampled: &Track,
        method: &str,
        stages: usize,
        base: Option<SuccessiveHalvingSettings>,
        replicate: u32,
    ) -> Result<()> {
        let sizes = match base {
            Some(settings) => halving_rounds(settings).map_err(refused)?,
            None => vec![self.values.random.base],
        };
        let track = Track { search: self.values.search(stages, base), ..sampled.clone() };
        self.race(track, method, &sizes, replicate)?;
        Ok(())
    }

    /// A.3.
    fn transfer(&mut self, small: &Handle<Tried>, replicate: u32) -> Result<()> {
        let super::config::Transfer { best, neighbours } = self.values.transfer;
        let stage = Transfer { best, neighbours, epochs: self.values.big.epochs as u32 };
        let name = format!("harmonica/network/replicate={replicate}/transfer");
        let seed = self.rounds.seed("transfer", replicate);
        let draft = self.rounds.builder.add(format!("{name}/ask"), &stage)?.seed(seed);
        read_rounds(draft, std::slice::from_ref(small));
        let (asked, size) = (draft.gives(&Transfer::MAIN), (self.values.big, best + neighbours));
        let told = self.rounds.trials(&name, &asked, size, replicate)?;
        self.enter("transfer", &[small.clone(), told], replicate);
        Ok(())
    }

    /// Adds a stage about the samples of one replicate.
    fn about<S: Stage>(
        &mut self,
        what: &str,
        stage: &S,
        track: &Track,
        replicate: u32,
    ) -> Result<()> {
        let name = format!("harmonica/network/replicate={replicate}/{what}");
        let draft = self.rounds.builder.add(name, stage)?.seed(track.seed);
        read_rounds(draft, &track.told);
        Ok(())
    }

    /// One table per figure, across replicates, on which the verdicts rest.
    fn figures(self, root_seed: u64) -> Result<[Source; 4]> {
        let Self { values, rounds: Rounds { builder, .. }, entries, mut told } = self;
        let figure = |what: &str| format!("harmonica/network/figures/{what}");
        let of = |replicate: u32, stage: &str| {
            (format!("{replicate:05}"), format!("harmonica/network/replicate={replicate}/{stage}"))
        };
        let samplings = (0..values.replicates).map(|replicate| of(replicate, "sampling"));
        let all = samplings.clone().map(|(role, stage)| (role, Sampling::MAIN.of(stage)));
        let features = gather_any(builder, figure("features"), &Sampling::MAIN, all)?;
        let all = samplings.clone().map(|(role, stage)| (role, Sampling::FIXED.of(stage)));
        gather_any(builder, figure("fixed"), &Sampling::FIXED, all)?;
        let all = samplings.map(|(role, stage)| (role, Sampling::AVERAGES.of(stage)));
        let averages = gather_any(builder, figure("averages"), &Sampling::AVERAGES, all)?;
        let all = (0..values.replicates).map(|replicate| of(replicate, "stability"));
        let all = all.map(|(role, stage)| (role, TableOne::MAIN.of(stage)));
        let stability = gather_any(builder, figure("stability"), &TableOne::MAIN, all)?;
        let name = figure("weights");
        let seed = Seed::new(root_seed, &name, 0);
        let draft = builder.add(name, &Weights {})?.seed(seed);
        draft.reads(&Weights::FEATURES, &features);
        told.sort_by(|a, b| a.stage().cmp(b.stage()));
        told.dedup_by(|a, b| a.stage() == b.stage());
        let classes = values.classes();
        let stage = Race {
            entries,
            small: values.small.architecture(classes),
            big: values.big.architecture(classes),
            size: values.size,
            horizon: values.big.epochs as u32,
        };
        let draft = builder.add(figure("race"), &stage)?;
        for told in told {
            let times = times_of(told.stage());
            draft.may_read(&Race::TOLD.at(told.stage()), &told);
            draft.may_read(&Race::TAKEN.at(&times), &gathered(&times, &Trial::TIMES));
        }
        Ok([
            Source::new(&evidence::TABLE_1, &stability),
            Source::new(&evidence::FEATURES, &features),
            Source::new(&evidence::AVERAGES, &averages),
            Source::new(&evidence::RACE, &draft.gives(&Race::MAIN)),
        ])
    }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
