//! The parts that all papers share: claims and how they are judged, tables with descriptions, data sets as
//! stages, and the functions that the crate `nets` provides.

pub mod benchmark;
pub mod benchmark_table;
pub mod beside;
pub mod cell;
pub mod claims;
pub mod contest;
pub mod corpus;
pub mod curve_table;
pub mod curves;
pub mod device;
pub mod differs;
pub mod gather;
pub mod image_table;
pub mod images;
pub mod libtorch;
pub mod load;
pub mod paper;
pub mod port;
pub mod printed;
pub mod ranges;
pub mod row;
pub mod source;
pub mod stored;
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
        .add::<benchmark::LoadBenchmark>(code)
        .add::<beside::Beside>(code)
        .add::<differs::Differs>(code)
        .add::<printed::Printed>(code)
        .add::<contest::Contest>(code)
        .add::<corpus::LoadCorpus>(code)
        .add::<curves::LoadCurves>(code)
        .add::<images::LoadImages>(code)
        .add::<load::LoadData>(code)
        .add::<gather::Gather<false>>(code)
        .add::<gather::Gather<true>>(code);
}
