//! Calibrates a criterion at the sizes in use: evidence is simulated for two worlds, one in which the claim
//! is true and one in which it is not, and judged by the same functions as the real evidence. The outcomes in
//! each world are counted.

use pipeline::stage::Stop;
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use stats::{
    bootstrap::{Estimate, interval},
    distribution::{normal_quantile, t_quantile},
    moments::{mean, variance},
};

use super::{
    Claim,
    finding::Finding,
    published::{self, Kind},
    rates::{Ends, Rates},
    rule::Rule,
    verdict::concluded,
};
use crate::row::Row;

/// How often evidence is simulated in each world.
pub const DRAWS: u32 = 200;
/// Whether the claim is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// With the paper's effect.
    Claimed,
    /// Without it.
    Absent,
}

impl World {
    /// Both worlds.
    pub const BOTH: [Self; 2] = [Self::Claimed, Self::Absent];

    /// The name written to tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Absent => "absent",
        }
    }

    /// One of two values, by the world.
    #[must_use]
    pub fn pick<T>(self, claimed: T, absent: T) -> T {
        match self {
            Self::Claimed => claimed,
            Self::Absent => absent,
        }
    }
}

/// The two worlds of a claim, as its file describes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Worlds {
    /// What is so where the claim is true, in words.
    pub if_true: String,
    /// What is so where it is not, in words.
    pub if_false: String,
    /// The values about which findings are drawn, where the paper's code has no simulation of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
}

/// The values of a finding in both worlds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Level {
    /// The place of the finding, or how it ends; without one, every place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The value where the claim is true; without one the paper's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<f64>,
    /// In its stead, where the paper has no number: how many standard deviations between replicates the
    /// value lies from `absent`, towards what meets the criterion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviations: Option<f64>,
    /// The value where it is not; without one 0 for a difference and 1 for a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<f64>,
    /// How values spread: those of a ratio by factors. Without one as the paper's number is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
}

/// Counts how simulated evidence ends in both worlds; `found` has the real findings, and `simulate` those
/// of a world, or none where they are drawn about the levels of the claim's file. Nothing where these do
/// not say enough.
///
/// # Errors
/// If the simulation fails.
pub fn rates(
    claim: &Claim,
    (rule, found): &(Rule, Vec<Finding>),
    scaled_down: bool,
    rng: &mut ChaCha12Rng,
    simulate: impl Fn(World, &mut ChaCha12Rng) -> Option<Result<Vec<Finding>, Stop>>,
) -> Result<Option<Rates>, Stop> {
    let Some(worlds) = &claim.calibration else { return Ok(None) };
    let mut ends = [Ends::default(); 2];
    for (world, ends) in World::BOTH.into_iter().zip(&mut ends) {
        for _ in 0..DRAWS {
            let findings = match simulate(world, rng) {
                Some(findings) => findings?,
                None => match redrawn(claim, worlds, found, world, rng) {
                    Some(findings) => findings,
                    None => return Ok(None),
                },
            };
            let answered = claim.answered(findings);
            let Some(concluded) = concluded(*rule, &answered, scaled_down) else {
                return Ok(None);
            };
            ends.count(concluded.joined);
        }
    }
    let [claimed, absent] = ends;
    Ok(Some(Rates { claimed, absent }))
}

