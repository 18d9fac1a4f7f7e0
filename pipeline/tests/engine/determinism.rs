//! The same key gives the same bytes, however the stages were run.

use crate::world::World;

fn digests(args: &[&str], worker: bool) -> std::collections::BTreeMap<String, String> {
    let world = World::new();
    if worker {
        world.edit("worker = false", "worker = true");
    }
    world.good_run(args);
    world.digests()
}

#[test]
fn the_number_of_jobs_does_not_matter() {
    let one = digests(&["--jobs", "1"], false);
    assert_eq!(one.len(), 19);
    assert_eq!(one, digests(&["--jobs", "4"], false));
}

#[test]
fn a_worker_process_writes_the_same_bytes_as_a_thread() {
    assert_eq!(digests(&[], false), digests(&["--jobs", "4"], true));
}

#[test]
fn computing_again_gives_the_same_bytes() {
    let world = World::with("worker = false", "worker = true");
    world.good_run(&[]);
    let before = world.digests();
    let times = |world: &World| world.toy(&["show", "toy/a/times-2/split=0", "--output", "times"]);
    let measured = times(&world).stdout;
    let forced = world.good_run(&["--force", "toy"]);
    assert_eq!(forced.executed().len(), before.len());
    assert_eq!(world.digests(), before);
    assert_ne!(times(&world).stdout, measured, "a measured output is another process's");
    assert_eq!(world.toy(&["verify", "--deep"]).code, 0);
}
