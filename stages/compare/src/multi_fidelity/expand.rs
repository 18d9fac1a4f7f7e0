//! Adds the tuners of parts to the graph.

use kit::{
    contest::{Contest, Values},
    wire::{self, Handle, Wire, gather_any, numbered},
};
use pipeline::{config::Config, error::Result, graph::Builder, seed::Seed};

use super::{
    external::TuneExternalParts,
    list,
    parity::Compared,
    parts::Parts,
    standings::Standings,
    tables::{Choice, PartTraining},
    tune::{MAIN, PARTS},
};
use crate::{
    config::CompareConfig,
    external::{
        adapters,
        expand::{MEMORY_MIB, checkout, starts},
        parity::Match,
    },
};

/// Adds, for each set of learning curves, a stage per tuner and what compares them; nothing if there are no tuners.
pub(crate) fn expand(config: &Config, values: &CompareConfig, builder: &mut Builder) -> Result<()> {
    values.multi_fidelity.check(config)?;
    if values.multi_fidelity.tuners.is_empty() {
        return Ok(());
    }
    for id in &values.curves {
        let set = Set { id, under: format!("compare/multi-fidelity/{id}"), values };
        let parts = set.parts(builder)?;
        let ours = set.ours(builder, &parts)?;
        set.standings(builder, &ours)?;
        set.theirs(config, builder, &parts, &ours)?;
    }
    Ok(())
}

/// A set of learning curves, with its stages.
struct Set<'a> {
    id: &'a str,
    /// What the names of its stages begin with.
    under: String,
    values: &'a CompareConfig,
}

impl Set<'_> {
    fn name(&self, stage: &str) -> String {
        format!("{}/{stage}", self.under)
    }

    /// The seed of what is called so.
    fn seed(&self, name: &str) -> Seed {
        Seed::new(self.values.root_seed, name, 0)
    }

    fn parts(&self, builder: &mut Builder) -> Result<Handle<PartTraining>> {
        let divisors = self.values.multi_fidelity.divisors();
        let draft = builder.add(self.name("parts"), &Parts { divisors })?;
        wire::curve_trainings(draft, &format!("compare/curves/{}", self.id));
        Ok(draft.gives(&Parts::MAIN))
    }

    /// The choices of our tuners.
    fn ours(&self, builder: &mut Builder, parts: &Handle<PartTraining>) -> Result<Handle<Choice>> {
        let own = &self.values.multi_fidelity;
        let mut choices = Vec::new();
        for listed in own.tuners.iter().filter_map(|name| list::find(name)) {
            let draft = (listed.add)(builder, self.name(listed.name), own.runs(own.runs))?;
            // The same for all tuners.
            let draft = draft.seed(self.seed(&self.under)).reads(&PARTS, parts);
            choices.push(draft.gives(&MAIN));
        }
        gather_any(builder, self.name("choices"), &MAIN, numbered(choices))
    }

    fn standings(&self, builder: &mut Builder, choices: &Handle<Choice>) -> Result<()> {
        let name = self.name("standings");
        let seed = self.seed(&name);
        let draft = builder.add(name, &Standings {})?.seed(seed);
        let standings = draft.reads(&Standings::CHOICES, choices).gives(&Standings::MAIN);
        let contest = builder.add(format!("compare/contests/{}", self.id), &contest())?;
        contest.read("0", standings.stage(), standings.output(), true);
        Ok(())
    }

    /// The choices of external optimisers, and how ours do beside them; nothing if none is asked for.
    fn theirs(
        &self,
        config: &Config,
        builder: &mut Builder,
        parts: &Handle<PartTraining>,
        ours: &Handle<Choice>,
    ) -> Result<()> {
        let own = &self.values.multi_fidelity;
        let root = checkout(config);
        let (mut matches, mut choices) = (Vec::new(), Vec::new());
        for package in own.external.iter().filter_map(|name| list::package(name)) {
            let Some(adapter) = adapters::find(package.adapter) else { continue };
            let stage = TuneExternalParts {
                runs: own.runs(own.external_runs),
                program: adapter.program(package.name),
                memory_mib: MEMORY_MIB[1],
            };
            let draft = builder.add(self.name(&format!("external/{}", package.name)), &stage)?;
            let draft = draft.seed(self.seed(&self.under)).reads(&PARTS, parts);
            starts(draft, &root, &stage.program, &adapter.files());
            choices.push(draft.gives(&MAIN));
            matches.push(Match {
                ours: Some(package.ours.to_owned()),
                theirs: package.name.to_owned(),
                package: adapter.told(),
            });
        }
        if matches.is_empty() {
            return Ok(());
        }
        let theirs = self.name("external/choices");
        let theirs = gather_any(builder, theirs, &MAIN, numbered(choices))?;
        let compared = Compared { matches, margin: self.values.external.margin };
        let draft = builder.add(self.name("parity"), &compared)?;
        draft.reads(&Compared::CHOICES, ours).reads(&Compared::EXTERNAL, &theirs);
        Ok(())
    }
}

/// Data sets are blocks.
fn contest() -> Contest {
    let values = Values {
        only: Vec::new(),
        within: String::new(),
        block: vec!["data_set".to_owned()],
        method: "tuner".to_owned(),
        value: "excess".to_owned(),
        steps_of: None,
    };
    Contest { tables: vec![values], more: false, budgets: false }
}