/// The findings as another sample would give them. If none has a region there is nothing to draw, since they
/// would be the same in every world. `None` if a level is unknown.
fn redrawn(
    claim: &Claim,
    worlds: &Worlds,
    found: &[Finding],
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Vec<Finding>> {
    let one = |finding: &Finding| {
        let (Some(estimate), Some(region)) = (finding.estimate, finding.region) else {
            return Some(finding.clone());
        };
        let level = worlds.levels.iter().find(|level| {
            level.place.as_ref().is_none_or(|place| finding.place.ends_with(place.as_str()))
        });
        let paper = published::at(&claim.published, &finding.place);
        let kind = level.and_then(|l| l.kind).or(paper.map(|p| p.kind));
        let deviation = deviation(&estimate);
        let none = match kind {
            Some(Kind::Difference) => Some(0.0),
            Some(Kind::Ratio) => Some(1.0),
            _ => None,
        };
        let absent = level.and_then(|l| l.absent).or(none);
        let apart = |level: &Level| {
            let towards = if region.reaches_up() { 1.0 } else { -1.0 };
            Some(absent? + towards * level.deviations? * deviation)
        };
        let claimed = level
            .and_then(|l| l.claimed.or_else(|| apart(l)))
            .or_else(|| paper.map(|paper| paper.value));
        // A place that the paper does not have has no level either, and does not contribute to the verdict.
        let centre = match world.pick(claimed, absent) {
            Some(centre) => centre,
            None if !finding.in_paper => return Some(finding.clone()),
            None => return None,
        };
        let estimate = drawn(&estimate, centre, deviation, kind, rng);
        let open = finding.met.is_none();
        let redrawn = Finding { estimate: Some(estimate), ..finding.clone() }.within(region);
        Some(if open { redrawn.met(None) } else { redrawn })
    };
    found.iter().map(one).collect()
}

/// The standard deviation between replicates that an interval implies.
fn deviation(estimate: &Estimate) -> f64 {
    let n = estimate.n as f64;
    if estimate.low == estimate.high {
        return 0.0;
    }
    0.5 * (estimate.high - estimate.low) / t_quantile(0.975, n - 1.0) * n.sqrt()
}

/// An estimate around `centre` from as many normal values as `like` has, with its interval.
fn drawn(
    like: &Estimate,
    centre: f64,
    deviation: f64,
    kind: Option<Kind>,
    rng: &mut ChaCha12Rng,
) -> Estimate {
    if deviation == 0.0 {
        return Estimate::exact(centre, like.n);
    }
    if !deviation.is_finite() {
        return Estimate { value: centre, low: f64::NAN, high: f64::NAN, n: like.n };
    }
    if kind == Some(Kind::Ratio) && like.value > 0.0 {
        let logs = normals(like.n, centre.ln(), deviation / like.value, rng);
        let e = interval(&logs, rng, mean);
        return Estimate { value: e.value.exp(), low: e.low.exp(), high: e.high.exp(), n: e.n };
    }
    let values = normals(like.n, centre, deviation, rng);
    interval(&values, rng, mean)
}

/// The standard deviation of measured values, used for simulations; 0 for fewer than two values.
#[must_use]
pub fn scatter(values: &[f64]) -> f64 {
    let deviation = variance(values).sqrt();
    if deviation.is_finite() { deviation } else { 0.0 }
}

/// Normal values.
pub fn normals(n: usize, centre: f64, deviation: f64, rng: &mut ChaCha12Rng) -> Vec<f64> {
    let one = |_| centre + deviation * normal_quantile(rng.random::<f64>());
    (0..n).map(one).collect()
}

/// How often simulated evidence of a claim gave each answer in one world, under one variant of the method.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Ended {
    /// the claim's short name
    id: String,
    /// variant of the method
    rules: String,
    /// claimed: the claim is true; absent: it is not
    world: String,
    /// what is so in that world
    what: String,
    #[row(flatten)]
    ends: Ends,
}

impl Ended {
    /// The rates in both worlds.
    pub fn of(claim: &Claim, rules: &str, rates: Rates) -> [Self; 2] {
        World::BOTH.map(|world| {
            let worlds = claim.calibration.as_ref();
            let what = worlds.map_or("", |w| world.pick(w.if_true.as_str(), w.if_false.as_str()));
            Self {
                id: claim.id.clone(),
                rules: rules.to_owned(),
                world: world.as_str().to_owned(),
                what: what.to_owned(),
                ends: world.pick(rates.claimed, rates.absent),
            }
        })
    }
}

/// The rates under one variant of the method.
#[must_use]
pub fn of_rules(ended: &[Ended], rules: &str) -> Option<Rates> {
    let of = |world: World| {
        ended
            .iter()
            .find(|one| one.rules == rules && one.world == world.as_str())
            .map(|one| one.ends)
    };
    Some(Rates { claimed: of(World::Claimed)?, absent: of(World::Absent)? })
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
