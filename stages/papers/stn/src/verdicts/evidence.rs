//! The tables that verdicts rest on.

use kit::port::In;
use pipeline::stage::{Context, Stop};

use crate::tables::{
    collected::{Collected, CollectedEpoch, CollectedStep},
    gated::GatedRow,
    image_race::{self, Sooner},
    quadratic::QuadraticRow,
    text_race::{self, NewBest},
};

/// Theorem 2.
pub const GATED: In<GatedRow> = In::new("gated");
/// Theorem 3.
pub const QUADRATIC: In<QuadraticRow> = In::new("quadratic");
/// All methods on images.
pub const IMAGES_RACE: In<image_race::Raced> = In::new("images race");
/// Their progress.
pub const IMAGES_ANYTIME: In<Sooner> = In::new("images anytime");
/// Appendix H on images.
pub const IMAGES_SENSITIVITY: In<image_race::Raced> = In::new("images sensitivity");
/// Table 1.
pub const TABLE_1: In<Collected> = In::new("text table-1 main");
/// Schedules from several starts.
pub const STARTS_STEPS: In<CollectedStep> = In::new("text starts steps");
/// The epochs of their trainings.
pub const STARTS_EPOCHS: In<CollectedEpoch> = In::new("text starts epochs");
/// All methods on a text.
pub const RACE: In<text_race::Raced> = In::new("text race main");
/// Their progress.
pub const CURVES: In<NewBest> = In::new("text race curves");
/// Figure 7.
pub const DROPOUTS: In<CollectedEpoch> = In::new("text dropouts epochs");
/// Appendix H on a text: schedules of steps.
pub const SCHEDULES: In<Collected> = In::new("text schedules main");
/// Appendix H on a text: scales of the perturbation.
pub const SCALES: In<Collected> = In::new("text scales main");
/// Another text.
pub const OTHER: In<Collected> = In::new("text other main");

/// The available tables.
#[derive(Clone, Default)]
pub struct Evidence {
    /// See [`GATED`].
    pub gated: Option<Vec<GatedRow>>,
    /// See [`QUADRATIC`].
    pub quadratic: Option<Vec<QuadraticRow>>,
    /// See [`IMAGES_RACE`].
    pub images_race: Option<Vec<image_race::Raced>>,
    /// See [`IMAGES_ANYTIME`].
    pub images_anytime: Option<Vec<Sooner>>,
    /// See [`IMAGES_SENSITIVITY`].
    pub images_sensitivity: Option<Vec<image_race::Raced>>,
    /// See [`TABLE_1`].
    pub table_1: Option<Vec<Collected>>,
    /// See [`STARTS_STEPS`].
    pub starts_steps: Option<Vec<CollectedStep>>,
    /// See [`STARTS_EPOCHS`].
    pub starts_epochs: Option<Vec<CollectedEpoch>>,
    /// See [`RACE`].
    pub race: Option<Vec<text_race::Raced>>,
    /// See [`CURVES`].
    pub curves: Option<Vec<NewBest>>,
    /// See [`DROPOUTS`].
    pub dropouts: Option<Vec<CollectedEpoch>>,
    /// See [`SCHEDULES`].
    pub schedules: Option<Vec<Collected>>,
    /// See [`SCALES`].
    pub scales: Option<Vec<Collected>>,
    /// See [`OTHER`].
    pub other: Option<Vec<Collected>>,
}

impl Evidence {
    /// Reads the inputs that are available.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(cx: &Context) -> Result<Self, Stop> {
        Ok(Self {
            gated: GATED.read_if_there(cx)?,
            quadratic: QUADRATIC.read_if_there(cx)?,
            images_race: IMAGES_RACE.read_if_there(cx)?,
            images_anytime: IMAGES_ANYTIME.read_if_there(cx)?,
            images_sensitivity: IMAGES_SENSITIVITY.read_if_there(cx)?,
            table_1: TABLE_1.read_if_there(cx)?,
            starts_steps: STARTS_STEPS.read_if_there(cx)?,
            starts_epochs: STARTS_EPOCHS.read_if_there(cx)?,
            race: RACE.read_if_there(cx)?,
            curves: CURVES.read_if_there(cx)?,
            dropouts: DROPOUTS.read_if_there(cx)?,
            schedules: SCHEDULES.read_if_there(cx)?,
            scales: SCALES.read_if_there(cx)?,
            other: OTHER.read_if_there(cx)?,
        })
    }
}
