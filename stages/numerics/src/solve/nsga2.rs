//! A small NSGA-II \[Deb2002\]: a set of points of the unit cube none of which is better than another in all
//! objectives.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// How a coordinate is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gene {
    /// By simulated binary crossover and polynomial mutation.
    Real,
    /// By exchange and by drawing a new value: for values without an order.
    Choice,
}

/// Settings of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Nsga2 {
    /// Points kept from one generation to the next.
    pub population: usize,
    /// Generations after the first.
    pub generations: usize,
}

/// Distribution index of crossover.
const CROSSOVER_INDEX: f64 = 15.0;
/// Distribution index of mutation.
const MUTATION_INDEX: f64 = 20.0;
/// Probability that two parents are crossed.
const CROSSOVER: f64 = 0.9;

/// A point with its objectives.
#[derive(Debug, Clone, PartialEq)]
pub struct Point<const M: usize> {
    /// The point, in the unit cube.
    pub unit: Vec<f64>,
    /// The objectives, which are minimised.
    pub objectives: [f64; M],
}

/// Whether `a` is nowhere worse than `b` and somewhere better.
fn dominates<const M: usize>(a: &[f64; M], b: &[f64; M]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a != b
}

/// The fronts: indices of the points that no other dominates, then of those that only these
/// dominate, and so on.
pub fn fronts<const M: usize>(objectives: &[[f64; M]]) -> Vec<Vec<usize>> {
    let n = objectives.len();
    let mut above = vec![0_usize; n];
    let mut below = vec![Vec::new(); n];
    for i in 0..n {
        for j in 0..n {
            if dominates(&objectives[i], &objectives[j]) {
                below[i].push(j);
                above[j] += 1;
            }
        }
    }
    let mut fronts = Vec::new();
    let mut front: Vec<usize> = (0..n).filter(|&i| above[i] == 0).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for &i in &front {
            for &j in &below[i] {
                above[j] -= 1;
                if above[j] == 0 {
                    next.push(j);
                }
            }
        }
        next.sort_unstable();
        fronts.push(std::mem::replace(&mut front, next));
    }
    fronts
}

/// Crowding distances of a front's points: the sum over objectives of the distance between the two neighbours
/// as a share of the range; infinite at the ends.
pub fn crowding<const M: usize>(objectives: &[[f64; M]], front: &[usize]) -> Vec<f64> {
    let mut distance = vec![0.0; front.len()];
    (0..M).for_each(|m| {
        let value = |at: usize| objectives[front[at]][m];
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return };
        let range = value(last) - value(first);
        (distance[first], distance[last]) = (f64::INFINITY, f64::INFINITY);
        if range > 0.0 && range.is_finite() {
            for w in order.windows(3) {
                distance[w[1]] += (value(w[2]) - value(w[0])) / range;
            }
        }
    });
    distance
}

impl Nsga2 {
    /// The first front of the last generation. Objectives that are NaN count as +∞.
    pub fn minimise<const M: usize>(
        self,
        genes: &[Gene],
        mut objectives: impl FnMut(&[f64]) -> [f64; M],
        rng: &mut ChaCha12Rng,
    ) -> Vec<Point<M>> {
        let mut evaluate = |unit: Vec<f64>| {
            let values = objectives(&unit).map(|v| if v.is_nan() { f64::INFINITY } else { v });
            Point { unit, objectives: values }
        };
        let size = self.population.max(4);
        let random = |rng: &mut ChaCha12Rng| genes.iter().map(|_| rng.random()).collect();
        let first: Vec<Point<M>> = (0..size).map(|_| evaluate(random(rng))).collect();
        let (mut points, mut fitness) = select(first, size);
        for _ in 0..self.generations {
            let mut all = points.clone();
            while all.len() < 2 * size {
                let (a, b) = (tournament(&fitness, rng), tournament(&fitness, rng));
                for child in cross(genes, &points[a].unit, &points[b].unit, rng) {
                    all.push(evaluate(mutate(genes, child, rng)));
                }
            }
            (points, fitness) = select(all, size);
        }
        let kept = points.into_iter().zip(fitness).filter(|(_, (rank, _))| *rank == 0);
        kept.map(|(point, _)| point).collect()
    }
}

