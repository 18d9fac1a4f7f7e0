//! Tests of Figure 1's claim.

use std::collections::BTreeMap;

use kit::claims::finding::Answer;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::verdicts::{evidence::Place, line::MONOTONE};

fn place(task: &str) -> Place {
    Place {
        task: task.to_owned(),
        learner: task.to_owned(),
        claim: None,
        methods: Vec::new(),
        published: BTreeMap::new(),
        figure: None,
        complexity: true,
        scaled_down: false,
        reduced: Vec::new(),
    }
}

/// Eight repeats of these learners, whose subset has its optimum at 0.4 of the way and the whole at 0.6; in the subset
/// searches the lowest errors are lower than on the line by `lead`.
fn evidence(learners: &[&str], lead: f64) -> Evidence {
    let mut evidence = Evidence::new(&learners.iter().map(|task| place(task)).collect::<Vec<_>>());
    for task in learners {
        for repeat in 0..8 {
            let noise = 0.002 * f64::from(repeat);
            let error = |at: f64, best: f64| 0.2 + (at - best).abs() + noise;
            let point = |i: u32| {
                let at = f64::from(i) / 10.0;
                (at, error(at, 0.4), error(at, 0.6))
            };
            let ways = evidence.ways.entry((*task).to_owned()).or_default();
            ways.insert(repeat, (0..=10).map(point).collect());
            // Two searches, whose mean counts; their scatter over repeats is not that of the line.
            let lowest = 0.2 + noise * 1.1 - lead;
            let found = vec![lowest - 0.01, lowest + 0.01];
            evidence.searches.insert(((*task).to_owned(), repeat), found);
        }
    }
    evidence
}

fn answers(findings: &[Finding]) -> Vec<Answer> {
    findings.iter().map(|finding| finding.answer(None)).collect()
}

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(1)
}

#[test]
fn an_optimum_off_the_line_leaves_its_place_open_and_the_rise_decided() {
    let found = rises(&evidence(&["a", "b", "c"], 0.0), &mut rng());
    assert_eq!(answers(&found), [Answer::Yes; 6]);
    assert!(found[0].text.starts_with("optimum of subsets at 0.40, of the whole at 0.60"));
    let found = rises(&evidence(&["a", "b", "c"], 0.1), &mut rng());
    assert_eq!(answers(&found), [Answer::Open, Answer::Yes].repeat(3));
    let text = &found[0].text;
    assert!(text.starts_with("the subset's optimum is not on this line: "), "{text}");
    // The mean of the repeats' noise is 0.007 on the line, and 0.0077 in the searches.
    assert!(
        text.contains("0.207 along the line and 0.108 in subset searches, lower by 0.099"),
        "{text}"
    );
    // Searches that end higher than the line does say that the line is good enough.
    let found = rises(&evidence(&["a", "b", "c"], -0.1), &mut rng());
    assert_eq!(answers(&found), [Answer::Yes; 6]);
    // Without searches nothing says that the line passes the optimum.
    let mut without = evidence(&["a", "b", "c"], 0.0);
    without.searches.clear();
    assert_eq!(answers(&rises(&without, &mut rng())), [Answer::Open, Answer::Yes].repeat(3));
}

#[test]
fn fewer_learners_than_the_criterion_names_meet_it_nowhere() {
    let found = rises(&evidence(&["a", "b"], 0.0), &mut rng());
    assert_eq!(answers(&found)[4..], [Answer::Untested]);
    assert_eq!(found[4].text, "the criterion asks for 3 learners, and 2 were measured");
}

#[test]
fn in_the_world_with_the_effect_the_line_passes_the_optimum() {
    let level = |place: &str, claimed: f64, absent: Option<f64>| Level {
        place: Some(place.to_owned()),
        claimed: Some(claimed),
        deviations: None,
        absent,
        kind: None,
    };
    let levels = [level(SIMPLER, 0.3, None), level(RISES, 1.0, Some(0.0))];
    let off = evidence(&["a", "b", "c"], 0.1);
    let mut rng = rng();
    let met = |world, rng: &mut ChaCha12Rng| {
        let found = simulated(&off, &levels, world, rng).unwrap();
        answers(&found).iter().all(|answer| *answer == Answer::Yes)
    };
    let claimed = (0..40).filter(|_| met(World::Claimed, &mut rng)).count();
    // A lead of the searches by chance, one in forty of each learner, leaves the answer open.
    assert!(claimed > 25, "{claimed} of 40");
    assert!((0..40).all(|_| !met(World::Absent, &mut rng)));
    assert!(simulated(&off, &levels[..1], World::Claimed, &mut rng).is_none());
}

/// Eight repeats whose optima lie on the same point contradict nothing: between the points they may differ.
#[test]
fn optima_are_known_to_the_distance_of_points() {
    let mut all = Evidence::new(&[place("a")]);
    let way: Way = vec![(0.0, 0.9, 0.8), (0.1, 0.4, 0.3), (0.2, 0.5, 0.6)];
    for repeat in 0..8 {
        all.ways.entry("a".to_owned()).or_default().insert(repeat, way.clone());
        all.searches.insert(("a".to_owned(), repeat), vec![0.4]);
    }
    let found = rises(&all, &mut rng()).remove(0);
    let estimate = found.estimate.unwrap();
    assert_eq!((estimate.low, estimate.value, estimate.high), (-0.1, 0.0, 0.1));
    assert_eq!(found.answer(None), Answer::Open);
}

#[test]
fn optima_and_the_rise_up_to_the_subsets() {
    // Errors of subsets have their minimum at 0.5, of the whole at 0.75.
    let way = |bump: f64| -> Way {
        vec![
            (0.0, 0.9, 0.8),
            (0.25, 0.5, 0.6 + bump),
            (0.5, 0.4, 0.5),
            (0.75, 0.6, 0.2),
            (1.0, 0.7, 0.3),
        ]
    };
    assert_eq!(measured(&way(0.0)), (0.5, 0.75, 1.0));
    assert!(measured(&way(0.3)).2 < MONOTONE);
    let both = [way(0.0), way(0.3)];
    let middle = mean_way(&both.iter().collect::<Vec<_>>());
    assert!((middle[1].2 - 0.75).abs() < 1e-12 && middle[1].0 == 0.25);
    // There are no points before an optimum at the simplest point.
    assert!(measured(&vec![(0.0, 0.1, 0.5), (1.0, 0.2, 0.4)]).2.is_nan());
}
