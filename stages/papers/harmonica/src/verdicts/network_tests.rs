use kit::claims::finding::Answer;
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::tables::race::RunName;

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(5)
}

fn race(rows: &[(&str, u32, f64, f64)]) -> Vec<Raced> {
    let row = |&(method, replicate, error, cost): &(&str, u32, f64, f64)| Raced {
        run: RunName { method: method.to_owned(), replicate },
        error: Some(error),
        cost,
        ..Raced::default()
    };
    rows.iter().map(row).collect()
}

/// The finding of H5 on the first of some replicates that found the same: stage, rank, variables, weight.
fn dominant_in(replicates: u32, features: &[(u32, u32, &str, f64)]) -> Finding {
    let of = |replicate: u32| {
        features.iter().map(move |&(stage, rank, variables, weight)| Feature {
            replicate,
            stage,
            rank,
            variables: variables.to_owned(),
            weight,
            ..Feature::default()
        })
    };
    let found = dominant(&(0..replicates).flat_map(of).collect::<Vec<_>>());
    assert_eq!(found.len(), replicates as usize);
    found.into_iter().next().unwrap()
}

#[test]
fn batch_norm_must_lead_and_the_others_be_among_the_first_five() {
    let judge = |features: &[(u32, u32, &str, f64)]| dominant_in(8, features);
    let good = [
        (1, 1, "24", 6.0),
        (1, 2, "19", 3.0),
        (1, 3, "04*05", 2.0),
        (1, 4, "51", 1.0),
        (2, 1, "03", -1.0),
    ];
    let found = judge(&good);
    assert_eq!(found.met, Some(true));
    // The paper's 8.05, 3.47, 3.12 and -4.22 increase with 6, 3, 2 and -1.
    let told = "4 features shared with Table 3 (stage 1: 24, 19, 04*05; stage 2: 03), ρ = 1.00 of all their weights";
    assert!(found.text.ends_with(told), "{}", found.text);
    // The paper has -1.26 for 01: the same order, and another sign.
    let turned = judge(&[(1, 1, "24", 3.5), (1, 3, "04*05", 2.2), (2, 1, "01", 0.9)]);
    let told = "3 features shared with Table 3 (stage 1: 24, 04*05; stage 2: 01 with the other sign), ρ = 1.00 of all their weights";
    assert!(turned.text.ends_with(told), "{}", turned.text);
    let none = judge(&[(1, 1, "51", 3.5)]);
    assert!(none.text.ends_with("0 features shared with Table 3, too few for a correlation"));
    let second = [(1, 1, "19", 6.0), (1, 2, "24", 5.0), (1, 3, "04", 2.0)];
    assert_eq!(judge(&second).met, Some(false));
    // The activation does not count in a product with another variable, nor at the sixth rank.
    let product = [(1, 1, "24", 6.0), (1, 2, "19*30", 5.0), (1, 3, "04", 2.0)];
    assert_eq!(judge(&product).met, Some(false));
    let late = [(1, 1, "24", 6.0), (1, 6, "19", 5.0), (1, 3, "04", 2.0)];
    assert_eq!(judge(&late).met, Some(false));
    assert_eq!(judge(&late).estimate.unwrap().value, 2.0);
    // The features of stage 2 do not count for stage 1.
    let apart = [(1, 1, "24", 6.0), (1, 2, "19", 5.0), (2, 1, "04", 2.0)];
    assert_eq!(judge(&apart).met, Some(false));
}

#[test]
fn one_run_may_meet_table_3_and_not_contradict_it() {
    let good = [(1, 1, "24", 6.0), (1, 2, "19", 3.0), (1, 3, "04*05", 2.0)];
    let one = dominant_in(1, &good);
    assert_eq!(one.answer(None), Answer::Yes);
    assert!(one.text.ends_with("one run is enough, since features at random would not be these"));
    let missed = dominant_in(1, &good[..2]);
    assert_eq!(missed.answer(None), Answer::Open);
    assert!(missed.text.ends_with("a miss counts with 8 runs of networks"), "{}", missed.text);
    let answer = |replicates| dominant_in(replicates, &good[..2]).answer(None);
    assert_eq!((answer(7), answer(8)), (Answer::Open, Answer::No));
}

