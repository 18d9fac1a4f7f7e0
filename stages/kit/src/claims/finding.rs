//! A finding: what was found about a claim in one place, and the answer that it gives.

use stats::bootstrap::Estimate;

use super::published::{Kind, Published};

/// The number of replicates from which on an interval gives an answer: with fewer, the answer would depend on
/// the method of the interval.
pub(super) const LEAST_REPLICATES: usize = 8;

/// The values that meet a criterion: an interval or a half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    low: f64,
    high: f64,
}

impl Region {
    /// Values below `end`.
    #[must_use]
    pub fn below(end: f64) -> Self {
        Self { low: f64::NEG_INFINITY, high: end }
    }

    /// Values above `end`.
    #[must_use]
    pub fn above(end: f64) -> Self {
        Self { low: end, high: f64::INFINITY }
    }

    /// Values between `low` and `high`.
    #[must_use]
    pub fn between(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Whether all large values are in it.
    #[must_use]
    pub fn reaches_up(&self) -> bool {
        self.high == f64::INFINITY
    }

    /// The distance of `value` from the nearer end.
    #[must_use]
    pub fn margin(&self, value: f64) -> f64 {
        (value - self.low).abs().min((value - self.high).abs())
    }

    /// Its ends; infinite where it is a half line.
    #[must_use]
    pub fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Both ends moved by `shift`.
    #[must_use]
    pub fn moved(&self, shift: f64) -> Self {
        Self { low: self.low + shift, high: self.high + shift }
    }

    /// Whether `value` is in it.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        self.low < value && value < self.high
    }

    fn holds_all_of(&self, estimate: &Estimate) -> bool {
        self.low < estimate.low && estimate.high < self.high
    }

    fn holds_none_of(&self, estimate: &Estimate) -> bool {
        estimate.high <= self.low || self.high <= estimate.low
    }

    /// Whether all of the interval lies between this region and `value`: short of the one, and beyond the other.
    fn is_parted_from(&self, value: f64, estimate: &Estimate) -> bool {
        let below = value < estimate.low && estimate.high <= self.low;
        let above = self.high <= estimate.low && estimate.high < value;
        below || above
    }
}

/// The answer that a finding gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The criterion is met.
    Yes,
    /// The criterion is not met.
    No,
    /// The evidence cannot tell.
    Open,
    /// There is no evidence.
    Untested,
}

impl Answer {
    /// The name written to tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Open => "open",
            Self::Untested => "untested",
        }
    }
}

/// What was found about a claim in one place (a problem, a data set, a theorem).
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The place.
    pub place: String,
    /// Whether the paper makes the claim there; other places are shown but do not contribute to the verdict.
    pub in_paper: bool,
    /// Whether our value meets the criterion as written; `None` if that cannot be determined.
    pub met: Option<bool>,
    /// The values that meet it. `None` if no interval is involved: complete counts, exact mathematics, and
    /// procedures with tests of their own.
    pub region: Option<Region>,
    /// The value without any effect, where the criterion asks for more than some effect.
    pub without_effect: Option<f64>,
    /// Our value, if available.
    pub estimate: Option<Estimate>,
    /// Whether the interval is over replicates, of which at least eight are then needed.
    pub replicated: bool,
    /// Whether this finding is of a size below the paper's while other findings of the claim are not.
    pub scaled_down: bool,
    /// Effect size, with its name.
    pub effect: Option<(f64, &'static str)>,
    /// The meaning of the value, or why there is none.
    pub text: String,
}

impl Finding {
    /// A place of the paper with our value; the criterion is neither met nor missed yet.
    #[must_use]
    pub fn new(place: &str, estimate: Estimate, text: String) -> Self {
        Self {
            place: place.to_owned(),
            in_paper: true,
            met: None,
            region: None,
            without_effect: None,
            replicated: false,
            scaled_down: false,
            estimate: Some(estimate),
            effect: None,
            text,
        }
    }

    /// A place that cannot be tested here.
    #[must_use]
    pub fn missing(place: &str, why: &str) -> Self {
        Self {
            place: place.to_owned(),
            in_paper: true,
            met: None,
            region: None,
            without_effect: None,
            replicated: false,
            scaled_down: false,
            estimate: None,
            effect: None,
            text: why.to_owned(),
        }
    }

