//! One changed leaf among a thousand stages: only what lies downstream of it is visited.

use crate::world::{World, set};

#[test]
fn one_changed_leaf_visits_its_cone_and_nothing_else() {
    const WIDTH: usize = 100;
    const LAYERS: usize = 10;
    const LEAF: usize = 3;
    let world = World::with("layers = 2\nwidth = 2", "layers = 10\nwidth = 100");
    for i in 0..WIDTH {
        world.write(&format!("data/source-{i}.txt"), &(70 + i * i).to_string());
    }
    world.good_run(&[]);
    world.write(&format!("data/source-{LEAF}.txt"), "9000");
    // Stage (l, i) reads (l-1, i) and (l-1, i+1): a leaf is reached by more and more stages to its left.
    let name = |layer: usize, left: usize| {
        format!("toy/dag/layer={layer}/i={}", (LEAF + WIDTH - left) % WIDTH)
    };
    let cone = set((0..LAYERS).flat_map(|layer| (0..=layer).map(move |left| name(layer, left))));
    assert_eq!(cone.len(), 55);
    let plan = world.plan(&[]);
    let fresh = plan.values().filter(|state| *state == "fresh").count();
    assert_eq!(fresh, plan.len() - cone.len());
    let ran = world.good_run(&[]);
    assert_eq!(ran.executed(), cone);
    assert_eq!(ran.stages("cut_off"), set::<&str>([]));
}
