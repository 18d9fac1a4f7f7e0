//! A bilevel problem: min f(λ) = g(X(λ), λ) over a box, with X(λ) = argmin h(x, λ).
//!
//! Source of the notation: \[Pedregosa2016\] (HO). Shapes: λ has length s = `n_hyper`, x has length
//! p = `n_params`.

use ndarray::Array2;

/// What a solver can ask of a bilevel problem. λ is set once and kept, since a model may have to rebuild
/// matrices for it; the Hessian is taken at the point last given to [`Bilevel::linearise`].
pub trait Bilevel {
    /// Number of hyper-parameters s.
    fn n_hyper(&self) -> usize;
    /// Number of model parameters p.
    fn n_params(&self) -> usize;
    /// λ₀ of the paper for this model (length s).
    fn initial_lambda(&self) -> Vec<f64>;
    /// The best way to minimise the inner problem.
    fn inner_form(&self) -> InnerForm;
    /// Moves to λ (length s).
    fn set_lambda(&mut self, lambda: &[f64]);
    /// h(x, λ); writes ∇₁h (length p) to `gradient`.
    fn inner(&mut self, x: &[f64], gradient: &mut [f64]) -> f64;
    /// Prepares [`Bilevel::hessian_product`] at x.
    fn linearise(&mut self, x: &[f64]);
    /// ∇²₁h v (length p).
    fn hessian_product(&mut self, v: &[f64], out: &mut [f64]);
    /// ∇²₁h (p×p) at the linearised point, if the model has it as a matrix anyway; `None` if it would have to
    /// be assembled from products.
    fn hessian(&self) -> Option<Array2<f64>> {
        None
    }
    /// g(x, λ); writes ∇₁g (length p) to `gradient`.
    fn outer(&mut self, x: &[f64], gradient: &mut [f64]) -> f64;
    /// ∇₂g(x, λ) (length s).
    fn outer_hyper_gradient(&mut self, x: &[f64], out: &mut [f64]);
    /// (∇²₁₂h)ᵀ q at x (length s).
    fn cross_product(&mut self, x: &[f64], q: &[f64], out: &mut [f64]);
    /// Loss on the validation set, in the units of g.
    fn validation_loss(&mut self, x: &[f64]) -> f64;
    /// A lower bound μ > 0 of the eigenvalues of ∇²₁h at the current λ.
    fn strong_convexity(&self) -> f64;
    /// The Lipschitz constant C of g computed from the data.
    fn outer_lipschitz(&self) -> f64;
}

/// Shape of the inner problem, hence its solver in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerForm {
    /// Smooth and strongly convex: L-BFGS.
    Smooth,
    /// Quadratic, ½xᵀHx − bᵀx: linear conjugate gradients.
    Quadratic,
}

/// Evaluations made of a problem so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Evaluations of h and ∇₁h.
    pub inner: u64,
    /// Hessian-vector products.
    pub hessian_products: u64,
    /// Evaluations of g and ∇₁g.
    pub outer: u64,
    /// Cross-derivative products.
    pub cross: u64,
    /// Number of times that λ was set.
    pub lambdas: u64,
}

/// Counts the evaluations of the problem that it wraps; solvers never count.
#[derive(Debug)]
pub struct Counted<'a> {
    problem: &'a mut dyn Bilevel,
    counts: Counts,
}

impl std::fmt::Debug for dyn Bilevel + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bilevel({} hyper, {} parameters)", self.n_hyper(), self.n_params())
    }
}

impl<'a> Counted<'a> {
    /// Wraps a problem with all counts at zero.
    pub fn new(problem: &'a mut dyn Bilevel) -> Self {
        Self { problem, counts: Counts::default() }
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

impl Bilevel for Counted<'_> {
    fn n_hyper(&self) -> usize {
        self.problem.n_hyper()
    }
    fn n_params(&self) -> usize {
        self.problem.n_params()
    }
    fn initial_lambda(&self) -> Vec<f64> {
        self.problem.initial_lambda()
    }
    fn inner_form(&self) -> InnerForm {
        self.problem.inner_form()
    }
    fn set_lambda(&mut self, lambda: &[f64]) {
        self.counts.lambdas += 1;
        self.problem.set_lambda(lambda);
    }
    fn inner(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.counts.inner += 1;
        self.problem.inner(x, gradient)
    }
    fn linearise(&mut self, x: &[f64]) {
        self.problem.linearise(x);
    }
    fn hessian_product(&mut self, v: &[f64], out: &mut [f64]) {
        self.counts.hessian_products += 1;
        self.problem.hessian_product(v, out);
    }
    fn hessian(&self) -> Option<Array2<f64>> {
        self.problem.hessian()
    }
    fn outer(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.counts.outer += 1;
        self.problem.outer(x, gradient)
    }
    fn outer_hyper_gradient(&mut self, x: &[f64], out: &mut [f64]) {
        self.problem.outer_hyper_gradient(x, out);
    }
    fn cross_product(&mut self, x: &[f64], q: &[f64], out: &mut [f64]) {
        self.counts.cross += 1;
        self.problem.cross_product(x, q, out);
    }
    fn validation_loss(&mut self, x: &[f64]) -> f64 {
        self.problem.validation_loss(x)
    }
    fn strong_convexity(&self) -> f64 {
        self.problem.strong_convexity()
    }
    fn outer_lipschitz(&self) -> f64 {
        self.problem.outer_lipschitz()
    }
}
