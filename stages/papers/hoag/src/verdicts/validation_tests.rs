use rand_chacha::rand_core::SeedableRng as _;

use super::*;

#[test]
fn a_run_is_unfinished_while_its_outer_loss_falls() {
    let run = |test: fn(usize) -> f64| -> Vec<Point> {
        let point = |step| Point {
            suboptimality: 0.0,
            test: test(step),
            validation: 1.0,
            cpu_s: step as f64,
        };
        (0..100).map(point).collect()
    };
    let falling = still_falling(&run(|step| 200.0 - step as f64)).unwrap();
    assert!((falling - 9.0 / 110.0).abs() < 1e-12, "{falling}");
    let settled = still_falling(&run(|step| 100.0 + 100.0 * 0.5_f64.powi(step as i32)));
    assert!(settled.unwrap() < UNFINISHED);
    assert_eq!(still_falling(&run(|_| 1.0)[..1]), None);
}

fn steps(losses: &[(f64, f64)], seconds: f64) -> Vec<Point> {
    let point = |(step, &(test, validation)): (usize, &(f64, f64))| {
        let cpu_s = seconds * (step + 1) as f64;
        Point { suboptimality: 0.0, test, validation, cpu_s }
    };
    losses.iter().enumerate().map(point).collect()
}

fn images() -> Evidence {
    let place = Place {
        name: "mnist".to_owned(),
        in_paper: true,
        model: Model::Multinomial,
        reduced: Vec::new(),
        reading_of: None,
    };
    Evidence::without_tables(&[place], ["paper", "paper-constant-L"])
}

#[test]
fn a_rise_below_the_criterion_is_told_as_a_rise() {
    let judged = |validation: [f64; 3]| {
        let mut evidence = images();
        for split in 0..8 {
            let losses = validation.map(|loss| (1.0, loss + 1e-4 * f64::from(split)));
            evidence.add("mnist", ("paper", "hoag-exponential"), split, steps(&losses, 1.0));
        }
        overfits(&evidence, "paper", &mut ChaCha12Rng::seed_from_u64(1)).remove(0)
    };
    let little = judged([101.0, 100.0, 100.2]);
    assert_eq!(little.answer(None), kit::claims::finding::Answer::Open, "it does rise");
    let told = "validation loss rises by 0.20%, not more than 1%; its minimum is before the end in 8 of 8 splits";
    assert!(little.text.starts_with(told), "{}", little.text);
    let more = judged([101.0, 100.0, 103.0]);
    assert_eq!(more.answer(None), kit::claims::finding::Answer::Yes);
    assert!(
        more.text.starts_with("validation loss rises by 3.00%, more than 1%; "),
        "{}",
        more.text
    );
    let none = judged([102.0, 101.0, 100.0]);
    assert_eq!(none.text, "validation loss ends at its minimum in all of 8 splits");
    assert_eq!(none.answer(None), kit::claims::finding::Answer::No);
}

#[test]
fn many_hyper_parameters_are_compared_at_equal_time_too() {
    let mut evidence = images();
    for split in 0..8 {
        // Random search has made two evaluations when SMBO has made one and the gradient methods two of three steps.
        for (method, losses, seconds) in [
            ("hoag-exponential", &[(9.0, 1.0), (4.0, 1.0), (1.0, 1.0)][..], 5.0),
            ("iterdiff", &[(9.0, 1.0), (3.0, 1.0), (2.0, 1.0)], 5.0),
            ("random", &[(9.0, 1.0), (8.0, 1.0)], 5.0),
            ("smbo", &[(9.0, 1.0), (6.0, 1.0)], 8.0),
        ] {
            evidence.add("mnist", ("paper", method), split, steps(losses, seconds));
        }
    }
    let found = many_hyper_parameters(&evidence, "paper", &mut ChaCha12Rng::seed_from_u64(1));
    let texts: Vec<&str> = found.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "outer loss 1.0 against 2.0, after 15 and 15 CPU s; at 10 s, where the first method ends, 4.0 against \
             3.0, lower in 0 of 8 splits",
            "outer loss 2.0 against 8.0, after 15 and 10 CPU s; at 10 s, where the first method ends, 3.0 against \
             8.0, lower in 8 of 8 splits",
            "outer loss 2.0 against 6.0, after 15 and 16 CPU s; at 10 s, where the first method ends, 3.0 against \
             9.0, lower in 8 of 8 splits",
        ]
    );
}

#[test]
fn what_holds_under_one_reading_alone_is_open() {
    let finding = |value: f64| {
        let estimate =
            Estimate { low: value - 0.01, high: value + 0.01, ..Estimate::exact(value, 10) };
        Finding::new("kernel", estimate, format!("at {value}")).within(Region::below(0.1))
    };
    let (near, far) = (finding(0.05), finding(0.4));
    for (own, other, met) in [
        (&far, &far, Some(false)),
        (&near, &near, Some(true)),
        (&far, &near, None),
        (&near, &far, None),
    ] {
        let joined = agreed(own.clone(), [other].into_iter());
        assert_eq!(joined.met, met);
        assert_eq!(joined.text.contains(&other.text), met.is_none() || own.text == other.text);
    }
    assert_eq!(agreed(far.clone(), [].into_iter()).met, Some(false), "there is but one reading");
}
