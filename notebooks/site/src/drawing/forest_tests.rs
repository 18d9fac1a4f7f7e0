use super::*;

fn published(value: f64, kind: Kind, unit: &str) -> Published {
    Published { value, at_least: false, measure: Measure { kind, unit: unit.to_owned() } }
}

fn row(value: f64, paper: Option<Published>) -> Row {
    let label = "a place".to_owned();
    let what = String::new();
    Row { label, ours: [value, value, value], what, paper, class: "yes", scaled_down: false }
}

fn drawn(rows: Vec<Row>) -> String {
    let [quantity] = <[Quantity; 1]>::try_from(grouped(rows.into_iter())).ok().unwrap();
    quantity.draw("t").unwrap()
}

#[test]
fn values_of_several_magnitudes_get_a_logarithmic_axis() {
    let wide = drawn(vec![row(0.001, None), row(100.0, None)]);
    assert!(wide.contains(">0.01<") && wide.contains(">1<"), "{wide}");
    let narrow = drawn(vec![row(0.0, None), row(100.0, None)]);
    assert!(narrow.contains(">0<") && narrow.contains(">50<"), "{narrow}");
    assert!(Quantity { measure: None, rows: Vec::new() }.draw("t").is_none());
}

/// A browser draws the numbers at some 6.8 units per character.
#[test]
fn the_longest_numbers_fit_beside_the_axis() {
    let numbers = interval(-0.001_234, -0.005_678, -0.001_235);
    assert_eq!(numbers, "−0.001234 [−0.005678, −0.001235]");
    assert!(END + 10.0 + 6.8 * numbers.chars().count() as f64 <= WIDTH);
}

#[test]
fn the_alternative_text_tells_both_values() {
    let paper = published(0.3, Kind::Level, "held-out error");
    let mut one = row(0.5, Some(paper));
    one.scaled_down = true;
    let svg = drawn(vec![one]);
    let told = r#"aria-label="t, held-out error: a place 0.5 (scaled down), the paper 0.3.""#;
    assert!(svg.contains(told), "{svg}");
}

#[test]
fn differences_and_ratios_show_where_two_things_are_alike() {
    let level = drawn(vec![row(0.5, Some(published(0.4, Kind::Level, "x")))]);
    assert!(!level.contains("alike"), "{level}");
    let difference = drawn(vec![row(-3.0, Some(published(-2.0, Kind::Difference, "x")))]);
    assert!(difference.contains("class=\"alike\"") && difference.contains(">0<"), "{difference}");
    let ratio = drawn(vec![row(4.0, Some(published(2.0, Kind::Ratio, "x")))]);
    assert!(ratio.contains("class=\"alike\"") && ratio.contains(">2<"), "{ratio}");
}

#[test]
fn rounding_does_not_spread_an_axis() {
    let exact = drawn(vec![row(1.0 + 7e-15, Some(published(1.0, Kind::Level, "share")))]);
    assert!(exact.contains(">0.5<") || exact.contains(">0.8<"), "{exact}");
    assert_eq!(exact.matches(">1<").count(), 2, "one tick, and the value itself: {exact}");
}

#[test]
fn values_that_are_all_next_to_zero_have_an_axis_of_their_size() {
    let rounding = drawn(vec![row(1.7e-13, Some(published(0.0, Kind::Level, "error")))]);
    assert!(rounding.contains(">0<") && rounding.contains(">1.00e−13<"), "{rounding}");
    let alone = drawn(vec![row(1.7e-13, None)]);
    assert!(alone.contains(">0<") && alone.contains(">1.00e−13<"), "{alone}");
    let zero = drawn(vec![row(0.0, None)]);
    assert!(zero.contains(">0.5<") || zero.contains(">0.4<"), "{zero}");
}

fn claim(findings: &[(f64, Option<Published>)]) -> Claim {
    let finding = |(value, published): &(f64, Option<Published>)| Finding {
        place: "p".to_owned(),
        in_paper: true,
        holds: "yes".to_owned(),
        value: *value,
        low: f64::NAN,
        high: f64::NAN,
        text: String::new(),
        published: published.clone(),
    };
    let text = String::new;
    Claim {
        id: text(),
        item: text(),
        statement: text(),
        criterion: text(),
        paper_value: text(),
        rules: text(),
        headline: true,
        scaled_down: false,
        verdict: crate::verdicts::verdict::VERDICTS[0],
        reason: text(),
        worth: None,
        stability: text(),
        ours: text(),
        effect: text(),
        n: 1.0,
        evidence: text(),
        findings: findings.iter().map(finding).collect(),
        grounds: None,
        root_seeds: Vec::new(),
    }
}

#[test]
fn what_a_claim_measures_in_one_unit_has_one_axis() {
    let difference = || Some(published(-0.1, Kind::Difference, "error"));
    let level = || Some(published(0.3, Kind::Level, "error"));
    let one = of_claim(&claim(&[(1.0, difference()), (2.0, None)]), None);
    assert_eq!(one.iter().map(|quantity| quantity.rows.len()).collect::<Vec<_>>(), [2]);
    // A row without a number of the paper could be of either kind.
    let three = of_claim(&claim(&[(1.0, difference()), (2.0, None), (0.5, level())]), None);
    assert_eq!(three.iter().map(|quantity| quantity.rows.len()).collect::<Vec<_>>(), [1, 1, 1]);
    // A value that is not a number has no row.
    assert!(of_claim(&claim(&[(f64::NAN, level())]), None).is_empty());
}

#[test]
fn what_another_run_found_in_the_same_place_stands_below_ours() {
    let level = || Some(published(0.4, Kind::Level, "error"));
    let (small, large) = (claim(&[(0.9, level())]), claim(&[(0.5, level())]));
    let other = Other { run: "recorded", claim: &large };
    let [quantity] = <[Quantity; 1]>::try_from(of_claim(&small, Some(other))).ok().unwrap();
    let told: Vec<(&str, f64)> =
        quantity.rows.iter().map(|row| (row.label.as_str(), row.ours[0])).collect();
    assert_eq!(told, [("p", 0.9), ("recorded", 0.5)]);
    // The same number again, or a place without a number here, has no row of the other run's.
    let other = Other { run: "recorded", claim: &small };
    assert_eq!(of_claim(&small, Some(other))[0].rows.len(), 1);
    let missing = claim(&[(f64::NAN, level())]);
    let other = Other { run: "recorded", claim: &large };
    assert!(of_claim(&missing, Some(other)).is_empty());
}

#[test]
fn quantities_that_only_texts_tell_apart_have_axes_of_their_own() {
    let of = |what: &str, value| Row { what: what.to_owned(), ..row(value, None) };
    let rows = vec![of("targets lower of", 33.0), of("targets lower of", 4.0), of("share", 0.01)];
    let sizes: Vec<usize> =
        grouped(rows.into_iter()).iter().map(|quantity| quantity.rows.len()).collect();
    assert_eq!(sizes, [2, 1]);
}
