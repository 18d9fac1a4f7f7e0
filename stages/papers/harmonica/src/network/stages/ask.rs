//! The next round of a search: the earlier rounds are replayed to the tuner, which is then asked.

use driver::Arm;
use kit::port::Out;
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::{rounds, tuner::Fidelity};

use crate::network::{
    replay,
    rows::{self, Asked},
    signs,
};

/// Asks a search for a round.
#[derive(Serialize, Deserialize)]
#[serde(bound = "A: Arm")]
pub struct Ask<A> {
    /// The search.
    pub search: A,
    /// The number of variables, the first of all.
    pub variables: usize,
    /// The number of configurations to ask for.
    pub size: usize,
    /// Epochs of a full training.
    pub epochs: u32,
}

/// The requested configurations.
pub const MAIN: Out<Asked> = Out::table("main");

impl<A: Arm> Stage for Ask<A> {
    const KIND: &'static str = A::KIND;
    const MODULE: &'static str = A::MODULE;

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let space = signs::space(self.variables).map_err(Stop::failed)?;
        let mut tuner = self.search.tuner(space).map_err(Stop::failed)?;
        let earlier = replay::told(&rows::rounds(cx)?);
        let mut rng = cx.rng("search")?;
        replay::replay(tuner.as_mut(), &earlier, &mut rng).map_err(Stop::failed)?;
        let asked = rounds::ask(tuner.as_mut(), self.size, &mut rng).map_err(Stop::failed)?;
        let row = |suggestion: tuners::tuner::Suggestion| {
            let Fidelity::Part { divisor } = suggestion.fidelity else {
                return Err(Stop::Failed("a search asks for a probe".to_owned()));
            };
            let divisor = u32::try_from(divisor).unwrap_or(u32::MAX);
            Ok(Asked {
                number: u32::try_from(suggestion.id).unwrap_or(u32::MAX),
                minus: signs::of_config(&suggestion.config),
                epochs: (self.epochs / divisor).max(1),
            })
        };
        let asked = asked.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
        MAIN.write(cx, &asked)
    }
}
