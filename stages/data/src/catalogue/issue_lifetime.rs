//! Catalogue entries of issue lifetime: Bugzilla's activity logs, as published. Data only.
//!
//! Only the git ids of these files are known here. The files are too large for the mirror: if you have them,
//! put them into the mirror folder as `issue-lifetime/PROJECT.csv`.

use super::super::loaders::issue_lifetime;
use super::super::registry::{DataSet, FileSpec, Loader, Packing, Pin, Shape, Source, Variant};

macro_rules! project {
    ($file:literal, $id:literal, $name:literal, $blob:literal, $rows:literal) => {
        DataSet {
            id: $id,
            name: $name,
            files: &[FileSpec {
                role: issue_lifetime::ROLE,
                variants: &[Variant {
                    name: $file,
                    pin: Pin::GitBlob($blob),
                    bytes: None,
                    sources: &[
                        Source::Mirror(concat!("issue-lifetime/", $file), Packing::Plain),
                        Source::Url(
                            concat!(
                                "https://raw.githubusercontent.com/mkris0714/",
                                "Bug-Related-Activity-Logs/",
                                "7c81cc2fd6f54ba5c0893bdab5d4de547b91b4c8/",
                                $file
                            ),
                            Packing::Plain,
                        ),
                    ],
                }],
            }],
            licence: "none stated",
            citation: "Lee, Lee, Lee, Yeom, Woo: Continual prediction of bug-fix time using deep learning-based activity stream embedding, IEEE Access 8, 2020",
            page: "https://github.com/mkris0714/Bug-Related-Activity-Logs",
            shape: Shape { rows: $rows, features: 12, classes: None },
            loader: Loader::Rows(issue_lifetime::load),
        }
    };
}

pub(super) const CHROMIUM: DataSet = project!(
    "chromium.csv",
    "issue-lifetime-chromium",
    "Issue lifetime in days: Chromium (Bugzilla)",
    "415a76165e41905089f4408c1a8a03050a761875",
    70_001
);

pub(super) const ECLIPSE: DataSet = project!(
    "eclipse.csv",
    "issue-lifetime-eclipse",
    "Issue lifetime in days: Eclipse (Bugzilla)",
    "f2e3b48441e3b9b1914b6a26a94139f4813a60ad",
    70_004
);

pub(super) const FIREFOX: DataSet = project!(
    "firefox.csv",
    "issue-lifetime-firefox",
    "Issue lifetime in days: Firefox (Bugzilla)",
    "1f3a17134999ea0bde65b76c1453b1ee2a5b3d89",
    70_001
);