#[test]
fn a_dummy_counts_only_alone_and_where_chance_would_select_one() {
    let judge = |features: &[(usize, usize)], copies: usize| {
        let all = features.iter().cycle().take(copies * features.len());
        let row = |&(degree, dummies)| Feature { degree, dummies, ..Feature::default() };
        dummies(&all.map(row).collect::<Vec<_>>()).remove(0)
    };
    let few = judge(&[(1, 0), (2, 1), (3, 3)], 5);
    assert_eq!(few.met, None, "15 features of degree 3 mostly have none");
    assert!(few.text.ends_with("with probability 0.99"), "{}", few.text);
    // Of degree 1 and 2 there are 1830 features, 22 of them dummies alone.
    assert_eq!(judge(&[(1, 0), (2, 1)], 100).met, Some(true));
    assert_eq!(judge(&[(1, 1), (2, 1)], 1).met, Some(false), "one selected is enough");
}

#[test]
fn the_first_stage_must_take_off_a_third_and_the_last_less() {
    let judge = |courses: [[f64; 4]; 2]| {
        let of = |(replicate, course): (u32, [f64; 4])| {
            let row =
                move |(stage, error)| Average { replicate, stage, error, ..Average::default() };
            (0..).zip(course).map(row)
        };
        averages(&(0..).zip(courses).flat_map(of).collect::<Vec<_>>(), &mut rng())
    };
    let met = |found: &[Finding]| found.iter().map(|f| f.met).collect::<Vec<_>>();
    let paper = judge([[0.6, 0.3, 0.28, 0.28], [0.6, 0.4, 0.3, 0.3]]);
    assert_eq!(met(&paper), [Some(true), Some(true)]);
    let first = &paper[0];
    assert!((first.estimate.unwrap().value - 0.25 / 0.6).abs() < 1e-12);
    assert!(first.text.starts_with("average error 60.0 → 35.0 → 29.0 → 29.0 %"), "{}", first.text);
    let little = judge([[0.6, 0.43, 0.4, 0.4]; 2]);
    assert_eq!(met(&little), [Some(false), Some(true)], "less than 30%");
    let late = judge([[0.6, 0.4, 0.35, 0.1]; 2]);
    assert_eq!(met(&late), [Some(true), Some(false)], "the last takes off more");
}

#[test]
fn a_rival_is_beaten_by_lower_errors_at_a_fifth_of_its_cost() {
    let judge = |runs: u32, shift: f64, cost: f64| {
        let mut rows = Vec::new();
        for replicate in 0..runs {
            let error = 0.5 + 0.01 * f64::from(replicate);
            rows.push(("harmonica-1", replicate, error, 1.0));
            for rival in ["hyperband", "random-8x", "random", "gp-ei"] {
                rows.push((rival, replicate, error + shift, cost));
            }
        }
        let found = contest::networks(&race(&rows), &mut rng());
        let places: Vec<_> = found.iter().map(|f| f.place.as_str()).collect();
        assert_eq!(places, ["networks, hyperband", "networks, random-8x"]);
        assert_eq!(found[0].met, found[1].met);
        found[0].met
    };
    assert_eq!(judge(4, 0.2, 5.0), Some(true));
    assert_eq!(judge(4, 0.2, 4.9), Some(false));
    assert_eq!(judge(4, 0.001, 9.0), Some(false));
    assert_eq!(judge(3, 0.2, 9.0), None, "too few to tell");
}

#[test]
fn rivals_that_no_network_was_trained_for_are_named() {
    let table = race(&[("harmonica-1", 0, 0.5, 1.0), ("random", 0, 0.6, 1.0)]);
    let found = contest::networks(&table, &mut rng());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].place.as_str(), found[0].answer(None)), ("networks", Answer::Untested));
    assert!(found[0].text.contains("switched off"), "{}", found[0].text);
}

