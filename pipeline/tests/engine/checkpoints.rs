//! What a stage keeps for its next attempt.

use crate::world::World;

fn kept(world: &World) -> usize {
    let folder = world.path("artifacts/store/v1/checkpoints");
    let keys = std::fs::read_dir(folder).into_iter().flatten().flatten();
    keys.map(|key| std::fs::read_dir(key.path()).expect("a folder").count()).sum()
}

#[test]
fn an_attempt_goes_on_from_the_last_ones_checkpoint_which_then_goes() {
    let world = World::odd("resume", 60, 0);
    for steps in 1..=2 {
        let ran = world.run(&["toy/odd/x"]);
        assert_eq!(ran.ended.code, 1);
        assert_eq!(kept(&world), steps);
        // It belongs to something that still has to be computed.
        assert_eq!(world.toy(&["gc"]).code, 0);
        assert_eq!(kept(&world), steps);
    }
    world.good_run(&["toy/odd/x"]);
    assert_eq!(kept(&world), 0);
}

#[test]
fn a_retry_goes_on_too() {
    let world = World::odd("resume", 60, 2);
    assert_eq!(world.good_run(&["toy/odd/x"]).starts("toy/odd/x"), 3);
}

#[test]
fn a_confined_stage_keeps_checkpoints() {
    let world = World::odd("resume", 60, 2);
    world.good_run(&["toy/odd/x", "--sandbox"]);
}

#[test]
fn checkpoints_of_what_nobody_wants_are_garbage() {
    let world = World::odd("resume", 60, 0);
    world.run(&["toy/odd/x"]);
    assert_eq!(kept(&world), 1);
    let store = world.path("artifacts/store/v1");
    let key = std::fs::read_dir(store.join("checkpoints")).expect("a folder").next();
    let key = key.expect("a key").expect("a folder").file_name().into_string().expect("a digest");
    // A stage may have folders there, and a cluster leaves attempts that nobody collects.
    let more = [
        format!("checkpoints/{key}/round-1/member-0/weights"),
        format!("jobs/attempts/{key}.0/try-1/main"),
        format!("jobs/ended/{key}.0.json"),
    ];
    for file in more.iter().map(|file| store.join(file)) {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, "x").expect("written");
    }
    assert_eq!(world.toy(&["gc"]).code, 0);
    assert!(more.iter().all(|file| store.join(file).exists()));
    world.edit("does = \"resume\"", "does = \"ok\"");
    assert_eq!(world.toy(&["gc"]).code, 0);
    assert_eq!(kept(&world), 0);
    assert!(!more.iter().any(|file| store.join(file).exists()));
}
