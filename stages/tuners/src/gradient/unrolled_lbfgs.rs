//! The hypergradient through L-BFGS: the loss at the end of T iterations is differentiated by reversing them, the
//! two-loop recursion of each direction included. As in \[Domke2012\], the lengths that the line search found count as
//! constants.

use std::ops::Range;

use numerics::{
    linalg::vector::{add_scaled, axpy, dot, norm, subtract},
    problem::Bilevel,
    solve::line_search::{Sample, Wolfe},
};

use super::iterdiff::{CONVERGED, Unrolled};

/// Correction pairs that a direction is made of: as many as the inner solver of HOAG keeps.
const MEMORY: usize = 10;

/// A correction pair s = Δx, y = Δ∇ with ρ = 1/sᵀy, or ρ = 0 where that is too small to be trusted: such a pair is left
/// out, as in the solver.
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

/// The position of the newest pair that counts.
fn newest(pairs: &[Pair]) -> Option<usize> {
    pairs.iter().rposition(|pair| pair.rho > 0.0)
}

impl Pair {
    /// γ = sᵀy/yᵀy, the first guess of the inverse Hessian if this is the newest pair.
    fn scale(&self) -> f64 {
        1.0 / (self.rho * dot(&self.y, &self.y))
    }
}

/// The adjoints of a pair's s and y; empty as long as nothing has reached them.
#[derive(Default)]
struct PairBar {
    s: Vec<f64>,
    y: Vec<f64>,
}

impl PairBar {
    fn fill(&mut self, n: usize) {
        self.s.resize(n, 0.0);
        self.y.resize(n, 0.0);
    }

    /// Passes on the adjoint of ρ = 1/sᵀy.
    fn add_rho(&mut self, rho_bar: f64, pair: &Pair) {
        axpy(-rho_bar * pair.rho * pair.rho, &pair.y, &mut self.s);
        axpy(-rho_bar * pair.rho * pair.rho, &pair.s, &mut self.y);
    }
}

/// One iteration: the length α of its step s = αd, and the pairs that d was made of.
struct Iteration {
    length: f64,
    used: Range<usize>,
}

/// The coefficients of the two loops of a direction, in the order of its pairs: a = ρsᵀq and b = ρyᵀr.
struct Loops {
    first: Vec<f64>,
    second: Vec<f64>,
}

/// d ← −Hg by the two-loop recursion over `pairs`, oldest first (\[Nocedal2006\] algorithm 7.4).
fn direction(pairs: &[Pair], g: &[f64], d: &mut [f64]) -> Loops {
    for (t, v) in d.iter_mut().zip(g) {
        *t = -v;
    }
    let (mut first, mut second) = (vec![0.0; pairs.len()], vec![0.0; pairs.len()]);
    for (pair, a) in pairs.iter().zip(&mut first).rev() {
        *a = pair.rho * dot(&pair.s, d);
        axpy(-*a, &pair.y, d);
    }
    if let Some(newest) = newest(pairs) {
        scale_by(pairs[newest].scale(), d);
    }
    for ((pair, a), b) in pairs.iter().zip(&first).zip(&mut second) {
        *b = pair.rho * dot(&pair.y, d);
        axpy(a - *b, &pair.s, d);
    }
    Loops { first, second }
}

fn scale_by(factor: f64, v: &mut [f64]) {
    for t in v {
        *t *= factor;
    }
}

