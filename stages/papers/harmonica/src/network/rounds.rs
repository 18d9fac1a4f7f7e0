//! One round of a search as stages: its configurations, the trainings, and the results.

use driver::Arm;
use kit::{
    data_sets::{image_table::ImageTable, images::LoadImages, source},
    device,
    wire::{Handle, Wire, gather_all, numbered},
};
use models::neural::residual::Device;
use pipeline::{
    error::Result,
    graph::{Builder, Draft},
    seed::Seed,
};

use super::{
    arms::{
        gp_ei::GpEi, halving::Halving, harmonica::Harmonica, hyperband::Hyperband, random::Random,
    },
    config::{Network, Scale},
    rows::{self, Asked, Tried},
    search::Search,
    stages::{
        ask::{self, Ask},
        cut::Cut,
        race::times_of,
        trial::Trial,
    },
};

const DATA: &str = "harmonica/network/data";
const CUT: &str = "harmonica/network/cut";

/// A running search, and the rounds that it was told.
#[derive(Clone)]
pub(super) struct Track {
    pub(super) search: Search,
    pub(super) variables: usize,
    pub(super) seed: Seed,
    pub(super) told: Vec<Handle<Tried>>,
}

/// Adds rounds to the graph.
pub(super) struct Rounds<'a, 'b, 'k> {
    values: &'a Network,
    root_seed: u64,
    device: Device,
    /// The graph to which stages are added.
    pub(super) builder: &'b mut Builder<'k>,
    /// The images that networks are trained on.
    images: Handle<ImageTable>,
}

impl<'a, 'b, 'k> Rounds<'a, 'b, 'k> {
    /// With the stages of the images.
    pub(super) fn new(
        values: &'a Network,
        root_seed: u64,
        builder: &'b mut Builder<'k>,
    ) -> Result<Self> {
        let device = device::resolved(values.device);
        let images = Cut::MAIN.of(CUT);
        let mut rounds = Self { values, root_seed, device, builder, images };
        rounds.images()?;
        Ok(rounds)
    }

    pub(super) fn seed(&self, label: &str, replicate: u32) -> Seed {
        Seed::new(self.root_seed, &format!("harmonica/network/{label}"), replicate.into())
    }

    fn images(&mut self) -> Result<()> {
        let Network { train, test, size, .. } = *self.values;
        source::add(self.builder, DATA, &self.values.data_set)?;
        let shape = data::find(&self.values.data_set).map(|entry| entry.shape);
        // All of them unchanged: no copy.
        if shape.is_some_and(|s| train + test >= s.rows && 3 * size * size == s.features) {
            self.images = LoadImages::MAIN.of(DATA);
            return Ok(());
        }
        let seed = self.seed("cut", 0);
        let draft = self.builder.add(CUT, &Cut { train, test, size })?.seed(seed);
        draft.reads(&Cut::IMAGES, &LoadImages::MAIN.of(DATA));
        Ok(())
    }

    /// Memory of a training, MiB: the images, and about ten maps per block, with a border of one pixel, for
    /// batches of 256.
    fn memory_mib(&self, scale: &Scale) -> u64 {
        if matches!(self.device, Device::Cuda(_)) {
            return 4000;
        }
        let Network { train, test, size, .. } = *self.values;
        let blocks = scale.architecture(self.values.classes()).blocks();
        let side = |group: usize| size.div_ceil(1 << group) + 2;
        let maps = (0..3).map(|group| scale.widths[group] * side(group).pow(2)).sum::<usize>();
        let bytes = 10 * (blocks + 1) * maps * 256 * 4 + 3 * size * size * (train + test) * 3;
        150 + (bytes >> 20) as u64
    }

    /// Trains the requested configurations: `size` rows. Returns the results, one per row in the order of
    /// asking.
    pub(super) fn trials(
        &mut self,
        name: &str,
        asked: &Handle<Asked>,
        (scale, size): (Scale, usize),
        replicate: u32,
    ) -> Result<Handle<Tried>> {
        let seed = self.seed("train", replicate);
        let (mut tried, mut taken) = (Vec::new(), Vec::new());
        for first in (0..size).step_by(scale.per_stage) {
            let stage = Trial {
                architecture: scale.architecture(self.values.classes()),
                horizon: scale.epochs,
                augment: self.values.augment,
                first,
                count: scale.per_stage.min(size - first),
                device: self.device,
                precision: self.values.precision,
                memory_mib: self.memory_mib(&scale),
            };
            let draft = self.builder.add(format!("{name}/trial={first}"), &stage)?.seed(seed);
            // On the CPU the results are the same on every processor.
            if self.device != Device::Cpu {
                device::facet(draft, self.device);
            }
            draft.reads(&Trial::ASKED, asked).reads(&Trial::IMAGES, &self.images);
            tried.push(draft.gives(&Trial::MAIN));
            taken.push(draft.gives(&Trial::TIMES));
        }
        let told = format!("{name}/told");
        gather_all(self.builder, times_of(&told), &Trial::TIMES, numbered(taken))?;
        gather_all(self.builder, told, &Trial::MAIN, numbered(tried))
    }

    /// The next round of a search.
    pub(super) fn round(
        &mut self,
        track: &mut Track,
        name: &str,
        scale: Scale,
        size: usize,
        replicate: u32,
    ) -> Result<()> {
        let of = (size, scale.epochs as u32);
        let asked = match track.search {
            Search::Random => self.ask(Random {}, track, name, of),
            Search::SuccessiveHalving(settings) => self.ask(Halving(settings), track, name, of),
            Search::Hyperband(settings) => self.ask(Hyperband(settings), track, name, of),
            Search::GpEi(settings) => self.ask(GpEi(settings), track, name, of),
            Search::Harmonica { settings, base } => {
                self.ask(Harmonica { settings, base }, track, name, of)
            }
        }?;
        track.told.push(self.trials(name, &asked, (scale, size), replicate)?);
        Ok(())
    }

    /// Asks for `size` configurations, of which a full training takes `epochs`.
    fn ask<A: Arm>(
        &mut self,
        search: A,
        track: &Track,
        name: &str,
        (size, epochs): (usize, u32),
    ) -> Result<Handle<Asked>> {
        let stage = Ask { search, variables: track.variables, size, epochs };
        let draft = self.builder.add(format!("{name}/ask"), &stage)?.seed(track.seed);
        read_rounds(draft, &track.told);
        Ok(draft.gives(&ask::MAIN))
    }
}

/// Reads the results of earlier rounds.
pub(super) fn read_rounds(draft: &mut Draft, told: &[Handle<Tried>]) {
    for (i, told) in told.iter().enumerate() {
        draft.reads(&rows::TOLD.at(rows::end(i)), told);
    }
}
