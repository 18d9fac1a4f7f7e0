//! Adds trainings as stages.

use kit::{
    data_sets::{corpus::LoadCorpus, source},
    device,
    wire::{Handle, Wire},
};
use models::neural::{residual::Device, self_tuning_lstm::StLstm};
use pipeline::{
    error::Result,
    graph::{Builder, Draft},
    seed::Seed,
    stage::Stage,
};

use super::{
    config::{Cut, Text},
    learn,
    stages::{
        collect::{self, Collect, Entry},
        cut::CutStage,
        train::Train,
    },
    trained,
};
use crate::tables::{
    asked::AskedValue,
    collected::{Collected, CollectedEpoch, CollectedStep, Named},
    schedule::Point,
};

/// The input of a training in addition to its text.
#[derive(Clone)]
pub(super) enum Feed {
    /// No further input.
    Nothing,
    /// A course.
    Schedule(Handle<Point>),
    /// A suggestion of a search.
    Asked(Handle<AskedValue>, usize),
}

/// The tables of one experiment.
pub(super) struct Figure {
    pub(super) main: Handle<Collected>,
    pub(super) epochs: Handle<CollectedEpoch>,
    pub(super) steps: Handle<CollectedStep>,
}

/// Adds trainings to the graph.
pub(super) struct Trainings<'a, 'b, 'k> {
    pub(super) values: &'a Text,
    root_seed: u64,
    pub(super) device: Device,
    pub(super) builder: &'b mut Builder<'k>,
    /// The stage whose text networks are trained on.
    text: String,
}

impl<'a, 'b, 'k> Trainings<'a, 'b, 'k> {
    pub(super) fn new(values: &'a Text, root_seed: u64, builder: &'b mut Builder<'k>) -> Self {
        let device = device::resolved(values.device);
        Self { values, root_seed, device, builder, text: String::new() }
    }

    pub(super) fn seed(&self, label: &str, replicate: u32) -> Seed {
        Seed::new(self.root_seed, &format!("stn/text/{label}"), replicate.into())
    }

    /// From now on, trains on the beginning of this data set, or of `stand_in` if it is not available; its
    /// stages are below `at`.
    pub(super) fn read(&mut self, at: &str, wanted: &str, stand_in: Option<&str>) -> Result<()> {
        let own = [
            Some((wanted, format!("{at}/data"))),
            stand_in.map(|id| (id, format!("{at}/stand-in"))),
        ];
        let own: Vec<(&str, String)> = own.into_iter().flatten().collect();
        for (id, stage) in &own {
            source::add(self.builder, stage.clone(), id)?;
        }
        let texts = own.iter().map(|(id, _)| name(id)).collect();
        let cut = format!("{at}/cut");
        let draft =
            self.builder.add(cut.clone(), &CutStage { cut: self.values.cut.clone(), texts })?;
        // A text without a stand-in is not optional: without it there is nothing to cut.
        let optional = own.len() > 1;
        for ((_, stage), [words, vocabulary]) in own.iter().zip(CutStage::TEXTS) {
            let own = LoadCorpus::WORDS.of(stage.as_str());
            let spelled = LoadCorpus::VOCABULARY.of(stage.as_str());
            if optional {
                draft.may_read(&words, &own).may_read(&vocabulary, &spelled);
            } else {
                draft.reads(&words, &own).reads(&vocabulary, &spelled);
            }
        }
        self.text = cut;
        Ok(())
    }

    /// The name of the text.
    pub(super) fn name_of_text(&self) -> Handle<Named> {
        CutStage::SOURCE.of(self.text.as_str())
    }

    /// Memory of a training, MiB: libtorch; the parameters with their response and gradients; the logits, and
    /// about twenty numbers per unit and word that the backward pass needs.
    pub(super) fn memory_mib(&self, settings: &StLstm) -> u64 {
        if matches!(self.device, Device::Cuda(_)) {
            return 4000;
        }
        let Cut { vocabulary, train, validation, test } = self.values.cut;
        let network = &settings.network;
        let width = network.units.max(network.embedding);
        let parameters = 2 * network.layers * 8 * width * width + 3 * vocabulary * width;
        let words = network.batch.max(network.evaluation_batch) * network.bptt;
        let kept = words * (4 * vocabulary + 40 * network.layers * width);
        let bytes = 4 * (4 * parameters + kept) + 16 * (train + validation + test);
        450 + (bytes >> 20) as u64
    }

    /// Adds a training; returns its name.
    pub(super) fn train(
        &mut self,
        name: String,
        method: &str,
        settings: StLstm,
        replicate: u32,
        feed: &Feed,
    ) -> Result<String> {
        let memory_mib = self.memory_mib(&settings);
        let row = if let Feed::Asked(_, row) = feed { Some(*row) } else { None };
        let (method, device) = (method.to_owned(), self.device);
        let stage = Train { settings, method, replicate, row, device, memory_mib };
        let draft = self.add(name.clone(), &stage, replicate)?;
        match feed {
            Feed::Nothing => {}
            Feed::Schedule(course) => {
                draft.reads(&Train::COURSE, course);
            }
            Feed::Asked(asked, _) => {
                draft.reads(&Train::ASKED, asked);
            }
        }
        Ok(name)
    }

    /// Adds a stage that trains. Those of a replicate share what their settings do not affect: initial
    /// weights, masks.
    pub(super) fn add<S: Stage>(
        &mut self,
        name: String,
        stage: &S,
        replicate: u32,
    ) -> Result<&mut Draft> {
        let seed = self.seed("train", replicate);
        let text = self.text.clone();
        let draft = self.builder.add(name, stage)?.seed(seed);
        device::facet(draft, self.device);
        let [words, vocabulary] = learn::CORPUS;
        draft.reads(&words, &CutStage::WORDS.of(text.as_str()));
        draft.reads(&vocabulary, &CutStage::VOCABULARY.of(text));
        Ok(draft)
    }

    /// The tables of one experiment, with these epochs, or with all if none are given.
    pub(super) fn figure(
        &mut self,
        what: &str,
        entries: Vec<Entry>,
        shown: &[usize],
    ) -> Result<Figure> {
        let shown = shown.iter().map(|&epoch| epoch as u32).collect();
        let mut stages: Vec<Entry> = entries.clone();
        stages.sort_by(|a, b| a.stage.cmp(&b.stage));
        stages.dedup_by(|a, b| a.stage == b.stage);
        let text = self.name_of_text();
        let draft =
            self.builder.add(format!("stn/text/figures/{what}"), &Collect { entries, shown })?;
        draft.reads(&collect::TEXT, &text);
        for Entry { stage, .. } in &stages {
            draft.may_read(&trained::epochs(stage), &Train::MAIN.of(stage.as_str()));
            draft.may_read(&trained::steps(stage), &Train::STEPS.of(stage.as_str()));
            draft.may_read(&trained::cost(stage), &Train::COST.of(stage.as_str()));
        }
        Ok(Figure {
            main: draft.gives(&Collect::MAIN),
            epochs: draft.gives(&Collect::EPOCHS),
            steps: draft.gives(&Collect::STEPS),
        })
    }
}

/// The name of a text: the first part of its data set's name.
fn name(id: &str) -> String {
    let whole = data::find(id).map_or(id, |entry| entry.name);
    whole.split(',').next().unwrap_or(whole).to_owned()
}