/// Reverses [`direction`]: from the adjoint of d, adds to those of g and of the pairs.
///
/// Each line of a loop is undone, last first, which gives back the vector that it began with.
fn reverse_direction(
    pairs: &[Pair],
    g: &[f64],
    d_bar: &[f64],
    g_bar: &mut [f64],
    bars: &mut [PairBar],
) {
    let mut at = vec![0.0; g.len()];
    let Loops { first, second } = direction(pairs, g, &mut at);
    let mut bar = d_bar.to_vec();
    let mut first_bar = vec![0.0; pairs.len()];
    let counting = |(_, (pair, _)): &(usize, (&Pair, &mut PairBar))| pair.rho > 0.0;
    for (i, (pair, own)) in pairs.iter().zip(&mut *bars).enumerate().rev().filter(counting) {
        // r' = r + (a − b)s with b = ρyᵀr
        let (step, b) = (first[i] - second[i], second[i]);
        axpy(-step, &pair.s, &mut at);
        axpy(step, &bar, &mut own.s);
        let a_bar = dot(&bar, &pair.s);
        first_bar[i] = a_bar;
        axpy(-a_bar * pair.rho, &at, &mut own.y);
        axpy(-a_bar * pair.rho, &pair.y, &mut bar);
        own.add_rho(-a_bar * b / pair.rho, pair);
    }
    if let Some(newest) = newest(pairs) {
        let (newest, own) = (&pairs[newest], &mut bars[newest]);
        // r = γq with γ = sᵀy/yᵀy
        let (scale, yy) = (newest.scale(), dot(&newest.y, &newest.y));
        scale_by(1.0 / scale, &mut at);
        let scale_bar = dot(&bar, &at);
        scale_by(scale, &mut bar);
        axpy(scale_bar / yy, &newest.y, &mut own.s);
        axpy(scale_bar / yy, &newest.s, &mut own.y);
        axpy(-2.0 * scale_bar * scale / yy, &newest.y, &mut own.y);
    }
    for (i, (pair, own)) in pairs.iter().zip(bars).enumerate().filter(counting) {
        // q' = q − ay with a = ρsᵀq
        let a = first[i];
        axpy(a, &pair.y, &mut at);
        axpy(-a, &bar, &mut own.y);
        let a_bar = first_bar[i] - dot(&bar, &pair.y);
        axpy(a_bar * pair.rho, &at, &mut own.s);
        axpy(a_bar * pair.rho, &pair.s, &mut bar);
        own.add_rho(a_bar * a / pair.rho, pair);
    }
    axpy(-1.0, &bar, g_bar);
}

/// The way of the iterations: what each did, the pair that it left, and the gradient at the end.
struct Path {
    iterations: Vec<Iteration>,
    pairs: Vec<Pair>,
    last: Vec<f64>,
}

/// Minimises h(·, λ) at the current λ from the origin by at most `steps` iterations of L-BFGS. With `lengths` these are
/// the lengths of the steps, instead of what a line search finds.
fn forward(
    problem: &mut dyn Bilevel,
    steps: usize,
    lengths: Option<&[f64]>,
    x: &mut [f64],
) -> Path {
    let n = x.len();
    x.fill(0.0);
    let (mut g, mut d) = (vec![0.0; n], vec![0.0; n]);
    let mut value = problem.inner(x, &mut g);
    let enough = CONVERGED * norm(&g);
    let (mut x_old, mut pairs, mut oldest) = (vec![0.0; n], Vec::<Pair>::new(), 0);
    let mut iterations: Vec<Iteration> = Vec::new();
    while iterations.len() < lengths.map_or(steps, <[f64]>::len) && norm(&g) > enough {
        let used = oldest.max(pairs.len().saturating_sub(MEMORY))..pairs.len();
        direction(&pairs[used.clone()], &g, &mut d);
        x_old.copy_from_slice(x);
        let g_old = g.clone();
        let slope = dot(&g, &d);
        let mut phi = |t| {
            add_scaled(&x_old, t, &d, x);
            let value = problem.inner(x, &mut g);
            Sample { t, value, slope: dot(&g, &d) }
        };
        let found = match lengths {
            Some(lengths) => Some(phi(lengths[iterations.len()])),
            None if slope < 0.0 => {
                let first = if used.is_empty() { (1.0 / norm(&g_old)).min(1.0) } else { 1.0 };
                Wolfe::default().search(Sample { t: 0.0, value, slope }, first, phi)
            }
            None => None,
        };
        let Some(sample) = found else {
            x.copy_from_slice(&x_old);
            g = g_old;
            if used.is_empty() {
                break;
            }
            // From here without memory, as the solver does.
            oldest = pairs.len();
            continue;
        };
        value = sample.value;
        let (mut s, mut y) = (vec![0.0; n], vec![0.0; n]);
        subtract(x, &x_old, &mut s);
        subtract(&g, &g_old, &mut y);
        let sy = dot(&s, &y);
        let rho = if sy > f64::EPSILON * dot(&y, &y) { 1.0 / sy } else { 0.0 };
        pairs.push(Pair { s, y, rho });
        iterations.push(Iteration { length: sample.t, used });
    }
    Path { iterations, pairs, last: g }
}