    /// The same finding with an interval over replicates.
    #[must_use]
    pub fn of_replicates(self) -> Self {
        Self { replicated: true, ..self }
    }

    /// The same finding, marked as being of a size below the paper's or not.
    #[must_use]
    pub fn scaled_down(self, scaled_down: bool) -> Self {
        Self { scaled_down, ..self }
    }

    /// The same finding, in a place that the paper has or does not have.
    #[must_use]
    pub fn in_paper(self, in_paper: bool) -> Self {
        Self { in_paper, ..self }
    }

    /// The criterion is met by values in `region`; it is met by our value if that is in `region`.
    #[must_use]
    pub fn within(self, region: Region) -> Self {
        let value = self.estimate.map_or(f64::NAN, |estimate| estimate.value);
        let met = (!value.is_nan()).then_some(region.holds(value));
        Self { met, region: Some(region), ..self }
    }

    /// The same finding, which would have this value without any effect.
    #[must_use]
    pub fn without_effect(self, value: f64) -> Self {
        Self { without_effect: Some(value), ..self }
    }

    /// The criterion is met or not, regardless of the interval.
    #[must_use]
    pub fn met(self, met: Option<bool>) -> Self {
        Self { met, ..self }
    }

    /// The same finding with an effect size and its name.
    #[must_use]
    pub fn effect(self, size: f64, name: &'static str) -> Self {
        Self { effect: Some((size, name)), ..self }
    }

    /// The answer. If a region meets the criterion, the whole interval has to be inside it for *yes*, and
    /// outside for *no*; with fewer than eight replicates it gives neither. An interval between the region and
    /// the value without any effect is *open*: there is an effect, though a smaller one. If our value misses the
    /// criterion, the answer is also *no* if the interval contains the value without an effect and not the
    /// paper's effect.
    #[must_use]
    pub fn answer(&self, paper: Option<&Published>) -> Answer {
        let Some(estimate) = &self.estimate else { return Answer::Untested };
        let Some(met) = self.met else { return Answer::Open };
        let Some(region) = &self.region else { return if met { Answer::Yes } else { Answer::No } };
        if self.replicated && estimate.n < LEAST_REPLICATES {
            return Answer::Open;
        }
        if region.holds_all_of(estimate) {
            // The criterion may require more than the value.
            return if met { Answer::Yes } else { Answer::Open };
        }
        let refuted = !met && paper.is_some_and(|paper| no_effect(estimate, paper));
        let parted = self.without_effect.is_some_and(|none| region.is_parted_from(none, estimate));
        let missed = region.holds_none_of(estimate) && !parted;
        if missed || refuted { Answer::No } else { Answer::Open }
    }
}

