//! One round of a search as stages: what it asks for, the trainings, what they came to.

use kit::{device, gather::Gather, source};
use models::neural::residual::Device;
use pipeline::{error::Result, graph::Builder, seed::Seed};

use super::{
    config::{Network, Scale},
    rows,
    search::Search,
    stages::{ask::Ask, cut::Cut, trial::Trial},
};

const DATA: &str = "harmonica/network/data";
const CUT: &str = "harmonica/network/cut";

/// A search under way, and the rounds that it has been told of.
#[derive(Clone)]
pub(super) struct Track {
    pub(super) search: Search,
    pub(super) variables: usize,
    pub(super) seed: Seed,
    pub(super) told: Vec<String>,
}

/// Adds rounds to the graph.
pub(super) struct Rounds<'a, 'b, 'k> {
    values: &'a Network,
    root_seed: u64,
    device: Device,
    /// Where stages are added.
    pub(super) builder: &'b mut Builder<'k>,
    /// The stage whose images networks are trained on.
    images: &'static str,
}

impl<'a, 'b, 'k> Rounds<'a, 'b, 'k> {
    /// With the stages of the images.
    pub(super) fn new(
        values: &'a Network,
        root_seed: u64,
        builder: &'b mut Builder<'k>,
    ) -> Result<Self> {
        let device = device::resolved(values.device);
        let mut rounds = Self { values, root_seed, device, builder, images: CUT };
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
    pub(super) fn trials(
        &mut self,
        name: &str,
        scale: Scale,
        size: usize,
        replicate: u32,
    ) -> Result<String> {
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
            device::facet(draft, self.device);
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
    pub(super) fn round(
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
}
