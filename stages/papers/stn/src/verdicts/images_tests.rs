use kit::claims::finding::Answer::{self, No, Open, Yes};
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::tables::label::Label;

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(1)
}

/// Losses of each method, one per replicate.
fn table(methods: &[(&str, &[f64])], diverged: &[&str]) -> Vec<Raced> {
    let row = |(method, replicate, loss): (&str, u32, f64)| Raced {
        label: Label { method: method.to_owned(), replicate },
        valid_loss: Some(loss).filter(|l| !l.is_nan()),
        test_loss: Some(loss + 0.1).filter(|l| !l.is_nan()),
        cost: 7.0,
        diverged: usize::from(diverged.contains(&method)),
        ..Raced::default()
    };
    let of = |(method, losses): &(_, &[f64])| {
        let method = *method;
        (0..).zip(losses.to_vec()).map(move |(r, loss)| (method, r, loss))
    };
    methods.iter().flat_map(of).map(row).collect()
}

fn answers(found: &[Finding]) -> Vec<Answer> {
    found.iter().filter(|f| f.in_paper).map(|f| f.answer(None)).collect()
}

#[test]
fn the_order_is_judged_pair_by_pair() {
    let judge = |stn: &[f64], gp: &[f64], grid: &[f64]| {
        // Three times as many replicates.
        let more = [stn, gp, grid, &[2.0, 2.1, 2.2]].map(|losses| losses.repeat(3));
        let methods: Vec<(&str, &[f64])> = ["stn", "gp-ei", "grid", "random"]
            .into_iter()
            .zip(more.iter().map(Vec::as_slice))
            .collect();
        let found = order(&table(&methods, &[]), &mut rng());
        answers(&found)
    };
    let (low, middle, high) = ([0.5, 0.6, 0.7], [0.6, 0.7, 0.8], [0.8, 0.9, 1.0]);
    assert_eq!(judge(&low, &middle, &high), [Yes, Yes, Yes]);
    assert_eq!(judge(&high, &middle, &low), [No, No, Yes]);
    assert_eq!(judge(&[0.5, 0.9, 0.7], &middle, &[0.6, 0.8, 0.7])[..2], [Open, Open]);
    assert_eq!(judge(&[0.5, 0.6, f64::NAN], &middle, &high)[0], Open, "one run never had a loss");
    assert_eq!(judge(&[0.5], &middle, &high)[0], Open, "three runs are too few");
    let only = order(&table(&[("stn", &low), ("hyperband", &high)], &[]), &mut rng());
    assert_eq!((only.len(), only[0].in_paper, only[0].met), (1, false, Some(true)));
}

/// Curves of each method at shares 0.1, 0.25 and 1, equal in three replicates up to a shift.
fn curves(methods: &[(&str, [f64; 3])]) -> Vec<Sooner> {
    let mut all = Vec::new();
    for (method, losses) in methods {
        for r in 0..3_u32 {
            for (share, loss) in [0.1, 0.25, 1.0].into_iter().zip(losses) {
                let label = Label { method: (*method).to_owned(), replicate: r };
                let valid_loss = Some(loss + f64::from(r)).filter(|l| !l.is_nan());
                all.push(Sooner { label, share, valid_loss, ..Sooner::default() });
            }
        }
    }
    all
}

#[test]
fn curves_count_from_a_quarter_of_the_budget_on() {
    let judge = |own: [f64; 3], other: [f64; 3]| {
        let found = anytime(&curves(&[("stn", own), ("random", other)]), &mut rng());
        assert_eq!(found.len(), 1);
        (found[0].met, found[0].estimate.unwrap().value)
    };
    let close = |(met, value): (Option<bool>, f64), expected: (bool, f64)| {
        assert_eq!(met, Some(expected.0));
        assert!((value - expected.1).abs() < 1e-12, "{value}");
    };
    close(judge([9.0, 3.0, 2.0], [5.0, 4.0, 2.5]), (true, -0.5));
    close(judge([1.0, 3.0, 2.6], [5.0, 4.0, 2.5]), (false, 0.1));
    let nan = f64::NAN;
    close(judge([nan, 3.0, 2.0], [nan, nan, 2.5]), (true, -0.5));
    assert_eq!(judge([nan, nan, 2.0], [5.0, 4.0, 2.5]).0, Some(false));
}

#[test]
fn robust_means_enough_settings_and_none_that_diverges() {
    let judge = |scales: usize, repeats: usize, diverged: &[&str]| {
        let names = ["scale 0.1", "scale 0.5", "scale 1", "scale learned"];
        let losses = [[1.0, 1.2], [1.1, 1.3], [1.5, 1.6], [1.0, 1.0]];
        let all: Vec<(&str, &[f64])> =
            names.into_iter().zip(&losses).map(|(n, l)| (n, &l[..repeats])).take(scales).collect();
        let found = sensitivity(&table(&all, diverged), &mut rng());
        assert_eq!(found.len(), 1);
        (found[0].met, found[0].estimate.unwrap(), found[0].text.clone())
    };
    let (met, spread, text) = judge(4, 2, &[]);
    assert_eq!(met, Some(true));
    assert!((spread.value - 0.55).abs() < 1e-12 && spread.low < spread.high, "{spread:?}");
    assert!(text.contains("; 0.088 from repeat to repeat; 0 diverged"), "{text}");
    assert_eq!(judge(3, 2, &[]).0, None);
    // A single repeat has no spread.
    let (met, _, text) = judge(4, 1, &[]);
    assert_eq!(met, None);
    assert!(!text.contains("NaN") && !text.contains("repeat"), "{text}");
    assert_eq!(judge(4, 2, &["scale 1"]).0, Some(false));
}
