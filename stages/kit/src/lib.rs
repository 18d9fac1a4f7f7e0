//! The parts that all papers share: claims and how they are judged, tables with descriptions, data sets as
//! stages, and the functions that the crate `nets` provides.

pub mod beside;
pub mod cell;
pub mod claims;
pub mod contest;
pub mod data_sets;
pub mod device;
pub mod differs;
pub mod gather;
pub mod libtorch;
pub mod paper;
pub mod port;
pub mod printed;
pub mod ranges;
pub mod row;
pub mod table;
pub mod table_error;
pub mod tried;
pub mod wire;
pub mod work;

// The output of the derive macro names this crate, also for what is derived in this crate.
extern crate self as kit;

use pipeline::{code::Table, registry::Kinds};

/// Registers the stage kinds that belong to no paper.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<data_sets::benchmark::LoadBenchmark>(code)
        .add::<beside::Beside>(code)
        .add::<differs::Differs>(code)
        .add::<printed::Printed>(code)
        .add::<contest::Contest>(code)
        .add::<data_sets::corpus::LoadCorpus>(code)
        .add::<data_sets::curves::LoadCurves>(code)
        .add::<data_sets::images::LoadImages>(code)
        .add::<data_sets::load::LoadData>(code)
        .add::<gather::Gather<false>>(code)
        .add::<gather::Gather<true>>(code);
}
