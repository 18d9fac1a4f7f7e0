use kit::claims::finding::Answer;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(3)
}

#[test]
fn recovery_needs_terms_and_minimum_in_95_of_100() {
    let judge = |wrong_terms: u32, wrong_minima: u32| {
        let row = |i| Recovered {
            support: i >= wrong_terms,
            lowest: -2.0,
            reached: if i >= 100 - wrong_minima { -1.9 } else { -2.0 },
            ..Recovered::default()
        };
        recovery(&(0..100).map(row).collect::<Vec<_>>())[0].met
    };
    assert_eq!(judge(0, 0), Some(true));
    assert_eq!(judge(5, 0), Some(true));
    assert_eq!(judge(3, 3), Some(false));
    assert_eq!(judge(6, 0), Some(false));
}

/// Errors of stage 2 as a function of level and seed; stage 1 is flat.
fn noise_table(seeds: u32, error: impl Fn(f64, u32) -> f64) -> Vec<Estimated> {
    let mut rows = Vec::new();
    for seed in 0..seeds {
        for level in (0..7).map(f64::from) {
            for (stage, error) in [(1, 5.0), (2, error(level, seed))] {
                let (sweep, features, refitted) = ("own".to_owned(), 0, error * error);
                let decides = true;
                rows.push(Estimated {
                    sweep,
                    decides,
                    level,
                    seed,
                    stage,
                    features,
                    error,
                    refitted,
                });
            }
        }
    }
    rows
}

#[test]
fn a_line_is_told_from_a_bend_and_from_chance() {
    let judge = |rows: &[Estimated]| noise(rows, &mut rng());
    let line = judge(&noise_table(20, |a, seed| 2.0 + 0.5 * a + 0.1 * f64::from(seed)));
    assert_eq!(line[0].place, "own, stage 2");
    assert_eq!((line[0].in_paper, line[0].met), (true, Some(true)));
    let estimate = line[0].estimate.unwrap();
    assert!((estimate.value - 0.5).abs() < 1e-12 && (estimate.low - 0.5).abs() < 1e-12);
    assert!(line[1].in_paper && line[2..].iter().all(|f| !f.in_paper));
    // Squared, the same errors bend; the first stage has no slope.
    assert!(line[1].effect.unwrap().0 < 1.0 - 1e-3);
    assert_eq!(line[1].met, Some(true), "so little that both readings meet the criterion");
    assert!(!line[0].text.contains("disagree"), "{}", line[0].text);
    assert_eq!((line[2].place.as_str(), line[2].met), ("own, stage 1", Some(false)));
    let bend = judge(&noise_table(20, |a, _| (a - 2.0).powi(2)));
    assert_eq!(bend[0].met, Some(false));
    let turned = judge(&noise_table(20, |a, seed| if seed < 10 { a } else { -1.1 * a }));
    assert_eq!(turned[0].met, Some(false), "the slope may be 0");
    let few = judge(&noise_table(5, |a, _| a));
    assert_eq!(few[0].met, None);
}

#[test]
fn readings_that_disagree_are_told_once() {
    // The error itself is a line; its square, the refitted one here, bends too much.
    let found = noise(&noise_table(20, |a, _| 40.0 * a - 60.0), &mut rng());
    assert_eq!((found[0].met, found[1].met), (Some(true), Some(false)));
    let told = "the criterion is met by 1 of 2 readings: they disagree, and the paper does not say which it \
                means; the power is how often all meet it where the claim is true";
    assert!(found[0].text.ends_with(told), "{}", found[0].text);
    assert!(found[1..].iter().all(|f| !f.text.contains("disagree")));
}

#[test]
fn only_sixty_variables_and_a_hundred_samples_decide_the_time() {
    let rows = [
        (60, 100, "gp-ei", 50.0),
        (60, 100, "harmonica", 0.1),
        (60, 100, "random", 0.001),
        (60, 200, "harmonica", 0.1),
        (20, 100, "gp-ei", 9.0),
        (20, 100, "harmonica", 0.1),
    ];
    let rows = rows.map(|(variables, samples, method, cpu_s)| Spent {
        variables,
        samples,
        method: method.into(),
        cpu_s,
        ..Spent::default()
    });
    let found = times(&rows, &mut rng());
    let told: Vec<_> = found.iter().map(|f| (f.place.as_str(), f.in_paper, f.met)).collect();
    assert_eq!(
        told,
        [("n = 20, 100 samples", false, Some(false)), ("n = 60, 100 samples", true, Some(true))]
    );
    assert!((found[1].estimate.unwrap().value - 500.0).abs() < 1e-9);
}

#[test]
fn times_of_fewer_than_eight_functions_decide_nothing_and_both_are_means() {
    let judge = |functions: u32| {
        let of = |seed: u32| {
            // One function takes Harmonica eleven times as long as the others.
            let fast = if seed == 0 { 0.11 } else { 0.01 };
            let slow = 20.0 + f64::from(seed % 2);
            [("gp-ei", slow), ("harmonica", fast)].map(|(method, cpu_s)| Spent {
                variables: 60,
                samples: 100,
                method: method.into(),
                seed,
                cpu_s,
                ..Spent::default()
            })
        };
        let rows: Vec<Spent> = (0..functions).flat_map(of).collect();
        times(&rows, &mut rng()).remove(0)
    };
    let eight = judge(8);
    let estimate = eight.estimate.unwrap();
    assert!((estimate.value - 20.5 / 0.0225).abs() < 1e-9 && estimate.n == 8);
    assert_eq!(
        eight.text,
        "GP-EI takes 20.5 s for 100 samples, Harmonica 0.0225 s for 100 a stage (means of 8 functions): 911 times"
    );
    assert_eq!(eight.answer(None), Answer::Yes);
    assert_eq!(judge(7).answer(None), Answer::Open);
    assert_eq!(judge(4).answer(None), Answer::Open, "four of each method are not eight");
}

#[test]
fn stability_is_open_where_functions_differ() {
    let rows =
        [(0, "lambda", true), (0, "lambda", true), (1, "lambda", false), (1, "samples", true)];
    let found = stability(&rows.map(|(seed, moved, same)| Moved {
        seed,
        stage: 1,
        moved: moved.into(),
        shared: if same { 5 } else { 3 },
        same,
        ..Moved::default()
    }));
    assert_eq!(found.iter().map(|f| f.met).collect::<Vec<_>>(), [None, Some(true)]);
    assert_eq!(found[0].estimate.unwrap().value, 0.5);
    assert!(found[0].text.ends_with("at least 3 are shared"));
}

#[test]
fn one_dummy_alone_is_one_too_many() {
    let judge = |alone: [bool; 3], chance: f64| {
        let row = |(alone, dummies)| Selected { dummies, alone, chance, ..Selected::default() };
        dummies(&alone.into_iter().zip([1, 0, 2]).map(row).collect::<Vec<_>>())[0].met
    };
    assert_eq!(judge([false, false, false], 0.6), Some(true));
    assert_eq!(judge([true, false, false], 0.6), Some(false));
    assert_eq!(judge([false, false, false], 0.01), None, "chance would do as well");
}
