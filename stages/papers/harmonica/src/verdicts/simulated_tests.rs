use rand_chacha::rand_core::SeedableRng as _;

use super::*;
use crate::tables::{contest::Played, race::Raced};

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(5)
}

#[test]
fn monomials_are_drawn_alike_whatever_their_degree() {
    let mut rng = rng();
    let all: Vec<String> = (0..4000).map(|_| monomial(2, &mut rng)).collect();
    // Of 60 variables there are 60 monomials of degree 1 and 1770 of degree 2.
    let single = all.iter().filter(|m| !m.contains('*')).count();
    assert!((90..=180).contains(&single), "{single} of 4000, expected 131");
    let pair = all.iter().find(|m| m.contains('*')).unwrap();
    let numbers: Vec<u32> = pair.split('*').map(|v| v.parse().unwrap()).collect();
    assert!(numbers[0] < numbers[1] && numbers[1] <= 60, "{pair}");
}

#[test]
fn noise_is_a_line_or_flat() {
    let levels = [0.0, 1.0, 2.0, 3.0];
    let errors = [1.0, 2.0, 3.0, 4.0, 1.2, 2.2, 3.2, 4.2];
    let row = |(&level, error)| Estimated { level, error, ..Estimated::default() };
    let rows: Vec<Estimated> = levels.iter().cycle().zip(errors).map(row).collect();
    let drawn = |world| {
        let mut rows = rows.clone();
        noise(&mut rows, world, &mut rng());
        rows.into_iter().map(|row| row.error).collect::<Vec<_>>()
    };
    // The mean error is 2.6 at a mean level of 1.5; replicates scatter by 0.1 around their mean.
    for (i, error) in drawn(World::Claimed).into_iter().enumerate() {
        let line = 2.6 * levels[i % 4] / 1.5;
        assert!(((error - line).abs() - 0.1).abs() < 1e-9, "{error} at {line}");
    }
    for error in drawn(World::Absent) {
        assert!(((error - 2.6).abs() - 0.1).abs() < 1e-9, "{error}");
    }
}

#[test]
fn random_features_hold_dummies_by_their_share() {
    let alone = |world| {
        let mut rows = vec![Selected { chance: 0.3, ..Selected::default() }; 100];
        super::alone(&mut rows, world, &mut rng());
        rows.iter().filter(|row| row.alone).count()
    };
    assert_eq!(alone(World::Claimed), 0);
    assert!((15..=45).contains(&alone(World::Absent)), "{}", alone(World::Absent));
}

#[test]
fn a_contest_has_all_methods_on_the_functions_that_are_drawn() {
    let methods = ["harmonica-1", "hyperband", "random-8x"];
    let row = |seed: u32, i: usize| Played {
        method: methods[i].to_owned(),
        seed,
        // Functions lie 1000 apart, methods 1.
        value: 1000.0 * f64::from(seed + 1) + i as f64,
        regret: i as f64,
        ..Played::default()
    };
    let rows: Vec<Played> = (0..30).flat_map(|seed| (0..3).map(move |i| row(seed, i))).collect();
    let before = Evidence { contest: Some(rows), ..Evidence::default() };
    // Harmonica's mean below the others', and the number of functions that were drawn.
    let drawn = |world| {
        let all = evidence("H8", &before, world, &mut rng()).unwrap().contest.unwrap();
        let places: Vec<f64> = all.iter().map(|row| (row.value / 1000.0).round()).collect();
        assert!(places.chunks(3).all(|of| of == [of[0]; 3]), "{places:?}");
        let lead = |own: &[Played]| 0.5 * (own[1].value + own[2].value) - own[0].value;
        let leads: Vec<f64> = all.chunks(3).map(lead).collect();
        let functions: std::collections::BTreeSet<u64> =
            places.iter().map(|place| place.to_bits()).collect();
        (mean(&leads), functions.len())
    };
    let ((claimed, functions), (absent, _)) = (drawn(World::Claimed), drawn(World::Absent));
    // About their function's mean values spread by 0.82, of which 30 draws miss about 0.2.
    assert!((claimed - absent - 0.82).abs() < 0.01, "{claimed} and {absent}");
    assert!(absent.abs() < 0.6, "{absent}");
    assert!((10..28).contains(&functions), "{functions} of 30 with replacement");
}

#[test]
fn networks_of_a_race_have_one_level() {
    let row = |(method, error): (&str, f64)| Raced {
        run: crate::tables::race::RunName { method: method.to_owned(), replicate: 0 },
        error: Some(error),
        ..Raced::default()
    };
    let rows = [("harmonica-1", 0.2), ("hyperband", 0.4), ("hyperband", f64::NAN)].map(row);
    let before = Evidence { race: Some(rows.to_vec()), ..Evidence::default() };
    let after = evidence("H8", &before, World::Absent, &mut rng()).unwrap().race.unwrap();
    for row in after {
        let error = row.error.unwrap();
        assert!([0.2, 0.4].iter().any(|one| (one - error).abs() < 1e-12), "{error}");
    }
}