/// The best `size` points by front, then by crowding distance, with both values.
fn select<const M: usize>(
    points: Vec<Point<M>>,
    size: usize,
) -> (Vec<Point<M>>, Vec<(usize, f64)>) {
    let objectives: Vec<[f64; M]> = points.iter().map(|p| p.objectives).collect();
    let mut chosen: Vec<(usize, (usize, f64))> = Vec::with_capacity(size);
    for (rank, front) in fronts(&objectives).into_iter().enumerate() {
        let distance = crowding(&objectives, &front);
        let mut members: Vec<_> =
            front.into_iter().zip(distance).map(|(i, d)| (i, (rank, d))).collect();
        members.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(a.0.cmp(&b.0)));
        members.truncate(size - chosen.len());
        chosen.extend(members);
        if chosen.len() == size {
            break;
        }
    }
    let fitness = chosen.iter().map(|(_, fitness)| *fitness).collect();
    (chosen.iter().map(|(i, _)| points[*i].clone()).collect(), fitness)
}

/// The better of two random points.
fn tournament(fitness: &[(usize, f64)], rng: &mut ChaCha12Rng) -> usize {
    let (a, b) = (rng.random_range(0..fitness.len()), rng.random_range(0..fitness.len()));
    let better = |x: usize, y: usize| {
        fitness[x].0 < fitness[y].0 || (fitness[x].0 == fitness[y].0 && fitness[x].1 > fitness[y].1)
    };
    if better(b, a) { b } else { a }
}

/// Two children of two parents, by simulated binary crossover of each coordinate.
fn cross(genes: &[Gene], a: &[f64], b: &[f64], rng: &mut ChaCha12Rng) -> [Vec<f64>; 2] {
    let (mut left, mut right) = (a.to_vec(), b.to_vec());
    if rng.random::<f64>() >= CROSSOVER {
        return [left, right];
    }
    for (j, gene) in genes.iter().enumerate() {
        if rng.random::<bool>() {
            continue;
        }
        match gene {
            Gene::Choice => (left[j], right[j]) = (b[j], a[j]),
            Gene::Real => {
                let u: f64 = rng.random();
                let power = 1.0 / (CROSSOVER_INDEX + 1.0);
                let spread =
                    if u < 0.5 { (2.0 * u).powf(power) } else { (0.5 / (1.0 - u)).powf(power) };
                let (middle, half) = (0.5 * (a[j] + b[j]), 0.5 * spread * (b[j] - a[j]));
                left[j] = (middle - half).clamp(0.0, 1.0);
                right[j] = (middle + half).clamp(0.0, 1.0);
            }
        }
    }
    [left, right]
}

/// Polynomial mutation, one coordinate on average.
fn mutate(genes: &[Gene], mut unit: Vec<f64>, rng: &mut ChaCha12Rng) -> Vec<f64> {
    let rate = 1.0 / genes.len() as f64;
    for (gene, v) in genes.iter().zip(&mut unit) {
        if rng.random::<f64>() >= rate {
            continue;
        }
        let u: f64 = rng.random();
        *v = match gene {
            Gene::Choice => u,
            Gene::Real => {
                let power = 1.0 / (MUTATION_INDEX + 1.0);
                let step = if u < 0.5 {
                    (2.0 * u).powf(power) - 1.0
                } else {
                    1.0 - (2.0 * (1.0 - u)).powf(power)
                };
                (*v + step).clamp(0.0, 1.0)
            }
        };
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn fronts_and_crowding_of_known_points() {
        let points = [[1.0, 5.0], [2.0, 2.0], [5.0, 1.0], [3.0, 3.0], [6.0, 6.0], [2.0, 2.0]];
        assert_eq!(fronts(&points), [vec![0, 1, 2, 5], vec![3], vec![4]]);
        let d = crowding(&points, &[0, 1, 2]);
        assert!(d[0].is_infinite() && d[2].is_infinite() && (d[1] - 2.0).abs() < 1e-15);
    }

    /// ZDT1: the front is f₂ = 1 − √f₁, where all coordinates but the first are 0.
    #[test]
    fn it_finds_a_known_front() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let settings = Nsga2 { population: 60, generations: 150 };
        let front = settings.minimise(
            &[Gene::Real; 6],
            |x| {
                let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / 5.0;
                [x[0], g * (1.0 - (x[0] / g).sqrt())]
            },
            &mut rng,
        );
        let gap = |p: &Point<2>| p.objectives[1] - (1.0 - p.objectives[0].sqrt());
        let worst = front.iter().map(gap).fold(0.0, f64::max);
        let least = front.iter().map(|p| p.objectives[0]).fold(1.0, f64::min);
        let most = front.iter().map(|p| p.objectives[0]).fold(0.0, f64::max);
        assert!(worst < 0.05 && least < 0.05 && most > 0.95, "{worst} {least} {most}");
    }
}
