//! The entries of the registry. Data only: hashes, addresses, licences, shapes.
//!
//! A new data set is one entry in the file of its field and one line in the list here, kept in the order of
//! ids. Hashes are of the content after unpacking, so one hash covers compressed and uncompressed sources.

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
pub(super) static CATALOGUE: &[DataSet] = &[
    tables::ADULT,
    learning::BREAST_CANCER,
    images::CIFAR_10,
    learning::DIABETES,
    learning::DIGITS,
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
    tables::LETTER,
    learning::MNIST,
    images::MNIST_IMAGES,
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
