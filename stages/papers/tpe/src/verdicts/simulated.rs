//! Simulates the evidence as it would be if a claim were true, or not: the same settings, targets and seeds, with other
//! losses or other labels.

use std::cmp::Ordering;

use kit::claims::calibration::{World, normals, scatter};
use rand::{RngExt as _, seq::SliceRandom as _};
use rand_chacha::ChaCha12Rng;
use stats::moments::mean;

use super::{COMPARED, evidence::Evidence, methods::SEEDS};
use crate::{
    study::{MARKS, Panel, Study},
    target::GROUPS,
};

/// Masses of values of components among the best settings, as the paper's figures have them, in the order of
/// [`GROUPS`]. Values that are not named share what is left.
type Masses = [(&'static str, &'static str, [f64; 5])];
const COMPONENTS: &Masses = &[
    ("multivariate", "on", [0.95, 0.96, 0.95, 0.65, 1.0]),
    ("prior", "on", [0.77, 0.84, 0.75, 0.55, 0.48]),
    ("exponent", "1", [0.26, 0.14, 0.09, 0.91, 0.99]),
    ("weighting", "improvement", [0.49, 0.44, 0.53, 0.26, 0.27]),
    ("weighting", "old drop", [0.06, 0.03, 0.06, 0.17, 0.15]),
    ("weighting", "old decay", [0.15, 0.26, 0.19, 0.19, 0.25]),
];
const WIDTHS: &Masses = &[
    ("heuristic", "hyperopt", [0.42, 0.36, 0.19, 0.32, 0.22]),
    ("heuristic", "optuna", [0.0, 0.0, 0.0, 0.41, 0.69]),
    ("minimum width", "0.01", [0.63, 0.57, 0.52, 0.23, 0.27]),
    ("minimum width", "0.03", [0.35, 0.43, 0.48, 0.19, 0.32]),
    ("minimum width", "0.1", [0.02, 0.0, 0.0, 0.29, 0.35]),
    ("exponent", "0.25", [0.0, 0.0, 0.0, 0.05, 0.0]),
    ("exponent", "0.5", [0.0, 0.0, 0.0, 0.08, 0.0]),
    ("exponent", "1", [0.05, 0.03, 0.05, 0.28, 0.31]),
    ("sqrt beta", "0.25", [0.1, 0.14, 0.08, 0.12, 0.01]),
    ("sqrt beta", "1", [0.3, 0.3, 0.3, 0.39, 0.33]),
    ("linear beta", "0.2", [0.25, 0.25, 0.25, 0.39, 0.25]),
];
/// P8: what makes the exponent matter most for reaching the better half, and on 30D functions the least width.
const FIRST: &Masses = &[
    ("exponent", "0.25", [0.002, 0.002, 0.03, 0.002, 0.002]),
    ("exponent", "0.5", [0.01, 0.01, 0.08, 0.01, 0.01]),
    ("exponent", "1", [0.1, 0.1, 0.2, 0.1, 0.1]),
    ("minimum width", "0.1", [0.25, 0.25, 0.01, 0.25, 0.25]),
    ("minimum width", "0.3", [0.15, 0.15, 0.002, 0.15, 0.15]),
];
/// P2, where it is not true: joint modelling matters as on functions.
const JOINT: &Masses = &[("multivariate", "on", [0.95, 0.96, 0.95, 0.95, 1.0])];
/// Least mass of a value.
const LEAST: f64 = 0.002;
/// How often the losses of a target are drawn at most, until the winner has the lower mean.
const DRAWS: u32 = 20;