#[test]
fn only_the_papers_size_is_held_against_the_hand_tuned_network() {
    let table = race(&[
        ("harmonica-1", 0, 0.05, 1.0),
        ("harmonica-3", 0, 0.0697, 1.0),
        ("harmonica-3-long", 0, 0.04, 1.0),
        ("hand-tuned", 0, 0.07, 1.0),
    ]);
    let found = by_hand(&table, true, &mut rng()).remove(0);
    assert_eq!(found.met, Some(true));
    assert!(found.text.contains("harmonica-3 reaches 6.97 %, tuned by hand 7.00 %"));
    let small = by_hand(&table, false, &mut rng()).remove(0);
    assert_eq!((small.met, small.estimate), (None, None));
    let worse = race(&[("harmonica-3", 0, 0.07, 1.0)]);
    assert_eq!(by_hand(&worse, true, &mut rng())[0].met, Some(false));
}

#[test]
fn a_network_below_the_hand_tuned_one_counts_from_eight_runs_on() {
    let answer = |runs: u32| {
        let row = |r| ("harmonica-3", r, 0.06 + 0.0001 * f64::from(r), 1.0);
        let table = race(&(0..runs).map(row).collect::<Vec<_>>());
        by_hand(&table, true, &mut rng()).remove(0).answer(None)
    };
    assert_eq!((answer(8), answer(5), answer(1)), (Answer::Yes, Answer::Open, Answer::Open));
}

#[test]
fn transferred_configurations_are_compared_replicate_by_replicate() {
    let judge = |more: &[f64]| {
        let mut rows = Vec::new();
        for (replicate, more) in (0..).zip(more.repeat(3)) {
            let error = 0.1 * f64::from(replicate + 1);
            rows.push(("harmonica-2", replicate, error, 1.0));
            rows.push(("harmonica-2-long", replicate, 0.0, 1.0));
            rows.push(("transfer", replicate, error + more, 1.0));
        }
        transfer(&race(&rows), &mut rng()).remove(0)
    };
    let answer = |more: &[f64]| judge(more).answer(None);
    assert_eq!(answer(&[0.020, 0.022, 0.018]), Answer::Yes);
    assert_eq!(answer(&[-0.020, -0.022, -0.018]), Answer::No);
    assert_eq!(answer(&[0.02, -0.02, 0.01]), Answer::Open);
    assert_eq!(answer(&[0.02, 0.021]), Answer::Open, "six pairs are too few");
    assert!((judge(&[0.02, 0.04]).estimate.unwrap().value - 0.03).abs() < 1e-12);
}

/// The findings of H4 on stage 1 from what is moved, and from replicates whether features stay the same.
fn stable_in(moved: &'static str, same: &[bool]) -> Finding {
    let row = |(replicate, same): (u32, &bool)| Moved {
        replicate,
        stage: 1,
        moved: moved.into(),
        shared: if *same { 5 } else { 3 },
        same: *same,
        ..Moved::default()
    };
    stability(&(0..).zip(same).map(row).collect::<Vec<_>>()).remove(0)
}

#[test]
fn features_must_be_the_same_in_every_replicate() {
    let answer = |same: &[bool]| stable_in("lambda", same).answer(None);
    assert_eq!((answer(&[true; 8]), answer(&[false; 8])), (Answer::Yes, Answer::No));
    // If they change in some replicates, there is no answer.
    let most = stable_in("lambda", &[[true; 7].as_slice(), &[false]].concat());
    assert_eq!(most.answer(None), Answer::Open);
    assert!(most.text.ends_with("in 7 of 8 replicates; at least 3 are shared"), "{}", most.text);
}

#[test]
fn one_run_gives_no_answer_about_table_1() {
    let answer = |same: &[bool]| stable_in("samples", same).answer(None);
    assert_eq!(
        (answer(&[true]), answer(&[false]), answer(&[true; 7])),
        (Answer::Open, Answer::Open, Answer::Open)
    );
    let told = "in 1 of 1 replicates; at least 5 are shared; an answer needs 8 runs of networks, and α stays as samples are left out, not λ";
    let found = stable_in("samples", &[true]);
    assert!(found.text.ends_with(told), "{}", found.text);
}
