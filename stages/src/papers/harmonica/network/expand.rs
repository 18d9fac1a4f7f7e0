//! From the config to the stages of the network experiments.

use pipeline::{error::Result, graph::Builder, machine, seed::Seed, stage::Stage};

use super::{
    config::{Network, Scale},
    rows,
    search::{Search, halving_rounds, hyperband_rounds},
    stages::{
        ask::Ask,
        cut::Cut,
        race::{Entry, Race},
        sampling::Sampling,
        stability::TableOne,
        transfer::Transfer,
        trial::Trial,
        usual::Usual,
    },
};
use crate::{
    data,
    models::residual::{COUNT, Device, Effect, VARIABLES},
    papers::{gather::Gather, source},
    tuner,
    tuners::successive_halving::SuccessiveHalvingSettings,
};

const DATA: &str = "harmonica/network/data";
const CUT: &str = "harmonica/network/cut";

/// Adds every stage that the config asks for.
///
/// # Errors
/// When a setting is out of range.
pub fn expand(values: &Network, root_seed: u64, builder: &mut Builder) -> Result<()> {
    let device = match values.device {
        Device::Auto if machine::gpus() > 0 => Device::Cuda(0),
        Device::Auto => Device::Cpu,
        named => named,
    };
    let mut expansion =
        Expansion { values, root_seed, device, builder, images: CUT, entries: Vec::new() };
    expansion.images()?;
    for replicate in 0..values.replicates {
        expansion.replicate(replicate)?;
    }
    expansion.figures()
}

/// A search under way, and the rounds that it has been told of.
#[derive(Clone)]
struct Track {
    search: Search,
    variables: usize,
    seed: Seed,
    told: Vec<String>,
}

struct Expansion<'a, 'b, 'k> {
    values: &'a Network,
    root_seed: u64,
    device: Device,
    builder: &'b mut Builder<'k>,
    /// The stage whose images networks are trained on.
    images: &'static str,
    entries: Vec<Entry>,
}

/// A setting that the config's check has let through.
fn refused(error: tuner::Error) -> pipeline::error::Error {
    pipeline::error::Error::usage(format!("[network]: {error}"))
}

