//! Tests verdicts on made-up results.

use std::path::Path;

use kit::claims::{
    finding::Answer::{No, Open, Yes},
    published,
};
use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::tables::{collected::Outcome, text_race::RunName};

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(5)
}

/// Rows of (method, replicate, perplexity).
fn table(rows: &[(&str, u32, f64)]) -> Vec<Collected> {
    trained_on("", rows)
}

/// The same for trainings on this text.
fn trained_on(text: &str, rows: &[(&str, u32, f64)]) -> Vec<Collected> {
    let row = |&(method, replicate, perplexity): &(&str, u32, f64)| {
        let perplexity = (!perplexity.is_nan()).then_some(perplexity);
        let (text, method) = (text.to_owned(), method.to_owned());
        let which = Which { text, method, replicate, ..Which::default() };
        Collected { which, outcome: Outcome { perplexity, ..Outcome::default() } }
    };
    rows.iter().map(row).collect()
}

/// Rows of a race with a budget.
fn raced(rows: &[(&str, u32, f64)]) -> Vec<Raced> {
    let row = |&(method, replicate, perplexity): &(&str, u32, f64)| {
        let run = RunName { method: method.to_owned(), replicate, ..RunName::default() };
        Raced { run, perplexity: Some(perplexity), budget: 100.0, ..Raced::default() }
    };
    rows.iter().map(row).collect()
}

/// Three replicates of each method, slightly different.
fn thrice<'a>(methods: &[(&'a str, f64)]) -> Vec<(&'a str, u32, f64)> {
    (0..3).flat_map(|r| methods.iter().map(move |(m, p)| (*m, r, p + f64::from(r)))).collect()
}

#[test]
fn a_schedule_must_beat_the_best_of_the_grid_for_sure() {
    let judge = |rows: &[(&str, u32, f64)]| {
        let found = tuned_against_fixed("Penn Treebank", true, &table(rows), &mut rng());
        found.answer(None)
    };
    // Nine replicates, three times these.
    let with = |stn: [f64; 3]| {
        let mut rows = Vec::new();
        for (r, p) in (0..).zip(stn.repeat(3)) {
            rows.extend([
                ("stn", r, p),
                ("fixed", r, 86.0),
                ("fixed", r, 85.0),
                ("fixed", r, f64::NAN),
            ]);
        }
        judge(&rows)
    };
    assert_eq!(with([82.0, 82.5, 83.0]), Yes);
    assert_eq!(with([80.0, 85.0, 89.0]), Open, "lower on average, but not for sure");
    assert_eq!(with([86.5, 87.0, 87.5]), No);
    assert_eq!(with([84.0, 86.0, 87.0]), Open, "higher on average, but not for sure");
    assert_eq!(with([82.0, 83.0, f64::NAN]), Open);
    assert_eq!(judge(&[("stn", 0, 80.0), ("fixed", 0, 85.0)]), Open, "one replicate");
}

/// Tables 1 and 2 of the paper, as validation perplexities.
const TABLE_1: [(&str, f64); 6] = [
    ("stn", 82.58),
    ("fixed", 85.83),
    ("gaussian", 85.87),
    ("sinusoid", 85.29),
    ("schedule", 82.87),
    ("final-value", 89.65),
];
const TABLE_2: [(&str, f64); 4] =
    [("stn", 70.30), ("gp-ei", 72.13), ("random", 84.81), ("grid", 97.32)];

#[test]
fn the_papers_effect_is_the_same_at_any_perplexity() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/stn.claims.toml");
    let claims = kit::claims::read(&file).unwrap();
    // The paper's tables, and the same in a text that is easier to predict.
    for factor in [1.0, 15.0 / 85.83] {
        let scaled = |(method, perplexity): (&'static str, f64)| (method, 0, factor * perplexity);
        let mut race = raced(&TABLE_2.map(scaled));
        race.iter_mut().for_each(|row| row.run.text = PAPERS_TEXT.to_owned());
        let table_1 = trained_on(PAPERS_TEXT, &TABLE_1.map(scaled));
        let evidence = Evidence { table_1: Some(table_1), race: Some(race), ..Evidence::default() };
        for id in ["N3", "N4", "N5", "N7"] {
            let claim = claims.iter().find(|claim| claim.id == id).unwrap();
            let mut compared = 0;
            for finding in judge(id, &evidence, &mut rng()) {
                let Some(paper) = published::at(&claim.published, &finding.place) else { continue };
                let ours = finding.estimate.unwrap().value;
                assert!((ours - paper.value).abs() < 1e-5, "{id}, {}: {ours}", finding.place);
                assert!(finding.text.contains("validation perplexity"), "{}", finding.text);
                assert!(finding.text.contains("nats per word"), "{}", finding.text);
                compared += 1;
            }
            assert_eq!(compared, claim.published.len(), "{id}");
        }
    }
}