/// Whether the interval contains the value without an effect, and not the paper's effect.
fn no_effect(estimate: &Estimate, paper: &Published) -> bool {
    let none = match paper.kind {
        Kind::Level => return false,
        Kind::Difference => 0.0,
        Kind::Ratio => 1.0,
    };
    let holds = |value: f64| estimate.low <= value && value <= estimate.high;
    let reached = holds(paper.value) || paper.at_least && estimate.high >= paper.value;
    holds(none) && !reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(region: Region, [low, value, high]: [f64; 3], paper: Option<(Kind, f64)>) -> Answer {
        let paper = paper.map(|(kind, value)| Published {
            place: None,
            value,
            at_least: false,
            kind,
            unit: "loss".to_owned(),
        });
        let estimate = Estimate { value, low, high, n: 8 };
        Finding::new("there", estimate, String::new()).within(region).answer(paper.as_ref())
    }

    #[test]
    fn the_whole_interval_has_to_lie_on_one_side() {
        let region = Region::below(0.0);
        assert_eq!(answer(region, [-3.0, -2.0, -1.0], None), Answer::Yes);
        assert_eq!(answer(region, [-3.0, -1.0, 1.0], None), Answer::Open);
        assert_eq!(answer(region, [-1.0, 1.0, 3.0], None), Answer::Open);
        assert_eq!(answer(region, [1.0, 2.0, 3.0], None), Answer::No);
        assert_eq!(answer(region, [0.0, 0.0, 0.0], None), Answer::No, "equal is not lower");
        let between = Region::between(0.8, 1.2);
        assert_eq!(answer(between, [0.9, 1.0, 1.1], None), Answer::Yes);
        assert_eq!(answer(between, [0.7, 1.0, 1.3], None), Answer::Open);
        assert_eq!(answer(between, [1.3, 1.4, 1.5], None), Answer::No);
        let nan = f64::NAN;
        assert_eq!(
            answer(region, [nan, -1.0, nan], None),
            Answer::Open,
            "one value has no interval"
        );
        assert_eq!(answer(region, [nan, nan, nan], None), Answer::Open);
    }

    #[test]
    fn the_papers_effect_can_be_excluded() {
        let region = Region::below(0.0);
        let paper = |value| Some((Kind::Difference, value));
        assert_eq!(answer(region, [-1.0, 0.2, 1.4], paper(-3.0)), Answer::No);
        assert_eq!(answer(region, [-1.0, -0.2, 0.6], paper(-3.0)), Answer::Open, "it may be lower");
        assert_eq!(answer(region, [-4.0, 0.2, 4.4], paper(-3.0)), Answer::Open);
        assert_eq!(answer(region, [-1.0, -0.5, -0.1], paper(-3.0)), Answer::Yes, "it is lower");
        let ratio = Some((Kind::Ratio, 0.1));
        assert_eq!(answer(Region::below(1.0), [0.5, 1.1, 1.7], ratio), Answer::No);
        let level = Some((Kind::Level, -3.0));
        assert_eq!(answer(region, [-1.0, 0.2, 1.4], level), Answer::Open, "levels have no zero");
    }

    #[test]
    fn an_effect_that_is_smaller_than_asked_for_is_no_absence() {
        let found = |region, [low, value, high]: [f64; 3], none| {
            let estimate = Estimate { value, low, high, n: 8 };
            let found = Finding::new("there", estimate, String::new()).within(region);
            found.without_effect(none).answer(None)
        };
        let rises = Region::above(0.01);
        assert_eq!(found(rises, [0.002, 0.004, 0.006], 0.0), Answer::Open);
        assert_eq!(found(rises, [-0.001, 0.002, 0.005], 0.0), Answer::No, "it may not rise at all");
        assert_eq!(found(rises, [-0.003, -0.002, -0.001], 0.0), Answer::No, "it falls");
        assert_eq!(found(rises, [0.02, 0.03, 0.04], 0.0), Answer::Yes);
        let few = Region::below(0.2);
        assert_eq!(found(few, [0.21, 0.22, 0.23], 0.25), Answer::Open);
        assert_eq!(found(few, [0.21, 0.24, 0.27], 0.25), Answer::No);
    }

    #[test]
    fn an_interval_of_three_replicates_decides_nothing() {
        let found = |n| {
            let estimate = Estimate { value: 2.0, low: 1.0, high: 3.0, n };
            Finding::new("there", estimate, String::new()).within(Region::above(0.0))
        };
        assert_eq!(found(3).answer(None), Answer::Yes, "not every sample is one of replicates");
        assert_eq!(found(7).of_replicates().answer(None), Answer::Open);
        assert_eq!(found(8).of_replicates().answer(None), Answer::Yes);
    }

    #[test]
    fn without_a_region_the_criterion_decides() {
        let estimate = Estimate { value: 1.0, low: 0.0, high: 2.0, n: 3 };
        let found = |met| Finding::new("there", estimate, String::new()).met(met).answer(None);
        assert_eq!(found(Some(true)), Answer::Yes);
        assert_eq!(found(Some(false)), Answer::No);
        assert_eq!(found(None), Answer::Open);
        assert_eq!(Finding::missing("there", "no data").answer(None), Answer::Untested);
        let more = Finding::new("there", estimate, String::new());
        let more = more.within(Region::above(-1.0)).met(Some(false));
        assert_eq!(more.answer(None), Answer::Open, "the criterion asked for more");
    }
}
