//! Axes: map values to positions, and choose the labelled values.

use crate::words::number;

/// A point of a panel, in the units of its two axes.
pub type Point = (f64, f64);

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Linear: equal differences have equal distances.
    Linear,
    /// Logarithmic: equal ratios have equal distances; only for positive numbers.
    Log,
}

impl Scale {
    /// Whether `value` has a position on an axis with this scale.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }
}

/// Maps values to positions: `low` is at `from`, `high` at `to`.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// The smallest and largest of `values` that the scale can show.
#[must_use]
pub fn range(scale: Scale, values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let held = values.into_iter().filter(|v| scale.holds(*v));
    held.fold(None, |range, v| {
        let (low, high) = range.unwrap_or((v, v));
        Some((low.min(v), high.max(v)))
    })
}

impl Axis {
    /// An axis over `range`, widened slightly, or considerably if it is a single point.
    #[must_use]
    pub fn new(scale: Scale, range: (f64, f64), from: f64, to: f64) -> Self {
        let (low, high) = match scale {
            Scale::Linear => range,
            Scale::Log => (range.0.log10(), range.1.log10()),
        };
        let wide = if high > low { (high - low) * 0.04 } else { 0.5_f64.max(low.abs() * 0.1) };
        Self { scale, low: low - wide, high: high + wide, from, to }
    }

    /// A linear axis from `low` to `high`, exactly.
    pub(crate) fn between(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self { scale: Scale::Linear, low, high, from, to }
    }

    /// The position of `value`; outside the range, that of its end.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let value = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }

    /// About `most` values for tick marks at most, each with its label.
    #[must_use]
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let room = most.max(2) as f64;
        let span = self.high - self.low;
        let rough = span / room;
        if self.scale == Scale::Log {
            let step = rough.ceil().max(1.0);
            if (1.0..room / 2.0).contains(&span) {
                let within = |v: &f64| (self.low..=self.high).contains(&v.log10());
                return steps(self.low.floor(), self.high, 1.0)
                    .flat_map(|power| [1.0, 2.0, 5.0].map(|factor| between(factor, power)))
                    .filter(|(value, _)| within(value))
                    .collect();
            }
            if span >= 1.0 {
                return steps(self.low, self.high, step)
                    .map(|power| (10.0_f64.powf(power), power_of_ten(power)))
                    .collect();
            }
            let (low, high) = (10.0_f64.powf(self.low), 10.0_f64.powf(self.high));
            let step = nice((high - low) / room);
            return steps(low, high, step).filter(|v| *v > 0.0).map(labelled(step)).collect();
        }
        let step = nice(rough);
        steps(self.low, self.high, step).map(labelled(step)).collect()
    }
}

/// A value between two powers of ten, and its label. If that would be long, only the powers have labels.
fn between(factor: f64, power: f64) -> (f64, String) {
    let value = factor * 10.0_f64.powf(power);
    let label = if factor == 1.0 {
        power_of_ten(power)
    } else if (1e-3..1e5).contains(&value) {
        number(value)
    } else {
        String::new()
    };
    (value, label)
}

/// Multiples of `step` between `low` and `high`.
fn steps(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step).ceil();
    let last = (high / step).floor();
    let count = if last >= first { last - first + 1.0 } else { 0.0 };
    let count = count.min(1000.0) as u32;
    (0..count).map(move |i| (first + f64::from(i)) * step)
}

/// `value` and its label, without the rounding errors of adding up steps.
fn labelled(step: f64) -> impl Fn(f64) -> (f64, String) {
    move |value| (value, number((value / step).round() * step))
}

/// The next of 1, 2, 2.5, 5 times a power of ten.
fn nice(rough: f64) -> f64 {
    let power = 10.0_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|f| f * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

fn power_of_ten(power: f64) -> String {
    if (-2.5..3.5).contains(&power) {
        return number(10.0_f64.powf(power));
    }
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    format!("10{}", format!("{power:.0}").chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers_within_the_axis() {
        let axis = Axis::new(Scale::Linear, (0.13, 0.87), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0.2", "0.4", "0.6", "0.8"]);
        let axis = Axis::new(Scale::Log, (1e-5, 1e3), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["10⁻⁴", "0.01", "1", "100"]);
        let axis = Axis::new(Scale::Log, (0.04, 0.9), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0.05", "0.1", "0.2", "0.5", "1"]);
        let axis = Axis::new(Scale::Log, (1.5e-4, 5e-3), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["", "", "10⁻³", "0.002", "0.005"]);
    }

    #[test]
    fn places_are_between_the_ends() {
        let axis = Axis::new(Scale::Log, (1.0, 100.0), 10.0, 110.0);
        assert!((axis.place(10.0) - 60.0).abs() < 1e-9);
        assert!(axis.place(1e9) <= 110.0 && axis.place(0.0) >= 10.0);
        let point = Axis::new(Scale::Linear, (3.0, 3.0), 0.0, 10.0);
        assert!((point.place(3.0) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn what_an_axis_cannot_hold_does_not_widen_it() {
        assert_eq!(range(Scale::Log, [0.0, f64::NAN, 2.0, -1.0, 8.0]), Some((2.0, 8.0)));
        assert_eq!(range(Scale::Linear, [f64::INFINITY]), None);
    }
}