/// The evidence in a world; `None` for the claim whose findings are drawn around levels.
pub fn evidence(
    id: &str,
    real: &Evidence,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Evidence> {
    let mut all = real.clone();
    match (id, world) {
        ("P1", World::Claimed) => {
            won(&mut all, ["joint-clipped", "separate-clipped"], ("multivariate", "on"), rng);
            won(&mut all, ["joint-plain", "separate-plain"], ("multivariate", "on"), rng);
        }
        ("P1", World::Absent) => {
            led(&mut all, world, &["joint-clipped", "separate-clipped"], &GROUPS, rng);
            led(&mut all, world, &["joint-plain", "separate-plain"], &GROUPS, rng);
        }
        ("P3", World::Claimed) => {
            won(&mut all, ["joint-clipped", "joint-plain"], ("exponent", "1"), rng);
        }
        ("P3", World::Absent) => {
            led(&mut all, world, &["joint-clipped", "joint-plain"], &GROUPS, rng);
        }
        ("P12", _) => {
            led(&mut all, world, &COMPARED, &GROUPS, rng);
        }
        ("P13", _) => {
            led(&mut all, world, &["recommended", "adapted"], &GROUPS[..3], rng);
            led(&mut all, world, &["adapted", "recommended"], &GROUPS[3..], rng);
        }
        ("P14", _) => return None,
        ("P2", World::Claimed) => {
            draw(&mut all.components, COMPONENTS, rng);
            if let Some(panel) = all.components.groups.get_mut(GROUPS[3]) {
                shuffle(panel, Some("multivariate"), rng);
            }
        }
        ("P2", World::Absent) => {
            draw(&mut all.components, COMPONENTS, rng);
            draw_one(&mut all.components, GROUPS[3], JOINT, rng);
        }
        ("P8", World::Claimed) => draw(&mut all.widths, FIRST, rng),
        ("P11", World::Claimed) => {
            draw(&mut all.components, COMPONENTS, rng);
            draw(&mut all.widths, WIDTHS, rng);
            for study in [&mut all.components, &mut all.widths] {
                study.groups.values_mut().for_each(|panel| shuffle(panel, Some("splitting"), rng));
            }
        }
        ("P11", World::Absent) => {
            all_alike(&mut all.components, rng);
            all_alike(&mut all.widths, rng);
        }
        (_, World::Claimed) => {
            draw(&mut all.components, COMPONENTS, rng);
            draw(&mut all.shifted, COMPONENTS, rng);
            draw(&mut all.widths, WIDTHS, rng);
        }
        (_, World::Absent) => {
            for study in [&mut all.components, &mut all.shifted, &mut all.widths] {
                study.groups.values_mut().for_each(|panel| shuffle(panel, None, rng));
            }
        }
    }
    Some(all)
}

/// Gives every setting the values of another one, the same on all targets; or only those of one component.
fn shuffle(panel: &mut Panel, only: Option<&str>, rng: &mut ChaCha12Rng) {
    let count = panel.factors.first().map_or(0, |factor| factor.of.len());
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(rng);
    let own = |name: &str| only.is_none_or(|only| only == name);
    for factor in panel.factors.iter_mut().filter(|factor| own(factor.name)) {
        factor.of = order.iter().map(|&i| factor.of[i]).collect();
    }
}

/// Orders the settings of all targets anew, so that values of components are among the best as often as given.
fn draw(study: &mut Study, masses: &Masses, rng: &mut ChaCha12Rng) {
    for group in GROUPS {
        draw_one(study, group, masses, rng);
    }
}

fn draw_one(study: &mut Study, group: &str, masses: &Masses, rng: &mut ChaCha12Rng) {
    let Some(at) = GROUPS.iter().position(|one| *one == group) else { return };
    let Some(panel) = study.groups.get_mut(group) else { return };
    let weights: Vec<Vec<f64>> = panel
        .factors
        .iter()
        .map(|factor| {
            let named = |level: &String| {
                let one = masses.iter().find(|m| m.0 == factor.name && m.1 == level);
                one.map(|one| one.2[at])
            };
            let given: Vec<Option<f64>> = factor.levels.iter().map(named).collect();
            let open = given.iter().filter(|mass| mass.is_none()).count().max(1) as f64;
            let rest = (1.0 - given.iter().flatten().sum::<f64>()).max(0.0) / open;
            given.into_iter().map(|mass| mass.unwrap_or(rest).max(LEAST).ln()).collect()
        })
        .collect();
    rescore(panel, &weights, rng);
}

/// All components matter alike: the logarithms of the chances of their values are evenly spaced and spread as much.
fn all_alike(study: &mut Study, rng: &mut ChaCha12Rng) {
    const SPREAD: f64 = 0.7;
    for panel in study.groups.values_mut() {
        let of = |levels: usize| -> Vec<f64> {
            let middle = 0.5 * (levels as f64 - 1.0);
            let places: Vec<f64> = (0..levels).map(|i| i as f64 - middle).collect();
            let square = places.iter().map(|p| p * p).sum::<f64>() / levels as f64;
            places.iter().map(|p| SPREAD * p / square.sqrt()).collect()
        };
        let weights: Vec<Vec<f64>> = panel.factors.iter().map(|f| of(f.levels.len())).collect();
        rescore(panel, &weights, rng);
    }
}

/// New losses: the order of settings is that in which they are drawn without replacement, each with a chance that is
/// the product of those of its values.
fn rescore(panel: &mut Panel, ln_weights: &[Vec<f64>], rng: &mut ChaCha12Rng) {
    let count = panel.factors.first().map_or(0, |factor| factor.of.len());
    let sums: Vec<f64> = (0..count)
        .map(|setting| {
            let factors = panel.factors.iter().zip(ln_weights);
            factors.filter_map(|(factor, own)| Some(own[factor.of[setting]?])).sum()
        })
        .collect();
    for target in &mut panel.targets {
        let drawn: Vec<f64> = sums
            .iter()
            .map(|ln| {
                let u: f64 = rng.random_range(f64::MIN_POSITIVE..1.0);
                (-u.ln()).ln() - ln
            })
            .collect();
        target.at = std::array::from_fn::<_, MARKS, _>(|_| drawn.clone());
    }
}

/// New losses of two methods that differ in one component: the first has the value whose mass among the best settings
/// is given, the other one what is left. The chance that the first has the lower mean is its share of both masses, as
/// where settings are ordered by chances. The winner leads by a standard deviation between seeds.
fn won(all: &mut Evidence, methods: [&str; 2], value: (&str, &str), rng: &mut ChaCha12Rng) {
    let Some(masses) = COMPONENTS.iter().find(|one| (one.0, one.1) == value) else { return };
    for (group, mass) in GROUPS.into_iter().zip(masses.2) {
        let [own, other] = [mass, 1.0 - mass].map(|mass| mass.max(LEAST));
        for target in targets(all, methods[0], &[group]) {
            let first = rng.random::<f64>() < own / (own + other);
            let order = if first { methods } else { [methods[1], methods[0]] };
            let level = level(all, &order, &target);
            // Chance undoes the lead on one target of eighty: there losses are drawn again. Where seeds do not differ
            // there is no lead.
            for _ in 0..DRAWS {
                redraw(all, (&order, &target), level, World::Claimed, rng);
                if order_of_means(all, order, &target).is_none_or(Ordering::is_lt) {
                    break;
                }
            }
        }
    }
}

/// How the means of two methods over the seeds that are compared are ordered on a target.
fn order_of_means(
    all: &Evidence,
    methods: [&str; 2],
    target: &(String, String),
) -> Option<Ordering> {
    let of = |name: &str| {
        let own = all.finals.get(name)?.get(target)?.range(SEEDS.0..SEEDS.0 + SEEDS.1);
        Some(mean(&own.map(|(_, loss)| *loss).collect::<Vec<_>>()))
    };
    of(methods[0])?.partial_cmp(&of(methods[1])?)
}

/// New losses of methods on the targets of these groups.
fn led(all: &mut Evidence, world: World, methods: &[&str], groups: &[&str], rng: &mut ChaCha12Rng) {
    let Some(first) = methods.first() else { return };
    for target in targets(all, first, groups) {
        let level = level(all, methods, &target);
        redraw(all, (methods, &target), level, world, rng);
    }
}

/// The targets of these groups that a method has.
fn targets(all: &Evidence, method: &str, groups: &[&str]) -> Vec<(String, String)> {
    let own = all.finals.get(method).into_iter().flat_map(|own| own.keys());
    own.filter(|(group, _)| groups.contains(&group.as_str())).cloned().collect()
}

/// The mean of all losses of methods on a target, and the largest of their spreads between seeds.
fn level(all: &Evidence, methods: &[&str], target: &(String, String)) -> [f64; 2] {
    let own = methods.iter().filter_map(|name| all.finals.get(*name)?.get(target));
    let each: Vec<Vec<f64>> = own.map(|finals| finals.values().copied().collect()).collect();
    [mean(&each.concat()), each.iter().map(|losses| scatter(losses)).fold(0.0, f64::max)]
}

/// New losses of methods on a target: normal about a common mean. Where the claim is true the first ends a standard
/// deviation lower, else all are alike.
fn redraw(
    all: &mut Evidence,
    (methods, target): (&[&str], &(String, String)),
    [centre, deviation]: [f64; 2],
    world: World,
    rng: &mut ChaCha12Rng,
) {
    for (i, name) in methods.iter().enumerate() {
        let Some(finals) = all.finals.get_mut(*name).and_then(|own| own.get_mut(target)) else {
            continue;
        };
        let lead = if i == 0 { world.pick(deviation, 0.0) } else { 0.0 };
        let drawn = normals(finals.len(), centre - lead, deviation, rng);
        finals.values_mut().zip(drawn).for_each(|(loss, drawn)| *loss = drawn);
    }
}
