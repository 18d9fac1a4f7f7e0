use rand_chacha::rand_core::SeedableRng as _;

use super::*;

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
