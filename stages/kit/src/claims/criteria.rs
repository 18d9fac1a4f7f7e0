//! The stages `PAPER/calibration/CLAIM` and `PAPER/claims`, the same for every paper: the calibration of a
//! criterion at the sizes in use, and the verdicts on the evidence. The parts specific to a paper are its
//! [`Criteria`].

use pipeline::stage::{Context, Output, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Claim, Found, Judged,
    again::{self, Reached},
    calibration::{self, Ended, World},
    finding::Finding,
    grounds::{GroundsRow, PlaceRow},
    tables::{FoundRow, JudgedRow},
};
use crate::port::{Many, Out};

/// How the claims of one paper are judged: from tables to findings. The values are the parameters that this
/// needs from the config.
pub trait Criteria: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind of the verdict stage.
    const CLAIMS: &'static str;
    /// The kind of the calibration stages.
    const CALIBRATION: &'static str;
    /// The module whose code judges: `module_path!()`.
    const MODULE: &'static str;
    /// Whether some evidence is measured times, which differ from run to run.
    const MEASURED: bool = false;
    /// The evidence read from the inputs.
    type Evidence;

    /// The variants of the method, the one that counts first.
    fn rules(&self) -> Vec<String> {
        vec!["paper".to_owned()]
    }

    /// Whether a claim has a verdict under each of them.
    fn depends_on_rules(&self, _id: &str) -> bool {
        false
    }

    /// The roles of the inputs that a claim rests on under some rules.
    fn rests_on(&self, id: &str, rules: &str) -> Vec<String>;

    /// Reads the inputs that are there.
    ///
    /// # Errors
    /// When a table is corrupt or lacks a column.
    fn read(&self, cx: &Context, rules: &str) -> Result<Self::Evidence, Stop>;

    /// What is found about a claim.
    ///
    /// # Errors
    /// When no function judges the claim, or a table lacks a column.
    fn find(
        &self,
        id: &str,
        rules: &str,
        evidence: &Self::Evidence,
        rng: &mut ChaCha12Rng,
    ) -> Result<Found, Stop>;

    /// Evidence of the same size as it would be in a world; nothing where findings can be drawn about the
    /// levels of the claim's file.
    fn imagined(
        &self,
        _id: &str,
        _evidence: &Self::Evidence,
        _world: World,
        _rng: &mut ChaCha12Rng,
    ) -> Option<Self::Evidence> {
        None
    }

    /// What would be found in a world: the findings of imagined evidence, unless a claim simulates them
    /// themselves.
    fn simulate(
        &self,
        id: &str,
        rules: &str,
        evidence: &Self::Evidence,
        world: World,
        rng: &mut ChaCha12Rng,
    ) -> Option<Result<Vec<Finding>, Stop>> {
        let imagined = self.imagined(id, evidence, world, rng)?;
        Some(self.find(id, rules, &imagined, rng).map(|(_, findings)| findings))
    }

    /// Whether the evidence is of sizes below the paper's, unless each finding says this itself.
    fn scaled_down(&self, _id: &str, _findings: &[Finding]) -> bool {
        false
    }

    /// The variants under which a claim is judged.
    fn rules_of(&self, id: &str) -> Vec<String> {
        let mut rules = self.rules();
        rules.truncate(if self.depends_on_rules(id) { usize::MAX } else { 1 });
        rules
    }
}

/// Judges every claim under every variant of the method.
#[derive(Serialize, Deserialize)]
#[serde(bound = "C: Criteria")]
pub struct ClaimsStage<C> {
    /// The claims with their criteria.
    pub claims: Vec<Claim>,
    /// How the claims are judged.
    pub criteria: C,
    /// Root seed of the evidence.
    pub root_seed: u64,
}

impl<C: Criteria> ClaimsStage<C> {
    /// The calibration of the criteria, by claim.
    pub(super) const RATES: Many<Ended> = Many::new("calibration ");
    /// The verdicts.
    pub const MAIN: Out<JudgedRow> = Out::new("main", C::MEASURED);
    /// The findings that they rest on.
    pub const FINDINGS: Out<FoundRow> = Out::new("findings", C::MEASURED);
    /// The verdicts under each root seed.
    pub const SEEDS: Out<Reached> = Out::new("seeds", C::MEASURED);
    /// What each verdict rests on besides, and what would change it.
    pub const GROUNDS: Out<GroundsRow> = Out::new("grounds", C::MEASURED);
    /// What each finding rests on besides.
    pub const PLACES: Out<PlaceRow> = Out::new("places", C::MEASURED);
}

