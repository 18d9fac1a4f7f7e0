//! The time left of a run in words: a range, since it is not known to the second.

use crate::event::Event;

/// The time left according to a progress event; `None` if nothing is left or the event does not say. Unknown times
/// are not guessed.
pub(super) fn left(event: &Event) -> Option<String> {
    let Event::Progress { eta_s, between_s, unknown, .. } = event else { return None };
    match (eta_s, between_s, unknown) {
        (None, _, 0) => None,
        (None, ..) => Some("time left not known yet".to_owned()),
        (Some(s), between, 0) => {
            let (low, high) = between.unwrap_or((*s, *s));
            Some(format!("{} left", span(low, high)))
        }
        (Some(s), between, _) => {
            let low = between.map_or(*s, |(low, _)| low);
            Some(format!("at least {} left", span(low, low).trim_start_matches("about ")))
        }
    }
}

/// `low` to `high` seconds, in the unit that suits the longer one.
fn span(low: f64, high: f64) -> String {
    let (unit, name) = match high {
        high if high < 120.0 => (1.0, "second"),
        high if high < 7200.0 => (60.0, "minute"),
        high if high < 172_800.0 => (3600.0, "hour"),
        _ => (86_400.0, "day"),
    };
    let (low, high) = ((low / unit).round(), (high / unit).round());
    let plural = |n: f64| if n == 1.0 { "" } else { "s" };
    if high < 1.0 {
        return format!("less than a {name}");
    }
    if low == high {
        return format!("about {high} {name}{}", plural(high));
    }
    format!("{low} to {high} {name}{}", plural(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_one_unit_and_no_digits_that_nobody_knows() {
        let cases = [
            (0.1, 0.4, "less than a second"),
            (0.2, 1.2, "0 to 1 second"),
            (20.0, 90.0, "20 to 90 seconds"),
            (50.0, 400.0, "1 to 7 minutes"),
            (3540.0, 3560.0, "about 59 minutes"),
            (7000.0, 20_000.0, "2 to 6 hours"),
            (200_000.0, 400_000.0, "2 to 5 days"),
        ];
        for (low, high, said) in cases {
            assert_eq!(span(low, high), said);
        }
    }
}
