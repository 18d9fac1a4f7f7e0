//! The time left of simulated runs.

use serde::{Deserialize, Serialize};

use super::*;
use crate::{
    graph::Builder,
    stage::{Context, Stage, Stop},
    work::{Inputs, Work},
};

#[derive(Serialize, Deserialize)]
struct Idle {}

impl Stage for Idle {
    const KIND: &'static str = "idle";
    const MODULE: &'static str = "pace::idle";

    fn run(&self, _: &mut Context) -> Result<(), Stop> {
        Err(Stop::Failed("is never run".to_owned()))
    }
}

impl Work for Idle {
    fn work(&self, _: &Inputs) -> f64 {
        1.0
    }
}

/// Stages 0 to `n` that wait for nothing, or each for the one before.
fn graph(n: usize, chained: bool) -> Graph {
    let mut kinds = Kinds::default();
    kinds.add::<Idle>(&[]);
    let mut builder = Builder::new(&kinds);
    for i in 0..n {
        let draft = builder.add(i.to_string(), &Idle {}).expect("is registered");
        if chained && i > 0 {
            draft.input("before", (i - 1).to_string());
        }
    }
    builder.build().expect("has no cycle")
}

/// A run of `n` stages of one operation each, which take this long according to the records.
fn pace(n: usize, before_s: Option<f64>, lanes: f64) -> Pace {
    let recorded = before_s.is_some();
    Pace {
        groups: vec![Own { before_s, ..Own::default() }],
        tasks: vec![Some(Task { group: 0, work: Some(1.0), recorded, threads: 1.0 }); n],
        lanes,
        ..Pace::default()
    }
}

fn seconds(left: Left) -> f64 {
    left.seconds.expect("enough is known")
}

fn near(found: f64, wanted: f64) -> bool {
    (found / wanted).ln().abs() < 0.1
}

#[test]
fn what_is_left_is_shared_by_the_slots_but_for_a_chain() {
    let apart = pace(100, Some(6.0), 2.0).left(&graph(100, false), 0.0);
    assert!((seconds(apart) - 300.0).abs() < 1e-6, "{apart:?}");
    let chained = pace(100, Some(6.0), 2.0).left(&graph(100, true), 0.0);
    assert!((seconds(chained) - 600.0).abs() < 1e-6, "{chained:?}");
}

#[test]
fn stages_that_turn_out_slower_make_it_longer() {
    let graph = graph(100, false);
    let mut pace = pace(100, Some(6.0), 1.0);
    for i in 0..10 {
        pace.start(Id::new(i), 60.0 * i as f64);
        pace.finish(Id::new(i), 60.0);
        pace.forget(Id::new(i));
    }
    let left = seconds(pace.left(&graph, 600.0));
    assert!(near(left, 90.0 * 60.0), "{left}");
}

#[test]
fn other_kinds_are_taken_to_be_slower_too() {
    let graph = graph(20, false);
    let mut pace = pace(20, Some(10.0), 1.0);
    pace.groups.push(Own { before_s: Some(100.0), ..Own::default() });
    for task in pace.tasks[10..].iter_mut().flatten() {
        task.group = 1;
    }
    for i in 0..10 {
        pace.finish(Id::new(i), 30.0);
        pace.forget(Id::new(i));
    }
    let left = seconds(pace.left(&graph, 300.0));
    assert!(near(left, 10.0 * 300.0), "{left}");
}

#[test]
fn a_stage_that_is_late_tells_before_it_ends() {
    let graph = graph(10, false);
    let mut pace = pace(10, Some(6.0), 1.0);
    pace.start(Id::new(0), 0.0);
    let at = |pace: &Pace, now_s| seconds(pace.left(&graph, now_s));
    assert!(at(&pace, 3.0) < at(&pace, 0.0), "time passes");
    let (minute, hour) = (at(&pace, 60.0), at(&pace, 3600.0));
    assert!(minute > 9.0 * 60.0 && hour > 9.0 * 3600.0, "{minute} {hour}");
    pace.finish(Id::new(0), 3600.0);
    pace.forget(Id::new(0));
    assert!(at(&pace, 3600.0) > 9.0 * 1800.0);
}

#[test]
fn slots_that_were_never_in_use_are_not_counted_on() {
    let graph = graph(100, false);
    let mut pace = pace(100, Some(10.0), 8.0);
    // One at a time, for example because memory is short.
    for i in 0..50 {
        pace.finish(Id::new(i), 10.0);
        pace.forget(Id::new(i));
    }
    let left = seconds(pace.left(&graph, 500.0));
    assert!(near(left, 500.0), "{left}");
}

#[test]
fn what_is_not_known_is_not_made_up() {
    let graph = graph(10, false);
    let mut unknown = pace(10, None, 1.0);
    assert_eq!(unknown.left(&graph, 0.0), Left { seconds: None, between: None, unknown: 10 });
    // Once one has ended, the kind is known.
    unknown.finish(Id::new(0), 5.0);
    unknown.forget(Id::new(0));
    let left = unknown.left(&graph, 5.0);
    assert!(near(seconds(left), 45.0) && left.unknown == 0, "{left:?}");
    // A few of another kind: the time is a lower bound.
    unknown.groups.push(Own::default());
    for task in unknown.tasks[7..].iter_mut().flatten() {
        task.group = 1;
    }
    let left = unknown.left(&graph, 5.0);
    assert!(near(seconds(left), 30.0) && left.unknown == 3, "{left:?}");
    // If they are most of what is left, no time is given.
    for i in 1..6 {
        unknown.forget(Id::new(i));
    }
    assert_eq!(unknown.left(&graph, 5.0), Left { seconds: None, between: None, unknown: 3 });
    // Records of far smaller stages do not help either.
    let mut small = pace(10, Some(1.0), 1.0);
    for task in small.tasks[6..].iter_mut().flatten() {
        task.recorded = false;
    }
    let left = small.left(&graph, 0.0);
    assert!(near(seconds(left), 6.0) && left.unknown == 4, "{left:?}");
}
