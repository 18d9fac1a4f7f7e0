//! Expands the config to the stages of SMOOTHIE.

use kit::{
    claims::wiring::Source,
    data_sets::source,
    port::In,
    wire::{self, Handle, Wire},
};
use models::preprocess::scaler::{SCALERS, Scaler};
use pipeline::{
    error::Result,
    graph::{Builder, Draft},
    seed::Seed,
    stage::Stage,
};

use super::{
    config::{Baseline, Family, SmoothieConfig, Task},
    cut::{Field, TestPart},
    method::Method,
    protocol::{Defects, Options, Peers},
    space::{GHOST_SCALERS, Learner, Search},
    stages::{
        cut::CutStage,
        encode::Encode,
        landscape::Landscape,
        pool::Pool,
        tune::{self, Tune},
    },
};
use crate::{
    arm::Arm,
    arms::{
        bohb::BohbArm, dehb::DehbArm, ghost::GhostArm, hebo_like::HeboLikeArm, random::RandomArm,
        smac_like::SmacLikeArm, smoothie::SmoothieArm, svm::SvmArm,
    },
    rules::Rules,
    tables::{encoded::EncodedRow, label::Label},
    wiring::{At, Traced, audit, figures, theorems},
};

/// Adds the stages under one root seed.
pub(super) fn add(values: &SmoothieConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    for (name, task) in &values.tasks {
        Expansion { values, name, task, builder }.data()?;
    }
    let mut sources = Vec::new();
    for (protocol_name, protocol) in &values.protocols {
        let at = At::of(values, protocol_name, protocol);
        let mut traced = Traced::default();
        for (name, task) in &values.tasks {
            let mut expansion = Expansion { values, name, task, builder };
            expansion.cut(&at)?;
            expansion.encode(&at)?;
            expansion.runs(&at, &mut traced)?;
            expansion.pools(&at, &mut traced)?;
            if at.headline {
                expansion.surfaces(&at, &mut traced)?;
            }
        }
        sources.extend(figures(builder, values, &at, traced)?);
    }
    sources.push(theorems(values, builder)?);
    audit(values, builder)?;
    Ok(sources)
}

/// Some repeats of one method with one learner.
#[derive(Clone, Copy)]
struct Part {
    method: Method,
    learner: Learner,
    first: u32,
    repeats: u32,
}

/// Adds the stage of one kind of tuner.
type Add<'a, 'b, 'k> =
    for<'r> fn(&'r mut Expansion<'a, 'b, 'k>, &At, &str, Part, Seed) -> Result<&'r mut Draft>;

/// The function that adds the stages of a method, by its name under these peers.
fn added<'a, 'b, 'k>(method: Method, peers: Peers) -> Add<'a, 'b, 'k> {
    match (method, peers) {
        (Method::Smoothie { .. }, _) => Expansion::tune::<SmoothieArm>,
        (Method::Random { .. }, _) => Expansion::tune::<RandomArm>,
        (Method::Bohb { .. }, Peers::Published) => Expansion::tune::<BohbArm>,
        (Method::Bohb { .. }, Peers::Code) => Expansion::tune::<SmacLikeArm>,
        (Method::Dehb { .. }, _) => Expansion::tune::<DehbArm>,
        (Method::HeboLike { .. }, _) => Expansion::tune::<HeboLikeArm>,
        (Method::Ghost { .. }, _) => Expansion::tune::<GhostArm>,
        (Method::Svm, _) => Expansion::tune::<SvmArm>,
    }
}

struct Expansion<'a, 'b, 'k> {
    values: &'a SmoothieConfig,
    name: &'a str,
    task: &'a Task,
    builder: &'b mut Builder<'k>,
}

