//! What a search may spend, in any unit.

/// A share of the budget below which a price counts as nothing: sums of 1/k have rounding errors.
const ROUNDING: f64 = 1e-6;

/// What a search may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    allowed: f64,
    spent: f64,
}

impl Budget {
    /// A budget of `allowed`.
    #[must_use]
    pub fn new(allowed: f64) -> Self {
        Self { allowed, spent: 0.0 }
    }

    /// Spends `price` if it can be afforded; says whether it could. What was not affordable is not spent.
    pub fn take(&mut self, price: f64) -> bool {
        let fits = self.spent + price <= self.allowed + ROUNDING;
        self.spent += if fits { price } else { 0.0 };
        fits
    }

    /// What was spent.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_a_budget_can_be_spent_and_no_more() {
        let mut budget = Budget::new(1.0);
        // Three thirds of 1 / 3 sum to 1, ten tenths of 1 / 10 to a little less.
        assert!((0..10).all(|_| budget.take(0.1)));
        assert!(!budget.take(0.1) && budget.take(0.0));
        assert!((budget.spent() - 1.0).abs() < 1e-12);
        assert!(!Budget::new(1.0).take(1.1) && Budget::new(f64::INFINITY).take(1e300));
    }
}
