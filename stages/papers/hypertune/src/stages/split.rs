//! A random split of a data set into training, validation and held-out parts.

use data::split::Rows;
use kit::port::Out;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{dataset, tables::split::Part};

/// Splits one data set. The paper does not state the sizes of the parts.
#[derive(Serialize, Deserialize)]
pub struct Split {
    /// Number of rows used, drawn at random; 0 for all.
    pub rows: usize,
    /// Share of the validation part.
    pub validation: f64,
    /// Share of the held-out part.
    pub held_out: f64,
}

impl Split {
    /// The parts.
    pub const MAIN: Out<Part> = Out::table("main");
}

impl Stage for Split {
    const KIND: &'static str = "hypertune/split";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let n = dataset::count(cx)?;
        let mut rng = cx.rng("split")?;
        let used = if self.rows == 0 { n } else { self.rows.min(n) };
        let kept = Rows::drawn(n, used, &mut rng).test;
        let size = |share: f64| (share * used as f64).round() as usize;
        let mut part = vec![0_u32; n];
        let held_out = Rows::drawn(used, size(self.held_out), &mut rng);
        held_out.test.iter().for_each(|&place| part[kept[place]] = 2);
        let rest = held_out.train;
        let validation = Rows::drawn(rest.len(), size(self.validation), &mut rng);
        validation.test.iter().for_each(|&place| part[kept[rest[place]]] = 1);
        let row = |row| Part { row, part: part[row] };
        Self::MAIN.write(cx, &kept.into_iter().map(row).collect::<Vec<_>>())
    }
}
