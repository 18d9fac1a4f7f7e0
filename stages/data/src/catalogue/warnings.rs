//! Catalogue entries of static code warnings: which warnings of an analyser were acted upon. Data only.

use super::super::loaders::warnings;
use super::super::registry::{DataSet, FileSpec, Loader, Packing, Pin, Shape, Source, Variant};

/// One of the two files of a project: `train` (labelled B by its authors) or `test` (C).
macro_rules! part {
    ($part:literal, $name:literal, $bytes:literal, $sha256:literal) => {
        FileSpec {
            role: $part,
            variants: &[Variant {
                name: $name,
                pin: Pin::Sha256($sha256),
                bytes: Some($bytes),
                sources: &[
                    Source::Mirror(
                        concat!("static-code-warnings/", $part, "/", $name),
                        Packing::Plain,
                    ),
                    Source::Url(
                        concat!(
                            "https://raw.githubusercontent.com/yrahul3910/static-code-warnings/",
                            "23c9ee42635ff8d044bbb281fc4e3ab067a6711e/data/",
                            "reimplemented_2016_manual/",
                            $part,
                            "/",
                            $name
                        ),
                        Packing::Plain,
                    ),
                ],
            }],
        }
    };
}

/// A project with its two files.
const fn project(
    id: &'static str,
    name: &'static str,
    files: &'static [FileSpec],
    (rows, features): (usize, usize),
) -> DataSet {
    DataSet {
        id,
        name,
        files,
        licence: "Unlicense",
        citation: "Kang, Aw, Lo: Detecting false alarms from automatic static analysis tools: how far are we?, ICSE 2022",
        page: "https://github.com/soarsmu/SA_retrospective",
        shape: Shape { rows, features, classes: Some(2) },
        loader: Loader::Rows(warnings::load),
    }
}

pub(super) const ANT: DataSet = project(
    "warnings-ant",
    "Static code warnings: Apache Ant",
    &[
        part!(
            "train",
            "ant_B_features.csv",
            10_083,
            "c89cf02fbaa27f8a3c32479501753d274858d199519383a6d29c155a15b74d9e"
        ),
        part!(
            "test",
            "ant_C_features.csv",
            37_486,
            "fda48b4c8971f1b7320b49087f29cf5fb73f0964da50fed755a728cfda3c9e40"
        ),
    ],
    (35, 329),
);

pub(super) const CASSANDRA: DataSet = project(
    "warnings-cassandra",
    "Static code warnings: Apache Cassandra",
    &[
        part!(
            "train",
            "cassandra_B_features.csv",
            16_149,
            "e42284d56d31a5a1d470b62c615e50d30330d770ca40acd28d9a6bd2032d03fe"
        ),
        part!(
            "test",
            "cassandra_C_features.csv",
            12_744,
            "f7a2fe8074f923cbb040165b814c50743d06f0f38394bc609e11a106c4b6a2c7"
        ),
    ],
    (17, 265),
);

pub(super) const COMMONS: DataSet = project(
    "warnings-commons",
    "Static code warnings: Apache Commons Lang",
    &[
        part!(
            "train",
            "commons_B_features.csv",
            2_521,
            "18cc60b79542efed9c1d34a3900160d737f0b999d5ab801e7a1bf9cc85a4fe93"
        ),
        part!(
            "test",
            "commons_C_features.csv",
            15_647,
            "66d5665989ea1707e0a4ae9a66939be65015645ec7dead31148e9331ce6eb1d0"
        ),
    ],
    (22, 127),
);

pub(super) const DERBY: DataSet = project(
    "warnings-derby",
    "Static code warnings: Apache Derby",
    &[
        part!(
            "train",
            "derby_B_features.csv",
            492_200,
            "511f1a89e3e14379e4e9cb3961d0071752e78cdc3ac1f81252eef0a60e736e35"
        ),
        part!(
            "test",
            "derby_C_features.csv",
            54_052,
            "9e2cf36de62b541e4dab590d72d9423aad3bcdf135ef5f5692e15de7a9389662"
        ),
    ],
    (458, 292),
);

pub(super) const JMETER: DataSet = project(
    "warnings-jmeter",
    "Static code warnings: Apache JMeter",
    &[
        part!(
            "train",
            "jmeter_B_features.csv",
            10_024,
            "7928c68ea8b8f3664e5e834d2a486cd6c0c2ae481fc8bc6f24570bc2e57a5946"
        ),
        part!(
            "test",
            "jmeter_C_features.csv",
            18_066,
            "d00fb9f2642f8f28f1c1c05e8c1d8365ee4090a17ef3ba355a4d66d387ffe780"
        ),
    ],
    (18, 287),
);

pub(super) const LUCENE_SOLR: DataSet = project(
    "warnings-lucene-solr",
    "Static code warnings: Apache Lucene-Solr",
    &[
        part!(
            "train",
            "lucene-solr_B_features.csv",
            19_317,
            "9577363d89c3a431260ba14181191e7f23ca7b90ff8e9af1a62e97202e70dc28"
        ),
        part!(
            "test",
            "lucene-solr_C_features.csv",
            25_575,
            "b6bdc9a09a19eec48831451b8b7bfadade839cba3b70682a881af0e457b02a8d"
        ),
    ],
    (30, 278),
);

pub(super) const TOMCAT: DataSet = project(
    "warnings-tomcat",
    "Static code warnings: Apache Tomcat",
    &[
        part!(
            "train",
            "tomcat_B_features.csv",
            17_974,
            "2ea5772a84161b89e00c11e6952e6d8bd9bfb13cf6c280359b2ff88c85bbe219"
        ),
        part!(
            "test",
            "tomcat_C_features.csv",
            189_939,
            "49cea26255fbf165f2fe24905418dc1ebfceaff0efffa9e6d2e2710184b0a695"
        ),
    ],
    (184, 284),
);
