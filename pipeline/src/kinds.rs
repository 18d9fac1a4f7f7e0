//! The stage kinds of a program: for each, the function that runs it, its code, and the formula of its work.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use crate::{
    code::{self, Code, Table},
    estimate::typical::Brought,
    stage::{Context, Output, Stage, Stop},
    work::{Inputs, Size, Work},
};

/// A registered stage kind.
pub struct Kind {
    /// The module of its code ([`Stage::MODULE`]).
    pub module: &'static str,
    /// Its code.
    pub code: Arc<Code>,
    pub(crate) outputs: &'static [Output],
    pub(crate) run: fn(&str, &mut Context) -> Result<(), Stop>,
    /// The formula of its work; `None` if the parameters cannot be read.
    pub(crate) load: fn(&str, &Inputs) -> Option<Load>,
    /// The size of an output that does not exist yet, if the kind knows it.
    pub(crate) writes: fn(&str, &str, &Inputs) -> Option<Size>,
}

/// The amount of work of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Which of its kind's variants it is ([`Work::variant`]).
    pub variant: String,
    /// Elementary operations ([`Work::work`]).
    pub work: f64,
}

/// The stage kinds of a program.
#[derive(Default)]
pub struct Kinds {
    all: BTreeMap<&'static str, Kind>,
    brought: Brought,
    /// Program beside this one → how it is built.
    builds: BTreeMap<&'static str, &'static str>,
}

impl Kinds {
    /// Registers a kind; `table` is the build-time table of code digests.
    ///
    /// # Panics
    /// If another kind has the same name: its stages would be run by this one's code.
    pub fn add<S: Stage + Work>(&mut self, table: Table) -> &mut Self {
        let kind = Kind {
            module: S::MODULE,
            code: Arc::new(code::of(S::MODULE, table)),
            outputs: S::OUTPUTS,
            run: run::<S>,
            load: load::<S>,
            writes: writes::<S>,
        };
        let before = self.all.insert(S::KIND, kind);
        assert!(before.is_none(), "two kinds of stages are called {}", S::KIND);
        self
    }

    /// The work of a stage of this kind with these parameters; `None` if there is no such kind or the parameters are
    /// not its own.
    #[must_use]
    pub fn load(&self, kind: &str, params: &str, inputs: &Inputs) -> Option<Load> {
        (self.get(kind)?.load)(params, inputs)
    }

    /// Adds what stages took elsewhere to the estimates, as `rates --typical` prints it, for kinds of which a store
    /// has no records yet.
    pub fn bring(&mut self, rates: &str) -> &mut Self {
        self.brought.add(rates);
        self
    }

    /// Says how a program that carries out stages ([`Needs::program`](crate::stage::Needs)) is built, for messages
    /// where it is missing.
    pub fn built_by(&mut self, program: &'static str, command: &'static str) -> &mut Self {
        self.builds.insert(program, command);
        self
    }

    /// The command that builds the program, if it was told.
    pub(crate) fn build_of(&self, program: &str) -> Option<&'static str> {
        self.builds.get(program).copied()
    }

    pub(crate) fn brought(&self) -> &Brought {
        &self.brought
    }

    /// The kind with this name.
    #[must_use]
    pub fn get(&self, kind: &str) -> Option<&Kind> {
        self.all.get(kind)
    }
}

/// Runs a stage from its canonical parameters. A panic counts as a failure of this stage only.
fn run<S: Stage>(params: &str, cx: &mut Context) -> Result<(), Stop> {
    let stage: S = serde_json::from_str(params)
        .map_err(|e| Stop::Failed(format!("parameters cannot be read back: {e}")))?;
    catch_unwind(AssertUnwindSafe(|| stage.run(cx))).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Stop::Failed(format!("panicked: {text}")))
    })?;
    match cx.outputs.iter().find(|output| !cx.written.contains(&output.name)) {
        Some(output) => Err(Stop::Failed(format!("ended without writing `{}`", output.name))),
        None => Ok(()),
    }
}

fn load<S: Work>(params: &str, inputs: &Inputs) -> Option<Load> {
    let stage: S = serde_json::from_str(params).ok()?;
    let work = stage.work(inputs);
    (work.is_finite() && work > 0.0).then(|| Load { variant: stage.variant(), work })
}

fn writes<S: Work>(params: &str, output: &str, inputs: &Inputs) -> Option<Size> {
    serde_json::from_str::<S>(params).ok()?.writes(output, inputs)
}
