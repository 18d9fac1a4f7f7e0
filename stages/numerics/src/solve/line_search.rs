//! A line search for the strong Wolfe conditions with cubic interpolation. Source: \[Nocedal2006\],
//! algorithms 3.5 and 3.6, written as one bracketing loop.

/// Constants of the conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wolfe {
    /// Sufficient decrease c₁.
    pub decrease: f64,
    /// Curvature c₂.
    pub curvature: f64,
    /// Maximum number of evaluations.
    pub max_steps: usize,
}

impl Default for Wolfe {
    fn default() -> Self {
        Self { decrease: 1e-4, curvature: 0.9, max_steps: 20 }
    }
}

/// Value and slope at a step length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Step length t.
    pub t: f64,
    /// φ(t).
    pub value: f64,
    /// φ'(t).
    pub slope: f64,
}

impl Wolfe {
    /// Searches from `start` (t = 0, negative slope) with first trial `first`.
    ///
    /// `phi(t)` evaluates φ and φ'; the caller keeps anything else that it needs from the last evaluation.
    /// The returned sample is always the last one evaluated. `None` if no acceptable step was found.
    pub fn search(
        &self,
        start: Sample,
        first: f64,
        mut phi: impl FnMut(f64) -> Sample,
    ) -> Option<Sample> {
        let mut low = start;
        let mut high: Option<Sample> = None;
        let mut t = first;
        // Near a minimum the decrease is lost in the rounding of φ; there the slope alone decides (the
        // approximate Wolfe conditions of \[Hager2005\]).
        let rounding = 1e-13 * start.value.abs();
        for _ in 0..self.max_steps {
            let s = phi(t);
            let decreased = s.value <= start.value + self.decrease * t * start.slope
                || (s.value <= start.value + rounding
                    && s.slope <= (2.0 * self.decrease - 1.0) * start.slope);
            let flat = s.slope.abs() <= -self.curvature * start.slope;
            if decreased && flat {
                return Some(s);
            }
            let worse = !decreased || s.value > low.value + rounding || s.value.is_nan();
            if worse || s.slope >= 0.0 {
                high = Some(s);
            } else {
                low = s;
            }
            t = match high {
                None => 4.0 * t,
                Some(h) => interpolate(low, h),
            };
            if let Some(h) = high
                && (h.t - low.t).abs() <= 1e-15 * h.t.abs()
            {
                return None;
            }
        }
        None
    }
}

/// The minimiser of the cubic through two samples, clamped to the middle of the interval.
fn interpolate(a: Sample, b: Sample) -> f64 {
    let width = b.t - a.t;
    let middle = a.t + 0.5 * width;
    if !(b.value.is_finite() && b.slope.is_finite()) {
        return a.t + 0.1 * width;
    }
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.t - b.t);
    let square = d1 * d1 - a.slope * b.slope;
    if !(square.is_finite() && square >= 0.0) {
        return middle;
    }
    let d2 = square.sqrt().copysign(width);
    let t = b.t - width * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    let (near, far) = (a.t + 0.05 * width, a.t + 0.95 * width);
    if t.is_finite() { t.clamp(near.min(far), near.max(far)) } else { middle }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(f: impl Fn(f64) -> (f64, f64), first: f64) -> Option<Sample> {
        let phi = |t: f64| Sample { t, value: f(t).0, slope: f(t).1 };
        Wolfe { curvature: 0.1, ..Wolfe::default() }.search(phi(0.0), first, phi)
    }

    #[test]
    fn finds_the_minimum_of_a_quadratic_from_any_first_step() {
        for first in [1e-6, 0.1, 1.0, 10.0, 1e6] {
            let s = run(|t| ((t - 2.0) * (t - 2.0), 2.0 * (t - 2.0)), first).unwrap();
            assert!(s.slope.abs() <= 0.4, "first {first}: {s:?}");
        }
    }

    #[test]
    fn survives_overflow_and_gives_up_on_an_increasing_function() {
        let s = run(|t| (t.exp() - 2.0 * t, t.exp() - 2.0), 1e4).unwrap();
        assert!((s.t - 2.0_f64.ln()).abs() < 0.2);
        let phi = |t: f64| Sample { t, value: t, slope: 1.0 };
        let start = Sample { t: 0.0, value: 0.0, slope: -1.0 };
        assert_eq!(Wolfe::default().search(start, 1.0, phi), None);
    }
}
