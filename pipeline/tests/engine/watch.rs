//! `status --watch`: repeatedly on a terminal, once elsewhere.

use std::{fs::File, io::Read, process::Stdio};

use nix::pty::openpty;

use crate::world::World;

/// What `status --watch` writes on a terminal until it ends.
fn watched(world: &World, meanwhile: impl FnOnce()) -> String {
    let terminal = openpty(None, None).expect("a terminal");
    let mut command = world.command(&["status", "--watch"]);
    command.stdout(Stdio::from(terminal.slave)).stderr(Stdio::null());
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
    meanwhile();
    assert!(child.wait().expect("ends").success());
    reader.join().expect("reads")
}

#[test]
fn elsewhere_it_is_printed_once_though_there_is_work_to_do() {
    let world = World::new();
    let ended = world.toy(&["status", "--watch"]);
    assert_eq!(ended.code, 0);
    assert_eq!(ended.stdout, world.toy(&["status"]).stdout);
    assert!(!ended.stdout.contains('\x1b'));
}

#[test]
fn on_a_terminal_it_ends_when_all_is_up_to_date() {
    let world = World::new();
    world.good_run(&[]);
    let pages = watched(&world, || {});
    assert_eq!(pages.matches("\x1b[2J").count(), 1);
    assert!(pages.contains("nothing to do"), "{pages}");
}

#[test]
fn it_follows_a_run_in_another_process() {
    let world = World::with("sleep_ms = 0", "sleep_ms = 700");
    let pages = watched(&world, || drop(world.good_run(&["--jobs", "2"])));
    let pages: Vec<_> = pages.split("\x1b[2J").skip(1).collect();
    assert!(pages.len() > 1, "{pages:?}");
    let (last, before) = pages.split_last().expect("two pages");
    assert!(last.contains("nothing to do"), "{last}");
    assert!(before.iter().all(|page| !page.contains("nothing to do")));
    assert!(before.iter().any(|page| page.contains("running")), "{before:?}");
}
