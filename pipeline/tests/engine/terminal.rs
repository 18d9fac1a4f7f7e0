//! What commands write on a terminal: lines of its width, colours, the table of a run; and that none of it is written
//! elsewhere.

use std::{
    fs::{self, File},
    io::Read,
    process::Stdio,
};

use nix::pty::{Winsize, openpty};

use crate::world::World;

/// What a command writes on a terminal of this width, to both streams.
fn on_terminal(world: &World, args: &[&str], width: u16, set: &[(&str, &str)]) -> String {
    let size = Winsize { ws_row: 40, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).expect("a terminal");
    let mut command = world.command(args);
    // Continuous-integration systems set `CI`, which says that a terminal shows colours whatever `TERM` says.
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(variable);
    }
    command.env("TERM", "xterm").envs(set.iter().copied());
    let both = terminal.slave.try_clone().expect("a second handle");
    command.stdout(Stdio::from(terminal.slave)).stderr(Stdio::from(both));
    let mut child = command.spawn().expect("starts");
    drop(command); // otherwise this process would keep the terminal open
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        let mut terminal = File::from(terminal.master);
        // Reading a terminal that its last user has closed ends in an error.
        while let Ok(n @ 1..) = terminal.read(&mut part) {
            bytes.extend_from_slice(&part[..n]);
        }
        String::from_utf8(bytes).expect("UTF-8")
    });
    child.wait().expect("ends");
    reader.join().expect("reads")
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0)
}

#[test]
fn lines_fit_the_terminal_unless_they_may_be_long() {
    let world = World::new();
    world.good_run(&[]);
    for args in [&["status", "toy"][..], &["log", "toy/report"], &["rates"]] {
        let plain = [("NO_COLOR", "1")];
        let narrow = on_terminal(&world, args, 60, &plain);
        let wide = on_terminal(&world, &[args, &["--wide"]].concat(), 60, &plain);
        // A key is one word of 64 digits, and broken.
        assert!(widest(&narrow) <= 60 && widest(&wide) > 60, "{args:?}: {narrow}\n{wide}");
        assert_eq!(
            narrow.split_whitespace().collect::<String>(),
            wide.split_whitespace().collect::<String>()
        );
    }
}

#[test]
fn colours_are_for_terminals_that_are_not_told_otherwise() {
    let world = World::new();
    world.good_run(&["toy/a/data"]);
    for args in [["status", "toy"], ["plan", "toy"], ["why", "toy/*"]] {
        assert!(on_terminal(&world, &args, 100, &[]).contains("\x1b[3"), "{args:?}");
        for set in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let told = on_terminal(&world, &args, 100, &[set]);
            assert!(!told.contains('\x1b'), "{args:?} {set:?}: {told}");
        }
        let ended = world.toy(&args);
        assert!(!ended.stdout.contains('\x1b'), "no terminal: {}", ended.stdout);
    }
}

#[test]
fn a_run_shows_what_is_running_unless_it_is_told_to_be_plain() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 300");
    let shown = on_terminal(&world, &["run", "--jobs", "2"], 140, &[]);
    for part in ["toy/a/times-2/split=0", " stages · 2 running", " MiB"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let plain = on_terminal(&world, &["run", "--jobs", "2", "--plain", "--force", "*"], 140, &[]);
    assert!(plain.contains(" stages computed, ") && !plain.contains('\x1b'), "{plain}");
}

#[test]
fn show_and_log_take_patterns() {
    let world = World::new();
    world.good_run(&[]);
    let rows = world.toy(&["show", "toy/*/draw/*", "--csv"]).stdout;
    let stages: Vec<_> = rows.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    let wanted = ["a/draw/split=0", "a/draw/split=1", "b/draw/split=0", "b/draw/split=1"];
    assert_eq!(stages, wanted.map(|stage| format!("toy/{stage}")));
    assert!(rows.starts_with("stage,value\n"), "{rows}");
    let json = world.toy(&["show", "toy/a/draw", "--json"]).stdout;
    assert!(json.starts_with("{\"stage\":\"toy/a/draw/split=0\",\"value\":"), "{json}");
    let paths = world.toy(&["show", "toy/a", "--path"]).stdout;
    assert_eq!(paths.lines().count(), 1 + 2 * (1 + 2));
    assert!(paths.lines().all(|path| fs::metadata(world.path(path)).is_ok()), "{paths}");
    let tables = world.toy(&["show", "toy/*/split=*"]).stdout;
    assert_eq!(tables.matches("| value").count(), 12);
    assert!(tables.contains("toy/a/draw/split=0\n+-"), "{tables}");
    let logged = world.toy(&["log", "toy/a"]).stdout;
    assert_eq!(logged.lines().count(), 7, "{logged}");
    let one = world.toy(&["log", "toy/rep*"]).stdout;
    assert!(one.starts_with("toy/report (mix)\n"), "{one}");
}

#[test]
fn a_diff_is_of_one_profile_and_begins_with_what_is_concluded_otherwise() {
    let world = World::new();
    world.good_run(&[]);
    let before = world.value("toy/report");
    world.edit("below = 100", "below = 7");
    world.good_run(&[]);
    let after = world.value("toy/report");
    world.good_run(&["--profile", "wide"]);
    let lone = world.toy(&["diff"]);
    assert!(lone.code == 2 && lone.stderr.contains("under profile wide"), "{}", lone.stderr);
    let diff = world.toy(&["diff", "--profile", "full"]);
    let lines: Vec<&str> = diff.stdout.lines().collect();
    assert_eq!(lines[0], "run 1 (full) → run 2 (full)", "{}", diff.stderr);
    assert!(lines[1].contains(" stages changed, of these "), "{}", diff.stdout);
    assert_eq!(lines[2..4], ["verdicts that moved:", &format!("  toy/report: {before} → {after}")]);
    assert!(diff.stdout.contains("moved    toy/a/draw/split=* (2 stages)"), "{}", diff.stdout);
    assert_eq!(world.toy(&["diff", "1"]).stdout, diff.stdout);
    let all = world.toy(&["diff", "1", "2", "--all"]).stdout;
    assert!(all.contains("moved    toy/a/draw/split=1\n"), "{all}");
}

#[test]
fn the_manual_has_examples_environment_and_exit_status() {
    let world = World::new();
    assert_eq!(world.toy(&["man", "man1"]).code, 0);
    let pages: Vec<_> = fs::read_dir(world.path("man1")).expect("is there").flatten().collect();
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        let text = fs::read_to_string(page.path()).expect("is there");
        let name = page.file_name().to_string_lossy().into_owned();
        for title in ["ENVIRONMENT", "EXIT STATUS"] {
            assert!(
                text.contains(&format!(".SH \"{title}\""))
                    || text.contains(&format!(".SH {title}")),
                "{name}: {title}"
            );
        }
        assert!(text.contains(".SH EXAMPLES"), "{name}");
    }
    let help = world.toy(&["why", "--help"]).stdout;
    assert!(help.contains("Examples:\n  toy why 'toy/*/split=0' --profile paper\n"), "{help}");
}

#[test]
fn a_config_that_the_program_was_not_built_with_is_named() {
    let world = World::new();
    world.write("configs/random_search.toml", "");
    let ended = world.toy(&["run", "random_search"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("build it again (`cargo build --release`)"), "{}", ended.stderr);
    assert!(!world.toy(&["run", "nosuch"]).stderr.contains("build it again"));
}