impl<C: Criteria> Stage for ClaimsStage<C> {
    const KIND: &'static str = C::CLAIMS;
    const MODULE: &'static str = C::MODULE;
    const OUTPUTS: &'static [Output] = &[
        Self::MAIN.output(),
        Self::FINDINGS.output(),
        Self::SEEDS.output(),
        Self::GROUNDS.output(),
        Self::PLACES.output(),
    ];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let others = again::others(cx)?;
        let (mut judged, mut reached) = (Vec::new(), Vec::new());
        for (i, rules) in self.criteria.rules().into_iter().enumerate() {
            let headline = i == 0;
            let evidence = self.criteria.read(cx, &rules)?;
            for claim in &self.claims {
                if !self.criteria.rules_of(&claim.id).contains(&rules) {
                    continue;
                }
                let mut rng = cx.rng(&claim.id)?;
                let found = self.criteria.find(&claim.id, &rules, &evidence, &mut rng)?;
                let scaled_down = self.criteria.scaled_down(&claim.id, &found.1);
                let ended = Self::RATES.at(&claim.id).read_if_there(cx)?;
                let rates = ended.and_then(|ended| calibration::of_rules(&ended, &rules));
                let roles = self.criteria.rests_on(&claim.id, &rules);
                let digests = roles.iter().filter_map(|role| cx.evidence(role));
                let mut one = Judged {
                    rules: rules.clone(),
                    headline,
                    evidence: digests.map(|d| d.to_string()).collect::<Vec<_>>().join(" "),
                    ..Judged::new(claim, found, scaled_down, rates)
                };
                let own = Reached::of(&one, self.root_seed);
                again::hear(&mut one, &own, &others);
                judged.push(one);
                reached.push(own);
            }
        }
        reached.extend(others);
        Self::MAIN.write(cx, &judged.iter().map(JudgedRow::from).collect::<Vec<_>>())?;
        Self::SEEDS.write(cx, &reached)?;
        Self::GROUNDS.write(cx, &judged.iter().map(GroundsRow::from).collect::<Vec<_>>())?;
        Self::PLACES.write(cx, &judged.iter().flat_map(PlaceRow::all).collect::<Vec<_>>())?;
        Self::FINDINGS.write(cx, &judged.iter().flat_map(FoundRow::all).collect::<Vec<_>>())
    }
}

/// Tests the criterion of one claim on simulated evidence.
#[derive(Serialize, Deserialize)]
#[serde(bound = "C: Criteria")]
pub struct CalibrationStage<C> {
    /// The claim with its criterion.
    pub claim: Claim,
    /// How the claim is judged.
    pub criteria: C,
}

impl<C: Criteria> CalibrationStage<C> {
    /// The answers of simulated evidence.
    pub const MAIN: Out<Ended> = Out::new("main", C::MEASURED);
}

impl<C: Criteria> Stage for CalibrationStage<C> {
    const KIND: &'static str = C::CALIBRATION;
    const MODULE: &'static str = C::MODULE;
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (claim, criteria) = (&self.claim, &self.criteria);
        let rules = criteria.rules_of(&claim.id);
        let mut ended = Vec::new();
        for rules in &rules {
            let evidence = criteria.read(cx, rules)?;
            let found = criteria.find(&claim.id, rules, &evidence, &mut cx.rng("findings")?)?;
            let scaled_down = criteria.scaled_down(&claim.id, &found.1);
            let simulate = |world: World, rng: &mut ChaCha12Rng| {
                criteria.simulate(&claim.id, rules, &evidence, world, rng)
            };
            let mut rng = cx.rng("simulations")?;
            let rates = calibration::rates(claim, &found, scaled_down, &mut rng, simulate)?;
            ended.extend(rates.into_iter().flat_map(|rates| Ended::of(claim, rules, rates)));
        }
        Self::MAIN.write(cx, &ended)
    }
}
