use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::{
    claims::{finding::Region, rule::Joined},
    row,
};

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(1)
}

fn claim(levels: &str) -> Claim {
    let text = format!(
        "id = 'A'\nitem = ''\nstatement = ''\npaper-value = ''\ncriterion = ''\nprofile = ''\n\
         [calibration]\nif-true = 'lower by 2'\nif-false = 'equal'\nlevels = [{levels}]"
    );
    toml::from_str(&text).unwrap()
}

/// A difference of `n` replicates with this standard deviation between them, which should be below 0.
fn difference(n: usize, deviation: f64) -> (Rule, Vec<Finding>) {
    let values: Vec<f64> =
        (0..n).map(|i| if i % 2 == 0 { deviation } else { -deviation }).collect();
    let estimate = interval(&values, &mut rng(), mean);
    let found = Finding::new("there", estimate, String::new()).within(Region::below(0.0));
    (Rule::Each, vec![found])
}

fn rates_of(claim: &Claim, found: &(Rule, Vec<Finding>)) -> Rates {
    rates(claim, found, false, &mut rng(), |_, _| None).unwrap().unwrap()
}

#[test]
fn power_grows_with_replicates_and_false_positives_stay_at_the_level() {
    let claim = claim("{ claimed = -2.0, kind = 'difference' }");
    // Two standard deviations: with 3 replicates Student's test detects that in a third of samples, with 10
    // nearly always. Without the effect, one sample in 40 has its whole interval below 0.
    let power = |n| rates_of(&claim, &difference(n, 1.0)).power();
    assert!((0.25..0.75).contains(&power(3)), "{}", power(3));
    assert!(power(10) > 0.95, "{}", power(10));
    for n in [3, 10] {
        let wrong = rates_of(&claim, &difference(n, 1.0)).false_positives();
        assert!(wrong < 0.07, "{n}: {wrong}");
    }
}

#[test]
fn what_the_paper_prints_is_the_effect_unless_the_file_says_another() {
    let mut printed = claim("");
    assert!(
        rates(&printed, &difference(8, 1.0), false, &mut rng(), |_, _| None).unwrap().is_none()
    );
    printed.published = vec![published::Published {
        place: None,
        value: -2.0,
        at_least: false,
        kind: Kind::Difference,
        unit: "loss".to_owned(),
    }];
    assert!(rates_of(&printed, &difference(8, 1.0)).power() > 0.9);
    let mut small = claim("{ place = 'there', claimed = -0.1 }");
    small.published = printed.published;
    assert!(rates_of(&small, &difference(8, 1.0)).power() < 0.2);
    // One standard deviation towards meeting the criterion.
    let apart = claim("{ deviations = 1.0, absent = 0.0 }");
    let power = rates_of(&apart, &difference(8, 3.0)).power();
    assert!((0.4..0.9).contains(&power), "{power}");
}

#[test]
fn a_criterion_that_looks_at_nothing_is_vacuous() {
    let found = Finding::new("there", Estimate::exact(1.0, 3), String::new()).met(Some(true));
    let rates = rates_of(&claim(""), &(Rule::Each, vec![found]));
    assert_eq!((rates.power(), rates.false_positives()), (1.0, 1.0));
    let (joined, why) = rates.trusted(Joined::Met);
    assert_eq!(joined, Joined::Open);
    assert!(why.unwrap().starts_with("vacuous here: 100% of simulations"));
}

#[test]
fn ratios_scatter_by_factors() {
    let estimate = Estimate { value: 0.5, low: 0.3, high: 0.7, n: 8 };
    let found = Finding::new("there", estimate, String::new()).within(Region::below(1.0));
    let rates = rates_of(&claim("{ claimed = 0.25, kind = 'ratio' }"), &(Rule::All, vec![found]));
    assert!(rates.power() > 0.9 && rates.false_positives() < 0.07, "{rates:?}");
}

#[test]
fn one_value_has_no_power() {
    let estimate = Estimate { value: -1.0, low: f64::NAN, high: f64::NAN, n: 1 };
    let found = Finding::new("there", estimate, String::new()).within(Region::below(0.0));
    let rates = rates_of(&claim("{ claimed = -2.0, absent = 0.0 }"), &(Rule::All, vec![found]));
    assert_eq!(rates.claimed.open, DRAWS);
}

#[test]
fn rates_come_back_from_their_table() {
    let claim = claim("{ claimed = -2.0, kind = 'difference' }");
    let rates = rates_of(&claim, &difference(5, 1.0));
    let table = row::batch(&Ended::of(&claim, "paper", rates)).unwrap();
    let ended = row::read::<Ended>(&table).unwrap();
    assert_eq!(of_rules(&ended, "paper"), Some(rates));
    assert_eq!(of_rules(&ended, "code"), None);
    assert_eq!([ended[0].what.as_str(), ended[1].what.as_str()], ["lower by 2", "equal"]);
}
