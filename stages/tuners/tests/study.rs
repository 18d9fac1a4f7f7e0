//! Studies as their users have them: files that are resumed, shared, killed and damaged, and calls that are wrong.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use proptest::prelude::*;
use tuners::bayesian::tpe::TpeSettings;
use tuners::method::Method;
use tuners::space::{Bounds, Domain, Parameter, Space};
use tuners::study::{Answer, Condition, Error, Mode, Outcome, Settings, State, Study};

fn space() -> Space {
    Bounds::cube(2, 1.0).unwrap().into()
}

fn method() -> Method {
    Method::Tpe(TpeSettings { startup: 3, ..TpeSettings::default() })
}

fn settings(mode: Mode) -> Settings {
    Settings { seed: 1, mode, ..Settings::default() }
}

fn open(path: &Path) -> Result<Study, Error> {
    Study::open(path, space(), method(), settings(Mode::Rounds { size: 3 }))
}

/// The number of the next trial.
fn next(study: &mut Study) -> u64 {
    match study.ask().unwrap() {
        Answer::Trial(trial) => trial.id(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let mut study = Study::new(space(), method(), settings(Mode::Rounds { size: 3 })).unwrap();
    assert!(matches!(study.tell(0, 1.0), Err(Error::Unknown { id: 0 })));
    let ids = [next(&mut study), next(&mut study)];
    // The third of the round was made and not handed out.
    for id in [2, 3, u64::MAX] {
        let error = study.tell(id, 1.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("trial {id} was never handed out: tell a number that `ask` gave")
        );
    }
    study.tell(ids[1], f64::NEG_INFINITY).unwrap();
    assert!(matches!(study.tell(ids[1], 1.0), Err(Error::AlreadyTold { id: 1 })));
    assert!(matches!(study.give_back(ids[1]), Err(Error::AlreadyTold { id: 1 })));
    study.give_back(ids[0]).unwrap();
    assert!(matches!(study.give_back(ids[0]), Err(Error::NotOut { id: 0 })));
    assert_eq!(next(&mut study), 0);
    assert_eq!(next(&mut study), 2);
    assert_eq!(study.ask().unwrap(), Answer::Wait);
    study.tell(0, 0.5).unwrap();
    // Given back, and told all the same.
    study.give_back(2).unwrap();
    study.tell(2, 0.25).unwrap();
    assert_eq!(study.ask_below(3).unwrap(), Answer::Done);
    assert_eq!(study.trials()[1].state, State::Told(Outcome { value: None, cost: None }));
    assert_eq!(study.best().unwrap().suggestion.id, 2);
    let none = Study::new(space(), method(), settings(Mode::Rounds { size: 0 }));
    assert!(matches!(none, Err(Error::EmptyRound)));
}

/// A learner of two kinds; the second has a width, which is best at 2.
#[test]
fn a_parameter_that_does_not_matter_is_not_searched() {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let space = Space::new(vec![
        parameter("learner", Domain::Categorical { choices: 2 }),
        parameter("width", Domain::Float { low: 0.0, high: 10.0, log: false }),
    ])
    .unwrap();
    let condition =
        Condition { parameter: "width".to_owned(), on: "learner".to_owned(), values: vec![1] };
    let settings = Settings { conditions: vec![condition.clone()], ..Settings::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study");
    let mut study = Study::open(&path, space.clone(), method(), settings.clone()).unwrap();
    let loss = |config: &[f64]| if config[0] == 0.0 { 1.0 } else { (config[1] - 2.0).abs() };
    study.run(40, 1, |trial| loss(trial.config())).unwrap();
    for trial in study.trials() {
        let config = &trial.suggestion.config;
        let active = config[0] == 1.0;
        assert_eq!(study.active(config), [true, active]);
        assert!(active || config[1] == 5.0, "{config:?}");
    }
    assert!(study.best().unwrap().value().unwrap() < 0.3);
    let trials = study.trials().to_vec();
    drop(study);
    assert_eq!(Study::open(&path, space.clone(), method(), settings).unwrap().trials(), trials);
    // Without the condition it is another study.
    let other = Study::open(&path, space.clone(), method(), Settings::default());
    assert!(matches!(other, Err(Error::Content { .. })));
    let strange = Condition { on: "width".to_owned(), ..condition };
    let settings = Settings { conditions: vec![strange], ..Settings::default() };
    let refused = Study::new(space, method(), settings).unwrap_err().to_string();
    assert!(refused.starts_with("condition of `width` on `width`"), "{refused}");
}

#[test]
fn a_torn_line_is_dropped_and_a_damaged_one_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study");
    let mut study = open(&path).unwrap();
    study.run(9, 1, |trial| trial.config()[0]).unwrap();
    let trials = study.trials().to_vec();
    drop(study);
    let whole = fs::read(&path).unwrap();
    let told = |study: &Study| study.trials().iter().filter(|t| t.value().is_some()).count();
    // Cut anywhere, the study has all that was whole, and goes on to the same trials.
    for length in (0..whole.len()).step_by(7) {
        fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].split_inclusive(|b| *b == b'\n');
        let kept = lines.filter(|line| line.ends_with(b"\n") && line[9..].starts_with(b"told"));
        let kept = kept.count();
        let mut study = open(&path).unwrap();
        assert_eq!(told(&study), kept, "{length} bytes");
        study.run(9, 1, |trial| trial.config()[0]).unwrap();
        assert_eq!(study.trials(), trials, "{length} bytes");
    }
    // A changed byte in any line.
    for at in (0..whole.len()).step_by(5) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&path, &damaged).unwrap();
        let opened = open(&path);
        let last = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap();
        if whole[at] == b'\n' && at > last {
            // Indistinguishable from a line that was not finished.
            assert!(opened.is_ok());
        } else {
            assert!(matches!(opened, Err(Error::Content { .. })), "byte {at}");
        }
    }
}

