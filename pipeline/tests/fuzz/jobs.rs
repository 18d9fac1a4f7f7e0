//! Fuzzing of the files that engines and workers leave for each other: jobs, and the lists of a cluster's tasks.

use std::{fs, path::Path};

use pipeline::{
    digest::Digest,
    registry::Kinds,
    run::{job::Job, slurm::task},
};
use proptest::{prelude::*, sample::select};

use crate::{
    fixed, scratch,
    spoilt::{NUMBERS, pieces, spoilt},
};

const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "0",
    "-1",
    "1e308",
    "18446744073709551615",
    "../",
    "/",
    "..",
    ".",
    "\"attempt\":\"..\"",
    "\"attempt\":\"\"",
    "\"tasks\":[[",
    "[[[[",
    "{\"a\":",
    "\\u0000",
    "\"threads\":0",
    "\"files\":[",
];

/// A job of a kind that no program has.
fn job() -> String {
    let digest = Digest::of(b"a");
    format!(
        "{{\"key\":\"{digest}\",\"kind\":\"none\",\"code\":\"{digest}\",\"name\":\"paper/a\",\"params\":\"{{}}\",\
         \"inputs\":{{\"in\":{{\"path\":\"object\",\"digest\":\"{digest}\",\"stage\":\"paper/b\"}}}},\"files\":[\"f\"],\
         \"contents\":[\"{digest}\"],\"seed\":null,\"threads\":1,\"downloads\":\"data\",\"checkpoints\":null,\
         \"dir\":\"attempt\",\"sandbox\":{{\"downloads\":false,\"pinned\":[],\"gpu\":false}}}}"
    )
}

fn attempt() -> String {
    format!("{}.0", Digest::of(b"a"))
}

/// The list of an array with two tasks.
fn array() -> String {
    let entry =
        format!("{{\"attempt\":\"{}\",\"program\":null,\"gpus\":0,\"timeout_s\":null}}", attempt());
    format!("{{\"tasks\":[[{entry}],[{entry},{entry}]]}}")
}

/// Carries out a task in a folder of jobs; an error names a file in it, and nothing is written beside the folder.
fn carried_out(array: &[u8], job: &[u8], task: usize) -> bool {
    let dir = scratch();
    let jobs = dir.path().join("jobs");
    let (own, list) = (jobs.join("attempts").join(attempt()), jobs.join("arrays/a"));
    for folder in [&own, &list, &jobs.join("ended")] {
        fs::create_dir_all(folder).expect("can be made");
    }
    fs::write(own.join("job.json"), job).expect("can be written");
    fs::write(list.join("array.json"), array).expect("can be written");
    let done = task::main(&Kinds::default(), &list, task);
    if let Err(error) = &done {
        assert!(error.to_string().contains(&jobs.display().to_string()), "{error}");
    }
    let names = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder).expect("is there").flatten().map(|entry| entry.file_name()).collect()
    };
    assert_eq!(names(dir.path()), ["jobs"]);
    assert_eq!(names(&jobs).len(), 3, "{:?}", names(&jobs));
    assert_eq!(names(&jobs.join("attempts")), [attempt().as_str()]);
    done.is_ok() && jobs.join("ended").join(attempt() + ".json").is_file()
}

#[test]
fn the_sound_job_is_carried_out() {
    assert!(carried_out(array().as_bytes(), job().as_bytes(), 1));
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn a_job_is_read_or_its_file_is_named(
        bytes in prop_oneof![
            pieces(&PIECES).prop_map(String::into_bytes),
            spoilt(job().into_bytes(), &PIECES),
            spoilt(job().into_bytes(), &NUMBERS),
        ],
    ) {
        let dir = scratch();
        fs::write(dir.path().join("job.json"), &bytes).unwrap();
        if let Err(error) = Job::load(dir.path()) {
            let path = dir.path().join("job.json").display().to_string();
            prop_assert!(error.to_string().contains(&path), "{}", error);
        }
    }

    #[test]
    fn a_task_is_carried_out_or_its_file_is_named(
        array in prop_oneof![
            pieces(&PIECES).prop_map(String::into_bytes),
            spoilt(array().into_bytes(), &PIECES),
            select(&["..", ".", "", "../../..", "/", "x", "../ended"][..])
                .prop_map(|name| array().replace(&attempt(), name).into_bytes()),
        ],
        job in prop_oneof![Just(job().into_bytes()), spoilt(job().into_bytes(), &PIECES)],
        task in select(&[0, 1, 2, usize::MAX][..]),
    ) {
        carried_out(&array, &job, task);
    }
}
