//! Options that are given in the environment. A variable that is set to an empty string counts as unset.

use crate::world::{Ended, World};

fn toy_in(world: &World, args: &[&str], name: &str, value: &str) -> Ended {
    world.command(args).env(name, value).output().expect("starts").into()
}

#[test]
fn a_profile_set_to_nothing_is_the_programs_own() {
    let world = World::new();
    let plan = |value| toy_in(&world, &["status", "--json"], "PROFILE", value);
    let own = world.toy(&["status", "--json"]);
    assert_eq!((own.code, plan("").code), (0, 0), "{:?}", plan(""));
    assert_eq!(plan("").stdout, own.stdout);
    let wide = plan("wide");
    assert!(wide.code == 0 && wide.stdout != own.stdout, "{wide:?}");
    assert_eq!(plan("narrow").code, 2);
}

#[test]
fn jobs_set_to_nothing_are_all_cores() {
    let world = World::new();
    let run = |value| toy_in(&world, &["run", "--profile", "full"], "JOBS", value);
    let ran = run("");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(run("1").code, 0);
    let refused = run("many");
    assert!(refused.code == 2 && refused.stderr.contains("--jobs"), "{refused:?}");
    // The command line takes precedence.
    let said = toy_in(&world, &["run", "--jobs", "1"], "JOBS", "many");
    assert_eq!(said.code, 0, "{said:?}");
}
