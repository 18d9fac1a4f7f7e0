//! What would change a verdict: the same rule on the same findings with other thresholds, samples or sizes.

use stats::bootstrap::Estimate;

use super::{
    Judged,
    finding::{Answer, Finding, LEAST_REPLICATES},
    published::{self, Kind},
    verdict::{Verdict, concluded, judge},
};

/// The most times as large a sample is tried.
const LARGEST: u32 = 64;
/// Places that a sentence names; the others it counts.
const NAMED: usize = 3;

/// How findings differ from those at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// What is added to all thresholds.
    pub shift: f64,
    /// Times as large a sample: values stay, and intervals narrow with its square root.
    pub factor: f64,
    /// Whether the evidence is taken to be of the paper's size.
    pub whole: bool,
}

impl Change {
    /// None at all.
    pub const NONE: Self = Self { shift: 0.0, factor: 1.0, whole: false };
}

/// The estimate from a sample `factor` times as large, with the same values.
fn resized(estimate: &Estimate, factor: f64, kind: Option<Kind>) -> Estimate {
    let n = (estimate.n as f64 * factor).round().max(1.0);
    let narrow = (estimate.n as f64 / n).sqrt();
    let end = |end: f64| match kind {
        Some(Kind::Ratio) if estimate.low > 0.0 => {
            estimate.value * (end / estimate.value).powf(narrow)
        }
        _ => estimate.value + (end - estimate.value) * narrow,
    };
    Estimate { low: end(estimate.low), high: end(estimate.high), n: n as usize, ..*estimate }
}