/// Minimises h(·, λ) at the current λ from the origin by at most `steps` iterations, and differentiates `g(x_T)` with
/// respect to λ through them. With `lengths` these are the lengths of the steps.
///
/// For t = T − 1 … 0: s = x' − x and y = ∇' − ∇ pass the adjoints of the pair on; ∇' = ∇₁h(x', λ) gives
/// `x̄' += ∇²₁h ∇̄'` and `λ̄ += (∇²₁₂h)ᵀ∇̄'`; and x' = x + αd gives `d̄ = αx̄'`, which goes back through the two loops.
pub(super) fn lbfgs(
    problem: &mut dyn Bilevel,
    steps: usize,
    lengths: Option<&[f64]>,
    x: &mut [f64],
) -> Unrolled {
    let n = x.len();
    let Path { iterations, pairs, last } = forward(problem, steps, lengths, x);
    let mut x_bar = vec![0.0; n];
    let value = problem.outer(x, &mut x_bar);
    let mut hypergradient = vec![0.0; problem.n_hyper()];
    problem.outer_hyper_gradient(x, &mut hypergradient);
    let mut cross = hypergradient.clone();
    let (mut at, mut g) = (x.to_vec(), last);
    let (mut g_bar, mut product) = (vec![0.0; n], vec![0.0; n]);
    let mut bars: Vec<PairBar> = pairs.iter().map(|_| PairBar::default()).collect();
    for (i, Iteration { length, used }) in iterations.iter().enumerate().rev() {
        let own = std::mem::take(&mut bars[i]);
        axpy_if(1.0, &own.s, &mut x_bar);
        axpy_if(1.0, &own.y, &mut g_bar);
        problem.linearise(&at);
        problem.hessian_product(&g_bar, &mut product);
        axpy(1.0, &product, &mut x_bar);
        problem.cross_product(&at, &g_bar, &mut cross);
        axpy(1.0, &cross, &mut hypergradient);
        // From here on x̄ and ḡ are those of the iteration's beginning.
        axpy(-1.0, &pairs[i].s, &mut at);
        axpy(-1.0, &pairs[i].y, &mut g);
        let mut d_bar = x_bar.clone();
        scale_by(*length, &mut d_bar);
        g_bar.fill(0.0);
        axpy_if(-1.0, &own.y, &mut g_bar);
        axpy_if(-1.0, &own.s, &mut x_bar);
        let bars = &mut bars[used.clone()];
        bars.iter_mut().for_each(|bar| bar.fill(n));
        reverse_direction(&pairs[used.clone()], &g, &d_bar, &mut g_bar, bars);
    }
    // ∇₀ = ∇₁h(0, λ); the origin does not depend on λ.
    at.fill(0.0);
    problem.cross_product(&at, &g_bar, &mut cross);
    axpy(1.0, &cross, &mut hypergradient);
    let step_lengths: Vec<f64> = iterations.iter().map(|own| own.length).collect();
    Unrolled { value, hypergradient, iterations: step_lengths.len(), step_lengths }
}

/// y ← y + ax, unless x is empty, which stands for zero.
fn axpy_if(a: f64, x: &[f64], y: &mut [f64]) {
    if !x.is_empty() {
        axpy(a, x, y);
    }
}
