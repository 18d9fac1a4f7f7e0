//! Errors name the place and the remedy, lose nothing that was done, and are never a panic.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::world::{CONFIG, World, set};

#[test]
fn a_file_that_shrinks_while_it_is_hashed_ends_nobody() {
    let world = World::new();
    let file = std::fs::File::create(world.path("data/a.txt")).expect("can be made");
    let done = AtomicBool::new(false);
    let codes = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                file.set_len(8 << 20).and_then(|()| file.set_len(0)).expect("can be resized");
            }
        });
        let codes: Vec<_> = (0..30).map(|_| world.toy(&["plan"]).code).collect();
        done.store(true, Ordering::Relaxed);
        codes
    });
    assert_eq!(codes, [0; 30], "a signal's code is -1");
}

#[test]
fn who_reads_no_further_hears_no_complaint() {
    let world = World::new();
    for args in [["completions", "bash"], ["graph", "--format=dot"], ["plan", "--json"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let mut command = world.command(&args);
        let child = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn();
        drop((command, reader));
        let ended = child.and_then(std::process::Child::wait_with_output).expect("runs");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!((ended.status.code(), &*said), (Some(0), ""), "{args:?}");
    }
}

/// The line of the standard config that starts with `start`.
fn line(start: &str) -> usize {
    CONFIG.lines().position(|l| l.starts_with(start)).expect("is there") + 1
}

#[track_caller]
fn refused(world: &World, args: &[&str], code: i32, stderr: &str) {
    let ended = world.toy(args);
    assert_eq!((ended.code, ended.stderr.as_str()), (code, stderr));
}

#[test]
fn a_cycle_names_its_path() {
    let world = World::with("seed = 1", "seed = 1\ncycle = true");
    refused(
        &world,
        &["plan"],
        2,
        "error: the stages form a cycle: toy/loop ← toy/report ← toy/loop\n\
         help: remove one of these inputs; `a ← b` means that a reads b\n",
    );
}

#[test]
fn names_of_stages_take_no_markup_and_no_control_characters() {
    for (key, shown) in
        [("<script>x</script>", "'<'"), ("a\\u001b[2J", "'\\u{1b}'"), ("a b", "' '")]
    {
        let world = World::with("sets = [\"a\", \"b\"]", &format!("sets = [\"{key}\", \"b\"]"));
        for verb in ["plan", "graph", "status"] {
            let ended = world.toy(&[verb]);
            assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{key}");
            let named = ended.stderr.starts_with("error: the name of stage ");
            assert!(named && ended.stderr.contains(shown), "{key}: {}", ended.stderr);
            assert!(!ended.stderr.contains('\u{1b}'), "no escape reaches the terminal");
        }
    }
}

#[test]
fn more_stages_than_are_allowed_are_refused_before_they_are_made() {
    let world = World::with("splits = 2", "splits = 1000000000");
    let ended = world.toy(&["plan", "--max-stages", "1000"]);
    assert_eq!(ended.code, 2);
    let said = "error: the configs ask for more than 1000 stages\n";
    assert!(ended.stderr.starts_with(said), "{}", ended.stderr);
    let world = World::new();
    let stages = world.plan(&[]).len().to_string();
    assert_eq!(world.toy(&["plan", "--max-stages", &stages]).code, 0);
}

#[test]
fn a_misspelt_key_is_named_with_its_line() {
    let world = World::with("below = 100", "belov = 100");
    let n = line("below");
    let ended = world.toy(&["run"]);
    assert_eq!(ended.code, 2);
    let start =
        format!("error: configs/toy.toml:{n}: `belov`: unknown field `belov`, expected one of");
    assert!(ended.stderr.starts_with(&start), "{}", ended.stderr);
    assert!(!world.path("artifacts").exists(), "nothing was touched");
}

#[test]
fn a_wrong_type_is_named_with_its_line() {
    let world = World::with("below = 100", "below = \"many\"");
    let n = line("below");
    let said = format!(
        "error: configs/toy.toml:{n}: `below`: invalid type: string \"many\", expected i64\n"
    );
    refused(&world, &["run"], 2, &said);
}

#[test]
fn a_missing_key_is_named() {
    let world = World::with("label = 0\n", "");
    refused(&world, &["run"], 2, "error: configs/toy.toml: `.`: missing field `label`\n");
}

#[test]
fn not_a_number_is_refused() {
    let world = World::with("below = 100", "below = nan");
    let n = line("below");
    let said = format!("error: configs/toy.toml:{n}: `below`: expected a number, not nan\n");
    refused(&world, &["run"], 2, &said);
}

#[test]
fn a_value_out_of_range_is_named_with_its_line() {
    let world = World::with("below = 100", "below = -3");
    let n = line("below");
    let said = format!("error: configs/toy.toml:{n}: `below`: must be positive\n");
    refused(&world, &["run"], 2, &said);
    let world = World::new();
    refused(&world, &["run", "--set", "below=0"], 2, "error: --set below: must be positive\n");
}

#[test]
fn text_that_is_no_toml_is_named_with_its_line() {
    let world = World::with("label = 0", "label = = 0");
    let ended = world.toy(&["run"]);
    assert_eq!(ended.code, 2);
    let start = format!("error: configs/toy.toml:{}: ", line("label"));
    assert!(ended.stderr.starts_with(&start), "{}", ended.stderr);
}

#[test]
fn an_unknown_stage_gets_a_suggestion() {
    let said = "error: no stage is named `toy/reprot`; did you mean `toy/report`?\n\
                help: `retune status` lists the stages\n";
    for args in [["run", "toy/reprot"], ["why", "toy/reprot"], ["plan", "toy/reprot"]] {
        refused(&World::new(), &args, 2, said);
    }
}

#[test]
fn an_unknown_profile_lists_those_there_are() {
    refused(
        &World::new(),
        &["run", "--profile", "ful"],
        2,
        "error: configs/toy.toml: no profile `ful`\nhelp: it has: full, wide\n",
    );
}

#[test]
fn an_unknown_override_gets_a_suggestion() {
    refused(
        &World::new(),
        &["run", "--set", "belov=1"],
        2,
        "error: --set belov: no config has this key; did you mean `below`?\n",
    );
}

#[test]
fn a_missing_config_and_a_missing_data_file_are_named() {
    let world = World::new();
    let said = "error: cannot read elsewhere/toy.toml: No such file or directory (os error 2)\n";
    refused(&world, &["run", "--configs", "elsewhere"], 3, said);
    std::fs::remove_file(world.path("data/b.txt")).expect("is there");
    let said = "error: cannot inspect data/b.txt: No such file or directory (os error 2)\n";
    refused(&world, &["run"], 3, said);
}

#[test]
fn data_of_the_wrong_form_fail_their_stage_only() {
    let world = World::new();
    world.write("data/b.txt", "many");
    let ran = world.run(&[]);
    assert_eq!((ran.ended.code, ran.summary("failed")), (1, set(["toy/b/data"])));
    assert!(ran.summary("executed").contains("toy/a/times-2/split=0"));
    assert!(ran.ended.stdout.contains("data/b.txt: invalid digit"), "the message names the file");
}

#[test]
fn data_that_change_under_a_stage_are_never_taken_for_the_old_ones() {
    let world = World::new();
    world.edit("sets = [\"a\", \"b\"]", "sets = [\"slow\"]");
    // The stage reads from a pipe: between planning and the end of reading, another file takes
    // its place.
    world.write("data/slow.txt", "1");
    world.good_run(&["toy/slow/data"]);
    for i in 0..40 {
        world.write("data/slow.txt", &format!("{}", i % 2 + 5));
        let child = world.start(&["toy/slow/data"]);
        std::thread::sleep(std::time::Duration::from_micros(300 * i));
        world.write("data/slow.txt", &format!("{}", i % 2 + 7));
        let ran = World::finish(child);
        assert!(ran.ended.code <= 1, "{}", ran.ended.stderr);
        for content in [5, 6, 7, 8] {
            world.write("data/slow.txt", &content.to_string());
            if world.plan(&["toy/slow/data"])["toy/slow/data"] == "fresh" {
                world.good_run(&["toy/slow/data"]);
                assert_eq!(world.value("toy/slow/data"), content);
            }
        }
    }
}
