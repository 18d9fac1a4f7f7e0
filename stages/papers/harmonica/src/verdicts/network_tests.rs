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

#[test]
fn batch_norm_must_lead_and_the_others_be_among_the_first_five() {
    let judge = |features: &[(u32, u32, &str, f64)]| {
        let row = |&(stage, rank, variables, weight): &(u32, u32, &str, f64)| Feature {
            stage,
            rank,
            variables: variables.to_owned(),
            weight,
            ..Feature::default()
        };
        dominant(&features.iter().map(row).collect::<Vec<_>>()).remove(0)
    };
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

#[test]
fn features_must_be_the_same_in_every_replicate() {
    let rows = [(0, "lambda", true, 5), (1, "lambda", false, 3), (0, "samples", true, 5)];
    let found = stability(&rows.map(|(replicate, moved, same, shared)| Moved {
        replicate,
        stage: 1,
        moved: moved.into(),
        shared,
        same,
        ..Moved::default()
    }));
    // If they change in one replicate of two, there is no answer.
    assert_eq!(found.iter().map(|f| f.met).collect::<Vec<_>>(), [None, Some(true)]);
    assert!(found[0].text.contains("in 1 of 2 replicates; at least 3"), "{}", found[0].text);
    // Of the samples there is one run, and λ moves with their number.
    let told = "in 1 of 1 replicates; at least 5 are shared; one run of networks, and α stays as samples are left out, not λ";
    assert!(found[1].text.ends_with(told), "{}", found[1].text);
}
