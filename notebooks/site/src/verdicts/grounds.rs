//! What verdicts rest on besides values, as the stages `PAPER/claims` wrote it: thresholds, sample sizes, the
//! rule that combines places, and what other root seeds gave. A table of a program that wrote none has none.

use pipeline::artifacts::Artifacts;

use crate::{drawing::frame::Frame, error::Result, verdicts::verdict::Verdict};

/// What a verdict rests on besides its findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Grounds {
    /// How answers are combined.
    pub rule: String,
    /// Whether the evidence is of sizes below the paper's.
    pub scaled_down: bool,
    /// Whether some root seed gives another verdict.
    pub flips: bool,
    /// Counts of simulations with the effect and without: met, in part, missed, open. None if there were none.
    pub rates: Option<[[f64; 4]; 2]>,
    /// What would change the verdict.
    pub change: String,
    /// The findings' own, in their order.
    pub places: Vec<Place>,
}

/// What a finding rests on besides its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Sample size.
    pub n: f64,
    /// Whether the sample is one of replicates.
    pub replicated: bool,
    /// Whether it alone is of a size below the paper's.
    pub scaled_down: bool,
    /// Whether the value meets the criterion.
    pub met: Option<bool>,
    /// The ends of the values that meet it; none where no interval is involved.
    pub region: Option<[f64; 2]>,
    /// The value without any effect, where the criterion asks for more than some effect.
    pub without_effect: Option<f64>,
}

/// A claim's id with the variant.
type Under = (String, String);

/// Whether the result of `stage` has this output.
fn there(artifacts: &Artifacts, stage: &str, output: &str) -> bool {
    artifacts.path(stage, output).is_ok()
}

/// The grounds of each claim under each variant.
///
/// # Errors
/// When a table cannot be read, or lacks a column.
pub fn grounds(artifacts: &Artifacts, stage: &str) -> Result<Vec<(Under, Grounds)>> {
    if !there(artifacts, stage, "grounds") || !there(artifacts, stage, "places") {
        return Ok(Vec::new());
    }
    let frame = Frame::read(artifacts, stage, "grounds")?;
    let (id, rules, rule) = (frame.text("id")?, frame.text("rules")?, frame.text("rule")?);
    let (scaled_down, flips) = (frame.flag("scaled_down")?, frame.flag("flips")?);
    let counts = |world: &str| -> Result<Vec<Vec<f64>>> {
        let ends = ["met", "in_part", "missed", "open"];
        ends.iter().map(|end| frame.number(&format!("{world}_{end}"))).collect()
    };
    let (claimed, absent) = (counts("claimed")?, counts("absent")?);
    let change = frame.text("change")?;
    let mut places = places(artifacts, stage)?;
    let one = |r: usize| {
        let under = (id[r].clone(), rules[r].clone());
        let rates = [&claimed, &absent].map(|world| [0, 1, 2, 3].map(|end| world[end][r]));
        let any = rates.as_flattened().iter().any(|count| *count > 0.0);
        let own = places.extract_if(.., |(of, _)| *of == under).map(|(_, place)| place).collect();
        let grounds = Grounds {
            rule: rule[r].clone(),
            scaled_down: scaled_down[r],
            flips: flips[r],
            rates: any.then_some(rates),
            change: change[r].clone(),
            places: own,
        };
        (under, grounds)
    };
    Ok((0..frame.rows()).map(one).collect())
}

fn places(artifacts: &Artifacts, stage: &str) -> Result<Vec<(Under, Place)>> {
    let frame = Frame::read(artifacts, stage, "places")?;
    let (id, rules, met) = (frame.text("id")?, frame.text("rules")?, frame.text("met")?);
    let (n, replicated) = (frame.number("n")?, frame.flag("replicated")?);
    let scaled_down = frame.flag("scaled_down")?;
    let (low, high) = (frame.number("region_low")?, frame.number("region_high")?);
    let none = frame.number("without_effect")?;
    let place = |r: usize| {
        let place = Place {
            n: n[r],
            replicated: replicated[r],
            scaled_down: scaled_down[r],
            met: match met[r].as_str() {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            },
            region: (!low[r].is_nan()).then_some([low[r], high[r]]),
            without_effect: (!none[r].is_nan()).then_some(none[r]),
        };
        ((id[r].clone(), rules[r].clone()), place)
    };
    Ok((0..frame.rows()).map(place).collect())
}

/// The verdict on each claim under each root seed, where there are several.
///
/// # Errors
/// When the table cannot be read, or lacks a column.
pub fn root_seeds(artifacts: &Artifacts, stage: &str) -> Result<Vec<(Under, (String, Verdict))>> {
    if !there(artifacts, stage, "seeds") {
        return Ok(Vec::new());
    }
    let frame = Frame::read(artifacts, stage, "seeds")?;
    let (id, rules) = (frame.text("id")?, frame.text("rules")?);
    let (seed, verdict) = (frame.text("root_seed")?, frame.text("verdict")?);
    let one =
        |r: usize| ((id[r].clone(), rules[r].clone()), (seed[r].clone(), Verdict::of(&verdict[r])));
    Ok((0..frame.rows()).map(one).collect())
}