impl Expansion<'_, '_, '_> {
    fn family(&self) -> &Family {
        &self.values.families[&self.task.family]
    }

    fn data_stage(&self) -> String {
        format!("smoothie/{}/data", self.name)
    }

    fn cut_stage(&self, at: &At) -> String {
        at.stage(&format!("smoothie/{}/cut", self.name))
    }

    fn seed(&self, label: &str, replicate: u64) -> Seed {
        Seed::new(self.values.root_seed, &format!("smoothie/{label}"), replicate)
    }

    fn data(&mut self) -> Result<()> {
        source::add(self.builder, self.data_stage(), &self.task.data_set)
    }

    fn cut(&mut self, at: &At) -> Result<()> {
        let stage = CutStage {
            data_set: self.task.data_set.clone(),
            classes: self.task.classes.clone(),
            test_part: self.family().test_part,
            defects: at.protocol.defects,
            select_on: at.protocol.select_on,
            validation_share: at.protocol.validation_share,
            rows: self.task.rows,
            repeats: at.repeats,
        };
        let seed = self.seed(&format!("cut {}", self.name), 0);
        let (name, data) = (self.cut_stage(at), self.data_stage());
        wire::stored(self.builder.add(name, &stage)?.seed(seed), &data);
        Ok(())
    }

    /// The treatments that can come before "ultrasample" under this protocol: all of them if the options
    /// include it, and those that GHOST needs.
    fn before(&self, at: &At) -> Vec<(Scaler, bool)> {
        let options =
            at.protocol.options == Options::Code && self.family().base != Learner::Bayesmark;
        match (options, self.family().baseline) {
            (true, _) => SCALERS.into_iter().flat_map(|s| [(s, false), (s, true)]).collect(),
            (false, Baseline::Ghost) => GHOST_SCALERS.map(|s| (s, false)).to_vec(),
            _ => Vec::new(),
        }
    }

    fn encode_stage(&self, at: &At, repeat: u32) -> String {
        format!("{}/repeat={repeat}", at.stage(&format!("smoothie/{}/encode", self.name)))
    }

    fn encode(&mut self, at: &At) -> Result<()> {
        let before = self.before(at);
        if before.is_empty() {
            return Ok(());
        }
        for repeat in 0..at.repeats {
            let stage = Encode {
                rules: self.rules(at),
                defects: self.defects(at),
                before: before.clone(),
                repeat,
            };
            let name = self.encode_stage(at, repeat);
            let seed = self.seed(&format!("encode {}", self.name), u64::from(repeat));
            self.add(at, &name, &stage, seed)?;
        }
        Ok(())
    }

    /// Adds a stage that reads the data and their cut.
    fn add<S: Stage>(&mut self, at: &At, name: &str, stage: &S, seed: Seed) -> Result<&mut Draft> {
        let (data, cut) = (self.data_stage(), self.cut_stage(at));
        let draft = self.builder.add(name, stage)?.seed(seed);
        wire::stored(draft, &data);
        draft.reads(&Field::CUT, &CutStage::MAIN.of(cut));
        Ok(draft)
    }

    /// The output of "ultrasample" for these repeats, for a stage whose space includes it.
    fn encoded(
        &self,
        at: &At,
        learner: Learner,
        repeats: std::ops::Range<u32>,
    ) -> Vec<(In<EncodedRow>, Handle<EncodedRow>)> {
        let options = at.protocol.options == Options::Code && learner != Learner::Bayesmark;
        if !options && learner != Learner::Ghost {
            return Vec::new();
        }
        let one =
            |repeat| (Field::ENCODED.at(repeat), Encode::MAIN.of(self.encode_stage(at, repeat)));
        repeats.map(one).collect()
    }

    fn label(&self, method: &str, learner: Learner) -> Label {
        Label {
            family: self.task.family.clone(),
            task: self.name.to_owned(),
            method: method.to_owned(),
            learner: learner.as_str().to_owned(),
        }
    }

    fn rules(&self, at: &At) -> Rules {
        let family = self.family();
        Rules {
            metric: family.metric,
            formula: at.protocol.formula,
            options: at.protocol.options,
            test_labels: at.protocol.test_labels,
            epochs: family.epochs,
            batch: self.values.training.batch,
            rate: self.values.training.learning_rate,
        }
    }

    fn search(&self, at: &At, learner: Learner) -> Search {
        let family = self.family();
        // GHOST's networks have two to five layers.
        let layers = if learner == Learner::Ghost { [2, 5] } else { family.layers };
        Search { learner, options: at.protocol.options, layers, units: family.units }
    }

    fn defects(&self, at: &At) -> Option<Defects> {
        (self.family().test_part == TestPart::Versions).then_some(at.protocol.defects)
    }

    /// SMOOTHIE with each learner, and also the others, since section 5.4 gives them the learner that does
    /// best on the task; the authors' code uses one learner.
    fn methods(&self, peers: Peers) -> Vec<(Method, Learner)> {
        let family = self.family();
        let (probes, full, base) = (family.probes, family.full, family.base);
        let mut all: Vec<(Method, Learner)> = family
            .learners
            .iter()
            .map(|&learner| (Method::Smoothie { probes, full }, learner))
            .collect();
        let theirs = match peers {
            Peers::Published => &family.learners[..],
            Peers::Code => std::slice::from_ref(&family.base),
        };
        let rivals = [
            Method::Random { budget: full },
            Method::Bohb { budget: full },
            Method::Bohb { budget: probes },
            Method::Dehb { budget: probes },
        ];
        all.extend(rivals.iter().flat_map(|rival| theirs.iter().map(|learner| (*rival, *learner))));
        match family.baseline {
            Baseline::Svm => all.push((Method::Svm, base)),
            Baseline::Ghost => all.push((Method::Ghost { budget: probes }, Learner::Ghost)),
            Baseline::HeboLike => all.push((Method::HeboLike { budget: probes }, base)),
            Baseline::None => {}
        }
        all
    }

    fn tune<A: Arm>(&mut self, at: &At, name: &str, part: Part, seed: Seed) -> Result<&mut Draft> {
        let stage = Tune::<A> {
            label: self.label(&part.method.label(), part.learner),
            method: part.method,
            peers: at.protocol.peers,
            search: self.search(at, part.learner),
            rules: self.rules(at),
            defects: self.defects(at),
            first: part.first,
            repeats: part.repeats,
            arm: std::marker::PhantomData,
        };
        self.add(at, name, &stage, seed)
    }

    /// The stages that tune.
    fn runs(&mut self, at: &At, traced: &mut Traced) -> Result<()> {
        for (method, learner) in self.methods(at.protocol.peers) {
            let label = self.label(&method.label(), learner);
            let mut first = 0;
            while first < at.repeats {
                let repeats = self.values.repeats_per_stage.min(at.repeats - first);
                let what = format!(
                    "smoothie/{}/{}-{}",
                    self.name,
                    label.method,
                    label.learner.to_lowercase()
                );
                let name = format!("{}/repeats={first}-{}", at.stage(&what), first + repeats - 1);
                // The random numbers of a repeat do not depend on how repeats are grouped.
                let seed = self.seed(&format!("tune {what}"), 0);
                // A run that stands for all repeats uses the data of the first.
                let one = method.one_run(at.protocol.peers);
                let range = if one { 0..1 } else { first..first + repeats };
                let encoded = self.encoded(at, learner, range);
                let part = Part { method, learner, first, repeats };
                let draft = added(method, at.protocol.peers)(self, at, &name, part, seed)?;
                for (input, table) in &encoded {
                    draft.reads(input, table);
                }
                traced.runs.push(draft.gives(&tune::MAIN));
                traced.times.push(draft.gives(&tune::TIMES));
                first += repeats;
            }
        }
        Ok(())
    }

    /// The stages that hold pools.
    fn pools(&mut self, at: &At, traced: &mut Traced) -> Result<()> {
        for learner in self.family().learners.clone() {
            for repeat in 0..self.values.pool.repeats {
                let stage = Pool {
                    label: self.label("pool", learner),
                    search: self.search(at, learner),
                    rules: self.rules(at),
                    defects: self.defects(at),
                    configurations: self.values.pool.configurations,
                    repeat,
                };
                let what =
                    format!("smoothie/{}/pool-{}", self.name, learner.as_str().to_lowercase());
                let name = format!("{}/repeat={repeat}", at.stage(&what));
                let seed = self.seed(&what, u64::from(repeat));
                let encoded = self.encoded(at, learner, repeat..repeat + 1);
                let draft = self.add(at, &name, &stage, seed)?;
                for (input, table) in &encoded {
                    draft.reads(input, table);
                }
                traced.pools.push(draft.gives(&Pool::MAIN));
            }
        }
        Ok(())
    }

    /// The stages that hold loss surfaces.
    fn surfaces(&mut self, at: &At, traced: &mut Traced) -> Result<()> {
        let base = self.family().base;
        let landscape = self.values.landscape;
        let stage = Landscape {
            label: self.label("landscape", base),
            search: self.search(at, base),
            rules: self.rules(at),
            defects: self.defects(at),
            points: landscape.points,
            radius: landscape.radius,
            repeats: landscape.repeats,
        };
        let name = format!("smoothie/{}/landscape", self.name);
        let seed = self.seed(&name, 0);
        let own = format!("smoothie/{}/smoothie-{}/", self.name, base.as_str().to_lowercase());
        let draft = self.add(at, &name, &stage, seed)?;
        let runs = traced.runs.iter().filter(|run| run.stage().starts_with(&own));
        for (i, run) in runs.enumerate() {
            draft.reads(&Landscape::RUNS.at(i), run);
        }
        traced.surfaces.push(draft.gives(&Landscape::MAIN));
        Ok(())
    }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