#[test]
fn another_study_or_another_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study");
    drop(open(&path).unwrap());
    let other = Study::open(&path, space(), Method::Random {}, settings(Mode::Asynchronous));
    assert!(other.unwrap_err().to_string().contains("another space, method or settings"));
    let text = folder.path().join("text");
    for content in ["my notes", "my notes\n", "00000000 study {}\n"] {
        fs::write(&text, content).unwrap();
        assert!(open(&text).unwrap_err().to_string().contains("not a study"));
        assert_eq!(fs::read_to_string(&text).unwrap(), content);
    }
    let nowhere = open(&folder.path().join("no/such/folder")).unwrap_err();
    assert!(matches!(nowhere, Error::File { .. }), "{nowhere}");
}

#[test]
fn two_handles_of_one_file_see_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study");
    let (mut one, mut other) = (open(&path).unwrap(), open(&path).unwrap());
    assert_eq!([next(&mut one), next(&mut other), next(&mut one)], [0, 1, 2]);
    assert_eq!(other.ask().unwrap(), Answer::Wait);
    // What a process took another may tell; nothing is taken away while both have the file open.
    other.tell(0, 0.3).unwrap();
    one.reclaim().unwrap();
    assert_eq!(one.pending(), [1, 2]);
    drop(other);
    // The other has ended with trial 1.
    one.reclaim().unwrap();
    assert_eq!(one.pending(), [2]);
    assert_eq!(next(&mut one), 1);
    for id in [1, 2] {
        one.tell(id, 0.1).unwrap();
    }
    assert_eq!(next(&mut one), 3);
    drop(one);
    // Nobody has it open: trial 3 is handed out again.
    assert_eq!(next(&mut open(&path).unwrap()), 3);
}

/// The example of many workers, which was built beside this test.
fn example(path: &Path, trials: u64, pause: u64) -> Child {
    let here = std::env::current_exe().unwrap();
    let folder = here.parent().and_then(Path::parent).unwrap().join("examples");
    let arguments = [path.to_str().unwrap(), &trials.to_string(), "2", &pause.to_string()];
    let mut command = Command::new(folder.join("tune_workers"));
    let child = command.args(arguments).stdout(Stdio::piped()).spawn();
    child.expect("`cargo test` builds the examples")
}

fn finished(path: &Path, trials: u64) -> Vec<(Vec<f64>, Option<f64>)> {
    let output = example(path, trials, 0).wait_with_output().unwrap();
    assert!(output.status.success());
    let text = fs::read_to_string(path).unwrap();
    let mut found: Vec<(Vec<f64>, Option<f64>)> = Vec::new();
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let id: usize = words[1].parse().unwrap();
        if words[0] == "asked" && id == found.len() {
            found.push((words[3..].iter().map(|w| w.parse().unwrap()).collect(), None));
        } else if words[0] == "told" {
            assert_eq!(found[id].1, None, "told twice");
            found[id].1 = words[2].parse().ok();
        }
    }
    found
}

#[test]
fn a_killed_process_loses_no_trial_that_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let undisturbed = finished(&folder.path().join("undisturbed"), 40);
    assert_eq!(undisturbed.len(), 40);
    let path: PathBuf = folder.path().join("killed");
    let mut kills = 0;
    for lines in [1, 4, 7, 3, 6] {
        let mut child = example(&path, 40, 3);
        let mut seen = BufReader::new(child.stdout.take().unwrap()).lines();
        (0..lines).for_each(|_| drop(seen.next()));
        // SIGKILL.
        child.kill().unwrap();
        kills += u32::from(!child.wait().unwrap().success());
    }
    assert!(kills >= 3, "{kills} were killed");
    assert_eq!(finished(&path, 40), undisturbed);
}

