//! Adds the stages of a paper's claims to its graph. Separate from the stages themselves, because the
//! assembly of the graph is not part of a stage's key.

use pipeline::{
    graph::{Builder, Draft},
    seed::Seed,
};

use super::{
    Claim,
    again::{Again, OTHERS},
    criteria::{CalibrationStage, ClaimsStage, Criteria},
};
use crate::{
    port::In,
    wire::{Handle, Wire},
};

/// A table that claims rest on, and the input that reads it.
#[derive(Clone, Debug)]
pub struct Source {
    role: String,
    stage: String,
    output: &'static str,
}

impl Source {
    /// `table`, read as `input`.
    #[must_use]
    pub fn new<T>(input: &In<T>, table: &Handle<T>) -> Self {
        let (role, stage) = (input.role(), table.stage().to_owned());
        Self { role, stage, output: table.output() }
    }

    fn read_by(&self, draft: &mut Draft) {
        draft.read(self.role.as_str(), self.stage.as_str(), self.output, true);
    }
}

/// Adds the verdicts on a paper's claims, and the calibration of each claim that describes its two worlds.
/// Unavailable evidence is an absent input.
///
/// # Errors
/// If a stage of this name exists, or its kind is not registered.
pub fn conclude<C: Criteria>(
    builder: &mut Builder,
    (root_seed, again): (u64, &Again),
    claims: Vec<Claim>,
    criteria: &C,
    sources: &[Source],
) -> pipeline::Result<()> {
    let claims = again.judged(claims);
    let mut calibrated = Vec::new();
    for claim in claims.iter().filter(|claim| claim.calibration.is_some()) {
        let name = format!("{}/{}", C::CALIBRATION, claim.id);
        let stage = CalibrationStage { claim: claim.clone(), criteria: criteria.clone() };
        let seed = Seed::new(root_seed, &name, 0);
        let draft = builder.add(name.as_str(), &stage)?.seed(seed);
        let roles = roles(criteria, &claim.id);
        for source in sources.iter().filter(|source| roles.contains(&source.role)) {
            source.read_by(draft);
        }
        let table = draft.gives(&CalibrationStage::<C>::MAIN);
        calibrated.push(Source::new(&ClaimsStage::<C>::RATES.at(&claim.id), &table));
    }
    let roles: Vec<String> = claims.iter().flat_map(|claim| roles(criteria, &claim.id)).collect();
    let stage = ClaimsStage { claims, criteria: criteria.clone(), root_seed };
    let seed = Seed::new(root_seed, C::CLAIMS, 0);
    let draft = builder.add(C::CLAIMS, &stage)?.seed(seed);
    let rested_on = sources.iter().filter(|source| roles.contains(&source.role));
    for source in rested_on.chain(&calibrated) {
        source.read_by(draft);
    }
    for (root, judge) in again.repetitions(C::CLAIMS) {
        draft.may_read(&OTHERS.at(root), &ClaimsStage::<C>::SEEDS.of(judge));
    }
    Ok(())
}

/// The roles of all inputs that a claim rests on, under any configuration.
fn roles<C: Criteria>(criteria: &C, id: &str) -> Vec<String> {
    criteria.rules_of(id).iter().flat_map(|rules| criteria.rests_on(id, rules)).collect()
}
