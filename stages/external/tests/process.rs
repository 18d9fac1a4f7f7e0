//! What becomes of optimisers that behave and of those that don't. They are shell scripts.

mod common;

use std::{
    process::Command,
    time::{Duration, Instant},
};

use common::space;
use external::{Error, Optimiser, optimiser::Settings};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tuners::tuner::{Fidelity, Suggestion, Trial, Tuner};

const READY: &str = r#"read start; echo '{"type":"ready","name":"toy","version":"1.2"}'; "#;

fn start_with(script: &str, limit: Duration) -> external::Result<Optimiser> {
    let settings = Settings { seed: 7, budget: 10.0, divisor: 9, limit };
    Optimiser::start(Command::new("sh").args(["-c", script]), space(), settings)
}

fn start(script: &str) -> external::Result<Optimiser> {
    start_with(script, Duration::from_mins(1))
}

fn ask(optimiser: &mut Optimiser) -> Option<Suggestion> {
    optimiser.ask(&mut ChaCha12Rng::seed_from_u64(0))
}

/// The error after one question to an optimiser that answers it with `answer`.
fn answered(answer: &str) -> Error {
    let mut optimiser = start(&format!("{READY} read ask; {answer}; read stop")).expect("ready");
    assert_eq!(ask(&mut optimiser), None);
    assert_eq!(ask(&mut optimiser), None, "after an error nothing more is asked");
    optimiser.finish().expect_err("what went wrong")
}

#[test]
fn it_is_sent_what_the_protocol_says_and_suggests() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    let script = format!(
        r#"exec 3>{log}
           read line; echo "$line" >&3; echo '{{"type":"ready","name":"toy","version":"1.2"}}'
           read line; echo "$line" >&3
           echo '{{"type":"suggest","config":{{"kind":2,"rate":0.1,"units":3}},"divisor":3}}'
           read line; echo "$line" >&3; echo '{{"type":"told"}}'
           read line; echo "$line" >&3; echo '{{"type":"suggest","config":{{"kind":0,"rate":1,"units":8}}}}'
           read line; echo "$line" >&3; echo '{{"type":"told"}}'
           read line; echo '{{"type":"wait"}}'
           read line; echo '{{"type":"exhausted"}}'
           read line; echo "$line" >&3"#,
        log = log.display()
    );
    let mut optimiser = start(&script).expect("ready");
    assert_eq!((optimiser.name(), optimiser.version()), ("toy", "1.2"));
    let first = ask(&mut optimiser).expect("a suggestion");
    let part = Fidelity::Part { divisor: 3 };
    assert_eq!(first, Suggestion { id: 0, config: vec![0.1, 3.0, 2.0], fidelity: part });
    optimiser.tell(Trial { suggestion: first, value: 0.25 });
    let second = ask(&mut optimiser).expect("a suggestion");
    assert_eq!((second.id, second.fidelity), (1, Fidelity::FULL));
    optimiser.spent(1, 0.5);
    optimiser.tell(Trial { suggestion: second, value: f64::NAN });
    assert_eq!((ask(&mut optimiser), ask(&mut optimiser)), (None, None));
    optimiser.finish().expect("all went well");
    let log = std::fs::read_to_string(log).expect("written");
    let sent: Vec<&str> = log.lines().collect();
    assert_eq!(
        sent,
        [
            "{\"type\":\"start\",\"protocol\":1,\"space\":[\
             {\"name\":\"rate\",\"domain\":{\"kind\":\"float\",\"low\":0.001,\"high\":1.0,\"log\":true}},\
             {\"name\":\"units\",\"domain\":{\"kind\":\"int\",\"low\":1,\"high\":8}},\
             {\"name\":\"kind\",\"domain\":{\"kind\":\"categorical\",\"choices\":3}}],\
             \"seed\":7,\"budget\":10.0,\"divisor\":9}",
            r#"{"type":"ask"}"#,
            r#"{"type":"tell","id":0,"value":0.25,"cost":0.3333333333333333}"#,
            r#"{"type":"ask"}"#,
            r#"{"type":"tell","id":1,"value":null,"cost":0.5}"#,
            r#"{"type":"stop"}"#,
        ]
    );
}