#[test]
fn perturbations_and_replays_are_compared_with_the_tuned_one() {
    let perturbed = |gaussian, sinusoid| {
        let all = [("stn", 82.6), ("gaussian", gaussian), ("sinusoid", sinusoid)];
        let found = super::perturbed(&table(&thrice(&all)), &mut rng());
        found.iter().map(|f| f.met.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(perturbed(85.9, 85.3), [true, true]);
    assert_eq!(perturbed(85.9, 82.5), [true, false]);
    let replayed = |schedule, last| {
        let all = [("stn", 82.0), ("fixed", 85.0), ("schedule", schedule), ("final-value", last)];
        let found = super::replayed(&table(&thrice(&all)), &mut rng());
        found.iter().map(|f| f.met.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(replayed(82.9, 89.0), [true, true]);
    assert_eq!(replayed(83.1, 84.0), [false, false]);
}

#[test]
fn a_schedule_has_no_third_of_a_gain_that_is_none() {
    let judge = |stn: f64, schedule: f64| {
        let methods =
            [("stn", stn), ("fixed", 85.0), ("schedule", schedule), ("final-value", 89.0)];
        let rows = |r: u32| methods.map(|(m, p)| (m, r, p + f64::from(r % 3)));
        let rows: Vec<_> = (0..9).flat_map(rows).collect();
        super::replayed(&table(&rows), &mut rng())
    };
    let answers = |found: &[Finding]| found.iter().map(|f| f.answer(None)).collect::<Vec<_>>();
    assert_eq!(answers(&judge(82.0, 84.0)), [No, Yes]);
    assert_eq!(answers(&judge(82.0, 82.5)), [Yes, Yes]);
    // The STN is behind the best fixed value, or level with it; its schedule may be ahead of both.
    for (stn, schedule) in [(86.0, 86.0), (85.0, 85.5), (86.0, 80.0)] {
        let found = judge(stn, schedule);
        assert_eq!(answers(&found), [Open, Yes]);
        let told = "the STN is not ahead of the best fixed value (N3)";
        assert!(found[0].text.starts_with(told), "{}", found[0].text);
    }
}

#[test]
fn each_pair_of_the_order_counts() {
    let all = [
        ("stn", 70.3),
        ("gp-ei", 72.1),
        ("random", 97.0),
        ("grid", 84.8),
        ("hyperband", 60.0),
        ("pbt", 71.0),
    ];
    let found = order(&raced(&thrice(&all)), &mut rng());
    let holds: Vec<_> = found.iter().map(|f| (f.in_paper, f.met.unwrap())).collect();
    assert_eq!(holds, [(true, true), (true, true), (true, false), (false, false), (false, true)]);
}

#[test]
fn a_curve_must_stay_below_from_a_quarter_on() {
    let judge = |late: f64| {
        let rows = [
            ("stn", 10.0, 90.0),
            ("stn", 40.0, 80.0),
            ("grid", 10.0, 85.0),
            ("grid", 24.0, 91.0),
            ("random", 20.0, 95.0),
            ("random", 99.0, late),
        ];
        let curves = rows.map(|(method, cost, perplexity)| {
            let run = RunName { method: method.to_owned(), ..RunName::default() };
            NewBest { run, cost, perplexity }
        });
        let found = anytime(&raced(&[("stn", 0, 80.0)]), &curves, &mut rng());
        found.iter().map(|f| f.met).collect::<Vec<_>>()
    };
    // The grid had 85 before the STN had 80; nothing is known about the others.
    assert_eq!(judge(81.0), [Some(false), Some(true), None, None, None]);
    assert_eq!(judge(79.0), [Some(false), Some(false), None, None, None]);
}

#[test]
fn a_spread_is_reported_over_enough_settings() {
    let judge = |count: usize| {
        let names = ["2-to-1", "1-to-1", "5-to-1", "10-to-1"];
        let all: Vec<(&str, f64)> =
            names.iter().zip(1..).map(|(n, i)| (*n, 80.0 + f64::from(i))).take(count).collect();
        let method = |row: &Collected| row.which.method.clone();
        spread("steps", method, &table(&thrice(&all)), &mut rng())
    };
    let four = judge(4);
    // The losses of 84 and 81, of 85 and 82, and of 86 and 83.
    let expected =
        [84.0_f64 / 81.0, 85.0 / 82.0, 86.0 / 83.0].map(f64::ln).iter().sum::<f64>() / 3.0;
    assert_eq!(four.met, Some(true));
    assert!((four.estimate.unwrap().value - expected).abs() < 1e-12, "{:?}", four.estimate);
    assert_eq!(judge(3).met, None);
}

#[test]
fn greedy_schedules_are_compared_with_the_best_of_the_grid() {
    let judge = |greedy| {
        let all = [("stn", 80.0), ("fixed", 85.0), ("fixed", 90.0), ("greedy", greedy)];
        super::greedy(&table(&thrice(&all)), &mut rng()).met
    };
    assert_eq!((judge(84.0), judge(86.0)), (Some(true), Some(false)));
}

#[test]
fn a_text_that_stands_in_is_judged_once_and_under_its_own_name() {
    let rows = |r: u32| [("stn", r, 80.0), ("fixed", r, 85.0 + f64::from(r))];
    let rows: Vec<_> = (0..3).flat_map(rows).collect();
    let (own, bible) = (trained_on(PAPERS_TEXT, &rows), trained_on("King James Bible", &rows));
    let places = |tables: &[&[Collected]]| -> Vec<(String, bool)> {
        let found = on_each_text(tables, &mut rng());
        found.into_iter().map(|f| (f.place, f.in_paper)).collect()
    };
    let (penn, king) = (PAPERS_TEXT.to_owned(), "King James Bible".to_owned());
    assert_eq!(places(&[&own, &bible]), [(penn, true), (king.clone(), false)]);
    assert_eq!(places(&[&bible, &bible]), [(king.clone(), false)]);
    // A claim about only the paper's text.
    let estimate = Estimate { value: 1.0, low: 0.5, high: 1.5, n: 3 };
    let place = format!("{PAPERS_TEXT}, schedule");
    let finding = Finding::new(&place, estimate, String::new());
    let moved = on(&king, finding.clone());
    assert_eq!((moved.place.as_str(), moved.in_paper), ("King James Bible, schedule", false));
    assert!(on(PAPERS_TEXT, finding).in_paper);
}