#[test]
fn two_processes_do_together_what_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let alone = finished(&folder.path().join("alone"), 60);
    let path = folder.path().join("shared");
    let both = [example(&path, 60, 2), example(&path, 60, 2)];
    let mut ids = Vec::new();
    for child in both {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        ids.extend(text.lines().filter_map(|line| line.parse::<u64>().ok()));
    }
    assert_eq!(ids.len(), 60, "each was evaluated once");
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>().len(), 60);
    assert_eq!(finished(&path, 60), alone);
}

#[test]
fn a_loss_that_panics_ends_the_workers() {
    let mut study = Study::new(space(), method(), settings(Mode::Rounds { size: 4 })).unwrap();
    let run = std::panic::AssertUnwindSafe(|| {
        study.run(20, 3, |trial| if trial.id() == 2 { panic!("on purpose") } else { 0.0 })
    });
    assert!(std::panic::catch_unwind(run).is_err());
    assert_eq!(study.pending(), [2]);
    study.give_back(2).unwrap();
    study.run(20, 3, |_| 0.0).unwrap();
    assert_eq!(study.trials().iter().filter(|t| t.value() == Some(0.0)).count(), 20);
}

#[derive(Debug, Clone, Copy)]
enum Call {
    Ask,
    Tell(u64, f64),
    GiveBack(u64),
    Reopen,
}

fn call() -> impl Strategy<Value = Call> {
    let value = prop_oneof![
        any::<f64>(),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MIN_POSITIVE / 4.0),
        Just(-0.0)
    ];
    prop_oneof![
        5 => Just(Call::Ask),
        5 => (0_u64..12, value).prop_map(|(id, value)| Call::Tell(id, value)),
        1 => (0_u64..12).prop_map(Call::GiveBack),
        1 => any::<u64>().prop_map(Call::GiveBack),
        1 => Just(Call::Reopen),
    ]
}

/// As many cases as the environment says, in `PROPTEST_CASES`, or 300.
fn config() -> ProptestConfig {
    let failure_persistence = None;
    let mut config = ProptestConfig { failure_persistence, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 300;
    }
    config
}

/// The method of this number among those that are quick.
fn quick(number: usize) -> Method {
    use tuners::multi_fidelity::brackets::{Arithmetic, Budgets, Sizes};
    use tuners::multi_fidelity::hyperband::HyperbandSettings;

    let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
    let budgets = Budgets { minimum: 1, maximum: 9, eta: 3, arithmetic, sizes };
    let all = Method::published(HyperbandSettings { budgets, brackets: None });
    let slow = |m: &Method| {
        let slow = ["Smbo", "GpEi", "HeboLike", "Directed", "HyperTune", "Fabolas", "Harmonica"];
        slow.iter().any(|name| format!("{m:?}").starts_with(name))
    };
    let quick: Vec<Method> = all.into_iter().filter(|m| !slow(m)).collect();
    quick[number % quick.len()]
}

proptest! {
    #![proptest_config(config())]
    /// Any calls with any values, in memory and in a file that is opened again: both say the same, nothing panics,
    /// and what was told is there.
    #[test]
    fn any_calls_are_answered(
        number in any::<usize>(),
        size in 0_usize..4,
        calls in proptest::collection::vec(call(), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study");
        let mode = if size == 0 { Mode::Asynchronous } else { Mode::Rounds { size } };
        let method = quick(number);
        let open = || Study::open(&path, space(), method, settings(mode)).unwrap();
        let mut memory = Study::new(space(), method, settings(mode)).unwrap();
        let mut file = open();
        let mut told = 0;
        for call in calls {
            match call {
                Call::Ask => prop_assert_eq!(memory.ask().unwrap(), file.ask().unwrap()),
                Call::Tell(id, value) => {
                    let (a, b) = (memory.tell(id, value), file.tell(id, value));
                    told += usize::from(a.is_ok());
                    prop_assert_eq!(a.map_err(|e| e.to_string()), b.map_err(|e| e.to_string()));
                }
                Call::GiveBack(id) => {
                    let (a, b) = (memory.give_back(id), file.give_back(id));
                    prop_assert_eq!(a.map_err(|e| e.to_string()), b.map_err(|e| e.to_string()));
                }
                Call::Reopen => {
                    drop(file);
                    file = open();
                    for id in memory.pending() {
                        memory.give_back(id).unwrap();
                    }
                }
            }
            let handed_out = |study: &Study| {
                let known = study.trials().iter().filter(|t| t.state != State::Ready);
                known.cloned().collect::<Vec<_>>()
            };
            // What is only suggested is not in the file; it is suggested again.
            prop_assert_eq!(handed_out(&memory), handed_out(&file));
        }
        let known = file.trials().iter().filter(|t| matches!(t.state, State::Told(_))).count();
        prop_assert_eq!(known, told);
    }
}
