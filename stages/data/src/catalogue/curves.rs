//! Catalogue entries of recorded learning curves. Data only.
//!
//! The source distribution of the package has the SHA-256
//! `450ea69b249866298653f718d66a825e3d19a4024dd4ff140b89f2e04d4777ae`. The pin is of the member.

use super::super::loaders::lcdb;
use super::super::registry::{
    DataSet, FileSpec, Loader, Package, PackageKind, Packing, Pin, Shape, Source, Variant,
};

const LCDB: Package = Package { kind: PackageKind::PypiSource, name: "lcdb", version: "0.1.0" };

pub(super) const LCDB_ACCURACY: DataSet = DataSet {
    id: "lcdb-accuracy",
    name: "Learning curve database, accuracies",
    files: &[FileSpec {
        role: lcdb::ACCURACIES,
        variants: &[Variant {
            name: "database-accuracy.csv",
            pin: Pin::Sha256("5bf9f9388d37da47ce5e0edaf67dacfbd12a05ba50b76b5b3f4bf2dce02d85ac"),
            bytes: Some(150_633_974),
            sources: &[
                Source::Mirror("lcdb/database-accuracy.csv", Packing::Plain),
                Source::Package(LCDB, "lcdb-0.1.0/lcdb/database-accuracy.csv", Packing::Plain),
            ],
        }],
    }],
    licence: "MIT",
    citation: "Mohr, Viering, Loog, van Rijn: LCDB 1.0: an extensive learning curves database for classification tasks, ECML PKDD, 2022",
    page: "https://github.com/fmohr/lcdb",
    shape: Shape { rows: 1_953_371, features: 20, classes: None },
    loader: Loader::Curves(lcdb::accuracies),
};