impl Expansion<'_, '_, '_> {
    fn seed(&self, label: &str, replicate: u32) -> Seed {
        Seed::new(self.root_seed, &format!("harmonica/network/{label}"), replicate.into())
    }

    fn images(&mut self) -> Result<()> {
        let Network { train, test, size, .. } = *self.values;
        source::add(self.builder, DATA, &self.values.data_set)?;
        let shape = data::find(&self.values.data_set).map(|entry| entry.shape);
        // All of them as they are: no copy.
        if shape.is_some_and(|s| train + test >= s.rows && 3 * size * size == s.features) {
            self.images = DATA;
            return Ok(());
        }
        let seed = self.seed("cut", 0);
        self.builder.add(CUT, &Cut { train, test, size })?.seed(seed).input("images", DATA);
        Ok(())
    }

    /// Memory of a training, MiB: libtorch, the images, and about six maps a convolution that the
    /// backward pass needs, for batches of 256.
    fn memory_mib(&self, scale: &Scale) -> u64 {
        if matches!(self.device, Device::Cuda(_)) {
            return 4000;
        }
        let Network { train, test, size, .. } = *self.values;
        let blocks = scale.architecture(self.values.classes()).blocks();
        let maps = (0..3).map(|group| scale.widths[group] * (size >> group).pow(2)).sum::<usize>();
        let bytes = 6 * 2 * blocks * maps * 256 * 4 + 3 * size * size * (train + test) * 3;
        400 + (bytes >> 20) as u64
    }

    /// Trains what the stage `{name}/ask` asks for: `size` rows. Returns the stage that has the
    /// results, one a row in the order of asking.
    fn trials(&mut self, name: &str, scale: Scale, size: usize, replicate: u32) -> Result<String> {
        let seed = self.seed("train", replicate);
        let mut stages = Vec::new();
        for first in (0..size).step_by(scale.per_stage) {
            let stage = Trial {
                architecture: scale.architecture(self.values.classes()),
                horizon: scale.epochs,
                augment: self.values.augment,
                first,
                count: scale.per_stage.min(size - first),
                device: self.device,
                memory_mib: self.memory_mib(&scale),
            };
            let trial = format!("{name}/trial={first}");
            let draft = self.builder.add(trial.clone(), &stage)?.seed(seed);
            draft.facet("libtorch runs on", processor(self.device));
            draft.input("asked", format!("{name}/ask")).input("images", self.images);
            stages.push(trial);
        }
        let told = format!("{name}/told");
        let draft = self.builder.add(told.clone(), &Gather::<false> {})?;
        for (i, stage) in stages.iter().enumerate() {
            draft.input(format!("{i:05}"), stage.clone());
        }
        let draft = self.builder.add(format!("{name}/times"), &Gather::<true> {})?;
        for (i, stage) in stages.iter().enumerate() {
            draft.read(format!("{i:05}"), stage.clone(), "times", false);
        }
        Ok(told)
    }

    /// The next round of a search.
    fn round(
        &mut self,
        track: &mut Track,
        name: &str,
        scale: Scale,
        size: usize,
        replicate: u32,
    ) -> Result<()> {
        let (search, variables, epochs) = (track.search, track.variables, scale.epochs as u32);
        let stage = Ask { search, variables, size, epochs };
        let draft = self.builder.add(format!("{name}/ask"), &stage)?.seed(track.seed);
        for (i, told) in track.told.iter().enumerate() {
            draft.input(rows::role(i), told.clone());
        }
        track.told.push(self.trials(name, scale, size, replicate)?);
        Ok(())
    }

    /// All rounds of a search on the big network.
    fn rounds(
        &mut self,
        mut track: Track,
        method: &str,
        sizes: &[usize],
        replicate: u32,
    ) -> Result<Track> {
        for (i, &size) in sizes.iter().enumerate() {
            let name = format!("harmonica/network/replicate={replicate}/{method}/round={i}");
            self.round(&mut track, &name, self.values.big, size, replicate)?;
        }
        self.enter(method, &track.told, replicate);
        Ok(track)
    }

    fn enter(&mut self, method: &str, told: &[String], replicate: u32) {
        self.entries.push(Entry { method: method.to_owned(), replicate, told: told.to_vec() });
    }

    fn replicate(&mut self, replicate: u32) -> Result<()> {
        let values = self.values;
        let track = |own: &Self, search, family: &str| {
            let seed = own.seed(&format!("search {family}"), replicate);
            Track { search, variables: COUNT, seed, told: Vec::new() }
        };
        let at = format!("harmonica/network/replicate={replicate}");

        let mut sampled = track(self, values.search(0, None), "harmonica");
        let stages = values.harmonica.stages;
        // The variants of Harmonica share its stages and their random numbers.
        for stage in 1..=stages {
            sampled.search = values.search(stage, None);
            let (name, size) = (format!("{at}/sampling-{stage}"), values.harmonica.samples);
            self.round(&mut sampled, &name, values.small, size, replicate)?;
            let base = values.successive_halving(1);
            self.base(&sampled, &format!("harmonica-{stage}"), stage, Some(base), replicate)?;
            if stage < stages || stages == 1 {
                let method = format!("harmonica-{stage}-random-search");
                self.base(&sampled, &method, stage, None, replicate)?;
            }
            if stage > 1 && values.long > 0 {
                let base = values.successive_halving(values.long);
                let method = format!("harmonica-{stage}-long");
                self.base(&sampled, &method, stage, Some(base), replicate)?;
            }
        }
        self.features(&sampled, replicate)?;
        sampled.search = values.search(stages + 1, None);
        self.round(&mut sampled, &format!("{at}/after"), values.small, values.after, replicate)?;
        self.sampling(&sampled, replicate)?;

        let halving = values.successive_halving(1);
        let search = track(self, Search::SuccessiveHalving(halving), "successive-halving");
        let sizes = halving_rounds(halving).map_err(refused)?;
        self.rounds(search, "successive-halving", &sizes, replicate)?;
        let hyperband = values.hyperband();
        let search = track(self, Search::Hyperband(hyperband), "hyperband");
        let sizes = hyperband_rounds(hyperband).map_err(refused)?;
        self.rounds(search, "hyperband", &sizes, replicate)?;
        // Random search eight times as long begins with random search.
        let first = values.random.configurations;
        let search = track(self, Search::Random, "random");
        let search = self.rounds(search, "random", &[first], replicate)?;
        let mut search = search;
        let name = format!("{at}/random-{}x/round=1", values.random.times);
        let more = first * (values.random.times - 1);
        self.round(&mut search, &name, values.big, more, replicate)?;
        self.enter(&format!("random-{}x", values.random.times), &search.told, replicate);
        let known = VARIABLES.iter().filter(|v| v.effect != Effect::Dummy).count();
        let search =
            Track { variables: known, ..track(self, Search::GpEi(values.gp_ei.settings), "gp-ei") };
        self.rounds(search, "gp-ei", &vec![1; values.gp_ei.trials], replicate)?;

        let epochs = values.big.epochs as u32;
        let name = format!("{at}/hand-tuned");
        self.builder.add(format!("{name}/ask"), &Usual { epochs })?;
        let told = self.trials(&name, values.big, 1, replicate)?;
        self.enter("hand-tuned", &[told], replicate);
        self.transfer(&sampled.told[0], replicate)
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
        self.rounds(track, method, &sizes, replicate)?;
        Ok(())
    }

    /// A.3.
    fn transfer(&mut self, small: &str, replicate: u32) -> Result<()> {
        let super::config::Transfer { best, neighbours } = self.values.transfer;
        let stage = Transfer { best, neighbours, epochs: self.values.big.epochs as u32 };
        let name = format!("harmonica/network/replicate={replicate}/transfer");
        let seed = self.seed("transfer", replicate);
        let draft = self.builder.add(format!("{name}/ask"), &stage)?.seed(seed);
        draft.input(rows::role(0), small);
        let told = self.trials(&name, self.values.big, best + neighbours, replicate)?;
        self.enter("transfer", &[small.to_owned(), told], replicate);
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
        let draft = self.builder.add(name, stage)?.seed(track.seed);
        for (i, told) in track.told.iter().enumerate() {
            draft.input(rows::role(i), told.clone());
        }
        Ok(())
    }

    /// Table 1.
    fn features(&mut self, track: &Track, replicate: u32) -> Result<()> {
        let settings = self.values.harmonica;
        let super::config::Stability { lambda, samples } = self.values.stability.clone();
        let stage = TableOne { replicate, settings, lambda, samples };
        self.about("stability", &stage, track, replicate)
    }

    /// Table 3 and Figure 4.
    fn sampling(&mut self, track: &Track, replicate: u32) -> Result<()> {
        let stage = Sampling { replicate, settings: self.values.harmonica };
        self.about("sampling", &stage, track, replicate)
    }

    /// One table a figure, across replicates.
    fn figures(self) -> Result<()> {
        let Self { values, builder, entries, .. } = self;
        let figure = |what: &str| format!("harmonica/network/figures/{what}");
        for (what, stage, output) in [
            ("features", "sampling", "main"),
            ("fixed", "sampling", "fixed"),
            ("averages", "sampling", "averages"),
            ("stability", "stability", "main"),
        ] {
            let draft = builder.add(figure(what), &Gather::<false> {})?;
            for replicate in 0..values.replicates {
                let stage = format!("harmonica/network/replicate={replicate}/{stage}");
                draft.read(format!("{replicate:05}"), stage, output, true);
            }
        }
        let mut tables: Vec<String> = entries.iter().flat_map(|e| e.told.clone()).collect();
        tables.sort();
        tables.dedup();
        let classes = values.classes();
        let stage = Race {
            entries,
            small: values.small.architecture(classes),
            big: values.big.architecture(classes),
            size: values.size,
            horizon: values.big.epochs as u32,
        };
        let draft = builder.add(figure("race"), &stage)?;
        for told in tables {
            let times = told.replace("/told", "/times");
            draft.read(told.clone(), told, "main", true);
            draft.read(times.clone(), times, "main", true);
        }
        Ok(())
    }
}

/// What the last digits of a training depend on: libtorch chooses its kernels by it.
fn processor(device: Device) -> &'static str {
    match device {
        Device::Cuda(_) => "cuda",
        #[cfg(target_arch = "x86_64")]
        _ if std::arch::is_x86_feature_detected!("avx512f") => "cpu avx512",
        #[cfg(target_arch = "x86_64")]
        _ if std::arch::is_x86_feature_detected!("avx2") => "cpu avx2",
        _ => "cpu",
    }
}