/// What would change a verdict, in sentences: the nearest change of each kind that does.
#[must_use]
pub fn what_would_change(judged: &Judged) -> String {
    if judged.verdict == Verdict::NotTestable {
        let places = places(judged.findings.iter().map(|found| &found.0));
        let on = if places.is_empty() { String::new() } else { format!(" on {places}") };
        return format!("Evidence{on} would give it a verdict.");
    }
    let told = [
        judged.by_size(),
        judged.by_replicates(),
        judged.by_calibration(),
        judged.by_root_seeds(),
        judged.by_untested(),
        judged.by_threshold(),
        judged.by_sample(),
        judged.by_one_place(),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() {
        return "Nothing that can be varied here changes it.".to_owned();
    }
    told.join(" ")
}

impl Judged {
    /// The verdict under a change.
    #[must_use]
    pub fn under(&self, change: Change) -> Verdict {
        let varied = |(finding, _): &(Finding, Answer)| self.varied(finding, change);
        let findings = self.claim.answered(self.findings.iter().map(varied).collect());
        self.of_answers(&findings, self.scaled_down && !change.whole)
    }

    fn varied(&self, finding: &Finding, change: Change) -> Finding {
        let paper = published::at(&self.claim.published, &finding.place);
        let kind = paper.map(|paper| paper.kind);
        let estimate = match &finding.estimate {
            // An unchanged sample keeps its very numbers.
            Some(estimate) if change.factor != 1.0 => Some(resized(estimate, change.factor, kind)),
            other => *other,
        };
        let mut varied = finding.clone();
        if let (Some(region), Some(own)) = (finding.region, &finding.estimate) {
            let moved = region.moved(change.shift);
            varied.region = Some(moved);
            // A criterion that asks for more than the value does so under any threshold.
            if finding.met == Some(region.holds(own.value)) {
                varied.met = Some(moved.holds(own.value));
            }
        }
        varied.scaled_down &= !change.whole;
        Finding { estimate, ..varied }
    }

    fn of_answers(&self, findings: &[(Finding, Answer)], scaled_down: bool) -> Verdict {
        let verdict = judge(self.rule, findings, scaled_down, self.rates.as_ref()).0;
        let flips = self.stability.flips && !verdict.scaled_down();
        if flips { Verdict::Inconclusive } else { verdict }
    }

    fn by_size(&self) -> Option<String> {
        let verdict = self.under(Change { whole: true, ..Change::NONE });
        (self.verdict.scaled_down() && !verdict.scaled_down()).then(|| {
            format!("At the paper's size, the same values would make it “{}”.", verdict.as_str())
        })
    }

    /// Where replicates are so few that they have no interval, so that no larger sample of the kind can be imagined.
    fn by_replicates(&self) -> Option<String> {
        let few = |found: &&(Finding, Answer)| {
            let Some(estimate) = found.0.estimate else { return false };
            let wide = estimate.low < estimate.high;
            let few = found.0.replicated && estimate.n < LEAST_REPLICATES && !wide;
            found.0.in_paper && found.1 == Answer::Open && few && found.0.met.is_some()
        };
        let few: Vec<&Finding> = self.findings.iter().filter(few).map(|found| &found.0).collect();
        let most = few.iter().filter_map(|finding| Some(finding.estimate?.n)).max()?;
        let on = places(few.into_iter());
        Some(format!(
            "At any size, an answer on {on} needs {LEAST_REPLICATES} replicates; there are {most}."
        ))
    }

    fn by_calibration(&self) -> Option<String> {
        let rates = self.rates.as_ref()?;
        let (_, why) =
            rates.trusted(concluded(self.rule, &self.findings, self.scaled_down)?.joined);
        let verdict = judge(self.rule, &self.findings, self.scaled_down, None).0;
        (!self.stability.flips && verdict != self.verdict).then(|| {
            format!(
                "Without its calibration it would be “{}”: it is {}.",
                verdict.as_str(),
                why.unwrap_or_default()
            )
        })
    }

    fn by_root_seeds(&self) -> Option<String> {
        let verdict = judge(self.rule, &self.findings, self.scaled_down, self.rates.as_ref()).0;
        (verdict != self.verdict)
            .then(|| format!("It would be “{}” if all root seeds gave that.", verdict.as_str()))
    }

    fn by_untested(&self) -> Option<String> {
        let untested = |found: &(Finding, Answer)| found.0.in_paper && found.1 == Answer::Untested;
        let lacking =
            places(self.findings.iter().filter(|found| untested(found)).map(|found| &found.0));
        if lacking.is_empty() {
            return None;
        }
        let with = |answer: Answer| {
            let found = |found: &(Finding, Answer)| {
                (found.0.clone(), if untested(found) { answer } else { found.1 })
            };
            let found: Vec<_> = self.findings.iter().map(found).collect();
            self.of_answers(&found, self.scaled_down)
        };
        let told: Vec<String> = [(Answer::Yes, "met"), (Answer::No, "missed")]
            .into_iter()
            .map(|(answer, what)| (with(answer), what))
            .filter(|(verdict, _)| *verdict != self.verdict)
            .map(|(verdict, what)| {
                format!("“{}” if {lacking}, untested, {what} the criterion", verdict.as_str())
            })
            .collect();
        (!told.is_empty()).then(|| format!("It would be {}.", told.join(", and ")))
    }

    /// The nearest shift of all thresholds, up or down, beyond which the verdict differs. Between two shifts at
    /// which a threshold meets an end of an interval, or a value, no answer changes.
    fn by_threshold(&self) -> Option<String> {
        let mut shifts = Vec::new();
        let mut thresholds: Vec<f64> = Vec::new();
        for finding in self.findings.iter().map(|found| &found.0) {
            let (Some(region), Some(estimate)) = (&finding.region, &finding.estimate) else {
                continue;
            };
            for end in region.ends().into_iter().filter(|end| end.is_finite()) {
                thresholds.push(end);
                let marks = [estimate.low, estimate.value, estimate.high];
                shifts.extend(marks.map(|mark| mark - end).into_iter().filter(|s| s.is_finite()));
            }
        }
        let changes = |shift: f64| {
            let verdict = self.under(Change { shift, ..Change::NONE });
            (verdict != self.verdict).then_some(verdict)
        };
        let nearest = |sign: f64| {
            let mut at: Vec<f64> = shifts.iter().map(|s| s * sign).filter(|&s| s > 0.0).collect();
            at.push(0.0);
            at.sort_by(f64::total_cmp);
            at.dedup();
            let last = at.last().map_or(1.0, |last| 2.0 * last + 1.0);
            let ends = at[1..].iter().copied().chain([last]);
            let mut between = at.iter().zip(ends);
            between.find_map(|(&from, to)| Some((from, changes(sign * 0.5 * (from + to))?)))
        };
        let sides = [(1.0, nearest(1.0)), (-1.0, nearest(-1.0))];
        let found = sides.into_iter().filter_map(|(sign, found)| Some((sign, found?)));
        let (sign, (by, verdict)) = found.min_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        let verdict = verdict.as_str();
        Some(if let [only] = thresholds[..] {
            let (side, at) = (if sign > 0.0 { "above" } else { "below" }, only + sign * by);
            format!(
                "It would be “{verdict}” with a threshold {side} {} instead of {}.",
                short(at),
                short(only)
            )
        } else {
            let way = if sign > 0.0 { "raised" } else { "lowered" };
            format!("It would be “{verdict}” with all thresholds {way} by more than {}.", short(by))
        })
    }

    fn by_sample(&self) -> Option<String> {
        let sampled = |finding: &&Finding| {
            finding.region.is_some() && finding.estimate.is_some_and(|e| e.low < e.high)
        };
        let mut sizes: Vec<usize> = self
            .findings
            .iter()
            .map(|found| &found.0)
            .filter(sampled)
            .filter_map(|finding| Some(finding.estimate?.n))
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        let &first = sizes.first()?;
        let changed = |times: u32| {
            let verdict = self.under(Change { factor: f64::from(times), ..Change::NONE });
            (verdict != self.verdict).then_some((times, verdict))
        };
        let sample = |times: u32| match sizes[..] {
            [_] => format!("a sample of {} instead of {first}", first * times as usize),
            _ => format!("samples {times} times as large"),
        };
        Some(match (2..=LARGEST).find_map(changed) {
            Some((times, verdict)) => format!(
                "It would be “{}” with {}, if values and their spread stayed the same.",
                verdict.as_str(),
                sample(times)
            ),
            None => format!(
                "Samples up to {LARGEST} times as large with the same values would not change it."
            ),
        })
    }

    /// Where no threshold is involved, the first place whose opposite answer would.
    fn by_one_place(&self) -> Option<String> {
        if self.findings.iter().any(|found| found.0.region.is_some()) {
            return None;
        }
        let opposite = |i: usize| {
            let (answer, told) = match self.findings[i].1 {
                Answer::Yes => (Answer::No, "failed on"),
                Answer::No => (Answer::Yes, "held on"),
                Answer::Open | Answer::Untested => return None,
            };
            let mut findings = self.findings.clone();
            findings[i].1 = answer;
            let verdict = self.of_answers(&findings, self.scaled_down);
            let place = &findings[i].0.place;
            (verdict != self.verdict)
                .then(|| format!("It would be “{}” if it {told} {place}.", verdict.as_str()))
        };
        (0..self.findings.len()).find_map(opposite)
    }
}

/// The places of findings, the first of them by name.
fn places<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut all: Vec<&str> = findings.map(|finding| finding.place.as_str()).collect();
    all.dedup();
    let more = all.len().saturating_sub(NAMED);
    let named = all.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// A number with three significant digits, without zeros at its end.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let digits = if value == 0.0 { 0.0 } else { 2.0 - value.abs().log10().floor() };
    let text = format!("{value:.*}", digits.max(0.0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