#[test]
fn one_that_restarts_stays_and_another_is_started_anew() {
    // The number of the start in its process is what is suggested.
    let script = |ready: &str| {
        format!(
            r#"n=0; while read line; do case $line in
               *start*) n=$((n+1)); echo '{{"type":"ready","name":"toy","version":"1"{ready}}}';;
               *ask*) echo '{{"type":"suggest","config":{{"rate":1,"units":'$n',"kind":0}}}}';;
               *stop*) exit;;
               *) echo '{{"type":"told"}}';; esac; done"#
        )
    };
    for (ready, expected) in [(r#","restarts":true"#, [1.0, 2.0, 3.0]), ("", [1.0; 3])] {
        let (script, limit) = (script(ready), Duration::from_mins(1));
        let settings = Settings { seed: 7, budget: 10.0, divisor: 9, limit };
        let command = || {
            let mut command = Command::new("sh");
            command.args(["-c", &script]);
            command
        };
        let mut optimiser = start(&script).expect("ready");
        for (i, units) in expected.into_iter().enumerate() {
            let found = ask(&mut optimiser).expect("a suggestion");
            assert_eq!((found.id, found.config[1]), (0, units), "start {i}, {ready}");
            optimiser.tell(Trial { suggestion: found, value: 0.5 });
            optimiser = optimiser.restart(&mut command(), space(), settings).expect("ready");
        }
    }
    let mut failed = start(&format!("{READY} read ask; echo garbage; read stop")).expect("ready");
    assert_eq!(ask(&mut failed), None);
    let settings = Settings { seed: 7, budget: 1.0, divisor: 1, limit: Duration::from_mins(1) };
    let again = failed.restart(Command::new("sh").args(["-c", "exit"]), space(), settings);
    assert!(again.err().expect("the run failed").to_string().contains("garbage"));
}

#[test]
fn one_that_ends_gives_its_status_and_its_last_words() {
    let error = answered("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo word $i >&2; done; exit 3");
    let text = error.to_string();
    assert!(matches!(error, Error::Ended { request: "ask", .. }), "{text}");
    assert!(text.contains("exit status: 3"), "{text}");
    assert!(text.ends_with("\nword 11\nword 12") && !text.contains("word 2\n"), "{text}");
    let text = start("exit 0").err().expect("no answer to `start`").to_string();
    assert!(text.contains("`start`") && text.contains("wrote nothing"), "{text}");
    let missing = Optimiser::start(
        &mut Command::new("/no/such/program"),
        space(),
        Settings { seed: 0, budget: 1.0, divisor: 1, limit: Duration::from_secs(1) },
    );
    assert!(missing.err().expect("no program").to_string().contains("/no/such/program"));
}

#[test]
fn one_that_hangs_is_ended() {
    let started = Instant::now();
    let late = start_with("echo before >&2; exec sleep 600", Duration::from_millis(300));
    let error = late.err().expect("no answer");
    assert!(matches!(error, Error::Late { request: "start", .. }), "{error}");
    assert!(error.to_string().ends_with("before"), "{error}");
    assert!(started.elapsed() < Duration::from_mins(5), "it was waited for to the end");
}

#[test]
fn answers_that_are_none_are_shown_shortly() {
    let shown = [
        ("echo garbage", "no answer of the protocol"),
        ("echo", "no answer of the protocol"),
        (r"printf '\377\n'", "not UTF-8"),
        (r#"echo '{"type":"told"}'"#, "out of place: told"),
        (r#"echo '{"type":"boil"}'"#, "unknown variant `boil`"),
        (r#"echo '{"type":"suggest","config":{},"more":1}'"#, "unknown field `more`"),
        (
            r#"echo '{"type":"suggest","config":{"rate":0.1,"units":3}}'"#,
            "without a value for `kind`",
        ),
        (
            r#"echo '{"type":"suggest","config":{"rate":2,"units":3,"kind":0}}'"#,
            "a number from 0.001 to 1",
        ),
        (
            r#"echo '{"type":"suggest","config":{"rate":0.1,"units":3.5,"kind":0}}'"#,
            "a whole number from 1 to 8",
        ),
        (
            r#"echo '{"type":"suggest","config":{"rate":0.1,"units":3,"kind":3}}'"#,
            "an index from 0 to 2",
        ),
        (r#"echo '{"type":"suggest","config":{"rate":"a","units":3,"kind":0}}'"#, "rate = \"a\""),
        (
            r#"echo '{"type":"suggest","config":{"rate":NaN,"units":3,"kind":0}}'"#,
            "no answer of the protocol",
        ),
        (
            r#"echo '{"type":"suggest","config":{"x":1,"rate":0.1,"units":3,"kind":0}}'"#,
            "`x`, which is no parameter",
        ),
        (
            r#"echo '{"type":"suggest","config":{"rate":0.1,"units":3,"kind":0},"divisor":10}'"#,
            "divisor 10",
        ),
        ("head -c 3000000 /dev/zero | tr '\\0' x; echo", "longer than 1048576 bytes"),
    ];
    for (answer, expected) in shown {
        let text = answered(answer).to_string();
        assert!(text.contains(expected), "{answer}: {text}");
        assert!(text.len() < 700, "{answer}: {} bytes", text.len());
    }
    let text = answered(r#"echo '{"type":"error","message":"no budget left"}'"#).to_string();
    assert!(text.contains("says to `ask`: no budget left"), "{text}");
}

#[test]
fn one_that_talks_too_much_on_the_side_is_not_held_up() {
    let script = format!(
        "{READY} i=0; while [ $i -lt 20000 ]; do echo talking all the time >&2; i=$((i+1)); done
         read ask; echo '{{\"type\":\"exhausted\"}}'; read stop"
    );
    let mut optimiser = start(&script).expect("ready");
    assert_eq!(ask(&mut optimiser), None);
    optimiser.finish().expect("a pipe that nobody reads would have been full");
}
