//! The entries of the registry. Data only: hashes, addresses, licences, shapes.
//!
//! A new data set is one entry in the file of its field and one line in the list here, kept in the order of
//! ids. Hashes are of the content after unpacking, so one hash covers compressed and uncompressed sources.

mod benchmarks;
mod curves;
mod images;
mod issue_lifetime;
mod jira;
mod learning;
mod promise;
mod tables;
mod texts;
mod warnings;

use super::registry::DataSet;

/// All data sets, in the order of their ids.
static CATALOGUE: &[DataSet] = &[
    tables::ADULT,
    learning::BREAST_CANCER,
    images::CIFAR_10,
    learning::DIABETES,
    learning::DIGITS,
    benchmarks::FCNET_NAVAL_PROPULSION,
    benchmarks::FCNET_PARKINSONS_TELEMONITORING,
    benchmarks::FCNET_PROTEIN_STRUCTURE,
    benchmarks::FCNET_SLICE_LOCALIZATION,
    benchmarks::HPOBENCH_AUSTRALIAN,
    benchmarks::HPOBENCH_BLOOD_TRANSFUSION,
    benchmarks::HPOBENCH_CAR,
    benchmarks::HPOBENCH_CREDIT_G,
    benchmarks::HPOBENCH_KC1,
    benchmarks::HPOBENCH_PHONEME,
    benchmarks::HPOBENCH_SEGMENT,
    benchmarks::HPOBENCH_VEHICLE,
    learning::IRIS,
    issue_lifetime::CHROMIUM,
    issue_lifetime::ECLIPSE,
    issue_lifetime::FIREFOX,
    jira::CAMEL,
    jira::CLOUDSTACK,
    jira::COCOON,
    jira::DEEPLEARNING,
    jira::HADOOP,
    jira::HIVE,
    jira::NODE,
    jira::OFBIZ,
    jira::QPID,
    texts::KJV,
    curves::LCDB_ACCURACY,
    tables::LETTER,
    learning::MNIST,
    images::MNIST_IMAGES,
    benchmarks::NASBENCH201_CIFAR10,
    benchmarks::NASBENCH201_CIFAR100,
    benchmarks::NASBENCH201_IMAGENET,
    learning::NEWS20,
    learning::PARKINSONS,
    promise::CAMEL,
    promise::IVY,
    promise::LOG4J,
    promise::SYNAPSE,
    promise::VELOCITY,
    promise::XALAN,
    texts::PTB,
    learning::REAL_SIM,
    warnings::ANT,
    warnings::CASSANDRA,
    warnings::COMMONS,
    warnings::DERBY,
    warnings::JMETER,
    warnings::LUCENE_SOLR,
    warnings::TOMCAT,
    learning::WINE,
];

/// All data sets, in the order of their ids.
#[must_use]
pub fn data_sets() -> &'static [DataSet] {
    CATALOGUE
}

/// The data set with this id.
///
/// ```
/// let digits = data::find("digits").expect("it is in the catalogue");
/// assert!(!digits.pins().is_empty(), "each file is pinned by a hash");
/// assert!(data::find("no such set").is_none());
/// ```
#[must_use]
pub fn find(id: &str) -> Option<&'static DataSet> {
    data_sets().iter().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_sorted_and_unique() {
        let ids: Vec<_> = data_sets().iter().map(|entry| entry.id).collect();
        let sorted: Vec<_> = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(ids, sorted);
    }

    #[test]
    fn every_pin_is_well_formed_and_every_file_has_a_source() {
        for entry in data_sets() {
            assert!(!entry.files.is_empty(), "{}", entry.id);
            for variant in entry.files.iter().flat_map(|file| file.variants) {
                let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                let digits = variant.pin.hash(b"").len();
                let pin = variant.pin.hex();
                assert!(pin.len() == digits && pin.chars().all(hex), "{} {pin}", entry.id);
                assert!(!variant.sources.is_empty(), "{} {}", entry.id, variant.name);
                assert!(!variant.name.contains('/'), "{} {}", entry.id, variant.name);
            }
        }
    }

    #[test]
    fn cache_names_are_unique_within_a_data_set() {
        for entry in data_sets() {
            let names: Vec<_> =
                entry.files.iter().flat_map(|file| file.variants).map(|v| v.name).collect();
            assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{}", entry.id);
        }
    }
}
