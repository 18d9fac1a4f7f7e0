//! Catalogue entries of defect prediction: the object-oriented metrics of PROMISE, one data set per project,
//! with its versions one after another. Data only; [`defects`](super::super::defects) has the rows of each
//! version.

use super::super::loaders::promise;
use super::super::registry::{DataSet, FileSpec, Loader, Packing, Pin, Shape, Source, Variant};

/// The file of one version of a project.
macro_rules! version {
    ($name:literal, $bytes:literal, $sha256:literal) => {
        FileSpec {
            role: $name,
            variants: &[Variant {
                name: concat!($name, ".csv"),
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(concat!("promise/", $name, ".csv"), Packing::Plain),
                    Source::Url(
                        concat!(
                            "https://raw.githubusercontent.com/yrahul3910/raise/",
                            "37910107911e0b12b00af0ddbd0a2bd96e479824/promise/",
                            $name,
                            ".csv"
                        ),
                        Packing::Plain,
                    ),
                ],
            }],
        }
    };
}

/// A project: its versions, oldest first.
const fn project(
    id: &'static str,
    name: &'static str,
    files: &'static [FileSpec],
    rows: usize,
) -> DataSet {
    DataSet {
        id,
        name,
        files,
        licence: "data: none stated; repository MIT",
        citation: "Jureczko, Madeyski: Towards identifying software project clusters with regard to defect prediction, PROMISE 2010",
        page: "https://github.com/yrahul3910/raise",
        shape: Shape { rows, features: 20, classes: Some(2) },
        loader: Loader::Rows(promise::load),
    }
}

pub(super) const CAMEL: DataSet = project(
    "promise-camel",
    "Defects: Apache Camel 1.0 to 1.6 and POI 3.0",
    &[
        version!(
            "camel-1.0",
            41_058,
            "e8e2cd99522f124999ca957269fa0182be38157e124b8bfc4f8b9c5a86fdf7bf"
        ),
        version!(
            "camel-1.2",
            75_718,
            "05909cdf16cde3ce78c8c5b792fcfc492fef09047d41186f0f4ac3a224fe3173"
        ),
        version!(
            "camel-1.4",
            109_290,
            "bd737a8ae28da652d33ff84f745dff1b101b2a039e73754515cfe41862af218a"
        ),
        version!(
            "camel-1.6",
            121_138,
            "5ea1780fadd114dec06a080642ca52c2a7fffbbeee523d33eafa030c897ebcd7"
        ),
        version!(
            "poi-3.0",
            55_374,
            "99d56c6f2b05089f361227e5c09fd6812a60e5a97b4435de39153fe775f3dede"
        ),
    ],
    3_226,
);

pub(super) const IVY: DataSet = project(
    "promise-ivy",
    "Defects: Apache Ivy 1.1 to 2.0",
    &[
        version!(
            "ivy-1.1",
            12_840,
            "4e681d8c89c75e447d04cbe16c8a62d4547a1863cbb82cfc90580a59e171ed73"
        ),
        version!(
            "ivy-1.4",
            28_410,
            "84f864edb3bc4fadcfb006b19c8dda3ceab8945dd114911e0d463a00f1e57f53"
        ),
        version!(
            "ivy-2.0",
            42_831,
            "c966f61e92a3d36adb9d7419d9a8b5a6d7dc00c46c3556ed2fbec9727a4728fb"
        ),
    ],
    704,
);

pub(super) const LOG4J: DataSet = project(
    "promise-log4j",
    "Defects: Apache Log4j 1.0 to 1.2",
    &[
        version!(
            "log4j-1.0",
            15_206,
            "352495df57a55b8f6ac9ed4e6cf5dff4948e4efc0a54b2be467d2a23e011408a"
        ),
        version!(
            "log4j-1.1",
            12_730,
            "bdb16957ec29a7ca6dcdfe767e8daf49c5af6ec10ccb26d078944686c64e6942"
        ),
        version!(
            "log4j-1.2",
            24_496,
            "953b6dc8241dd65313d5452486848251b0fd5a0bcab154131ebb011de88629b8"
        ),
    ],
    449,
);

pub(super) const SYNAPSE: DataSet = project(
    "promise-synapse",
    "Defects: Apache Synapse 1.0 to 1.2",
    &[
        version!(
            "synapse-1.0",
            21_306,
            "9165bb038e615939a5506e14a041ade96528cb4aebb504057620cc65c4f5040a"
        ),
        version!(
            "synapse-1.1",
            29_366,
            "cef30fc1d9d1067bd2324d57f2a2e69ea0aecc62fc8c523876095f1c14eb8cc9"
        ),
        version!(
            "synapse-1.2",
            33_973,
            "bcb322bee442e4f234ca34193e2f65dfdbcd14049f7ce8ad93eccb8570b6743b"
        ),
    ],
    635,
);

pub(super) const VELOCITY: DataSet = project(
    "promise-velocity",
    "Defects: Apache Velocity 1.4 to 1.6",
    &[
        version!(
            "velocity-1.4",
            25_042,
            "2c39bd35c58ebed05e670d6b262a2af0d5c802df98d98fe7908936f127b22f8f"
        ),
        version!(
            "velocity-1.5",
            28_191,
            "2b8d8d8da69312bde0999555c7d99a99d6afad74b4ca4aa1f71d5aadb8e057cc"
        ),
        version!(
            "velocity-1.6",
            30_583,
            "3e22952981387100666529badbda921afcb93228295a34a6303afe34bb6d784c"
        ),
    ],
    639,
);

pub(super) const XALAN: DataSet = project(
    "promise-xalan",
    "Defects: Apache Xalan 2.4 to 2.7",
    &[
        version!(
            "xalan-2.4",
            90_742,
            "52cb2839dd99c9c4bb7321d6a62f26e0e3bc97caa7861bcbd855579549f6b202"
        ),
        version!(
            "xalan-2.5",
            100_416,
            "9245d29c61b846ca28b502e6005675cff3c536fb38e1801dae7bf193b5d61fbf"
        ),
        version!(
            "xalan-2.6",
            112_041,
            "083f55e7cea98bab22cb7c8d78201d0e1ecb2c34976faedadc85ebe5e6c3281c"
        ),
        version!(
            "xalan-2.7",
            115_294,
            "dc986329eca1a9ec4c65736492cf36cc97fc6eed14487535a1e59e1707d88ff7"
        ),
    ],
    3_320,
);
