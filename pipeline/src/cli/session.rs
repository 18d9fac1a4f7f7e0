//! What every command starts from: the registry, the flags, the configs, the graph and the store.

mod paint;
pub(super) mod words;
mod wrap;

use std::{
    cell::Cell,
    io::Write,
    path::PathBuf,
    sync::{Arc, mpsc::sync_channel},
    thread,
};

pub use self::paint::Tone;
use self::wrap::wrapped;
use super::args::Globals;
use crate::{
    artifacts::Artifacts,
    config::{Config, Override},
    error::{Error, Result, suggestion},
    graph::{Builder, Graph},
    kinds::Kinds,
    recorded::folder,
    registry::Registry,
    store::Store,
};

/// The context of a command.
pub struct Session {
    pub(crate) registry: Registry,
    globals: Globals,
    overrides: Vec<Override>,
    /// Whether the user was told that the log is lost.
    warned: Cell<bool>,
}

impl Session {
    pub(super) fn new(registry: Registry, globals: Globals) -> Result<Self> {
        let overrides = globals.parsed_overrides()?;
        Ok(Self { registry, globals, overrides, warned: Cell::new(false) })
    }

    /// The profile in use.
    #[must_use]
    pub fn profile(&self) -> &str {
        self.globals.profile.as_deref().unwrap_or(self.registry.default_profile)
    }

    /// The profile that was asked for, if one was.
    #[must_use]
    pub fn asked_profile(&self) -> Option<&str> {
        self.globals.profile.as_deref()
    }

    /// The overrides as typed.
    #[must_use]
    pub fn overrides(&self) -> &[String] {
        &self.globals.overrides
    }

    /// The stage kinds that the program knows.
    #[must_use]
    pub fn kinds(&self) -> &Kinds {
        &self.registry.kinds
    }

    /// The folder that holds the artifacts.
    #[must_use]
    pub fn artifacts(&self) -> &PathBuf {
        &self.globals.store
    }

    /// The folder of the runs that are kept with the sources: beside the results or, where there is none, beside the
    /// configs.
    #[must_use]
    pub fn recorded(&self) -> PathBuf {
        let own = folder(&self.globals.store);
        let sources = folder(&self.globals.configs.join("../artifacts"));
        if !own.is_dir() && sources.is_dir() { sources } else { own }
    }

    /// The folder that holds the configs.
    #[must_use]
    pub fn config_dir(&self) -> &PathBuf {
        &self.globals.configs
    }

    /// Opens the store, creating it if there is none.
    ///
    /// # Errors
    /// When it cannot be created or read.
    pub fn store(&self) -> Result<Arc<Store>> {
        Store::open(&self.globals.store).map(Arc::new).inspect(|store| self.warn(store))
    }

    /// Warns where the log is lost: without a word, everything would be computed again.
    fn warn(&self, store: &Store) {
        if !self.warned.get()
            && let Some(log) = store.unreadable_log()
        {
            self.warned.set(true);
            self.note(&format!(
                "warning: nothing in {} can be read, so the results beside it count as missing; `retune fsck` looks at \
                 everything, and a copy of the file brings them back",
                log.display()
            ));
        }
    }

    /// The results in the store: those of the requested profile, otherwise the last of each stage; with overrides, those
    /// of runs that had the same.
    ///
    /// # Errors
    /// When there are none.
    pub fn results(&self) -> Result<Artifacts> {
        let Globals { store, profile, overrides, .. } = &self.globals;
        let results = match profile {
            _ if !overrides.is_empty() => Artifacts::with(store, profile.as_deref(), overrides),
            Some(profile) => Artifacts::under(store, profile),
            None => Artifacts::open(store),
        };
        results.inspect(|results| self.warn(results.store()))
    }

    fn file(&self, id: &str) -> PathBuf {
        self.globals.configs.join(format!("{id}.toml"))
    }

    /// The configs of all experiments under `profile`, with the overrides applied.
    ///
    /// # Errors
    /// When one is missing or wrong, or an override matches none.
    pub fn configs(&self, profile: &str) -> Result<Vec<Config>> {
        self.configs_with(profile, &self.overrides)
    }

    fn configs_with(&self, profile: &str, overrides: &[Override]) -> Result<Vec<Config>> {
        let ids: Vec<_> = self.registry.experiments.iter().map(|e| e.id()).collect();
        let read = |id: &&str| Config::read(&self.file(id), profile);
        let mut configs = ids.iter().map(read).collect::<Result<Vec<_>>>()?;
        for change in overrides {
            let own = change.key.split_once('.').and_then(|(head, rest)| {
                let at = ids.iter().position(|id| *id == head)?;
                Some((at, Override { key: rest.to_owned(), value: change.value.clone() }))
            });
            if let Some((at, change)) = own {
                configs[at].set(&change)?;
                continue;
            }
            let mut any = false;
            for config in configs.iter_mut().filter(|config| config.has(&change.key)) {
                config.set(change)?;
                any = true;
            }
            if !any {
                let keys: Vec<_> = configs.iter().flat_map(Config::keys).collect();
                let near = suggestion(&change.key, keys.iter().map(String::as_str));
                return Err(Error::usage(format!(
                    "--set {}: no config has this key{near}",
                    change.key
                )));
            }
        }
        Ok(configs)
    }

    /// The graph of all experiments under the profile in use.
    ///
    /// # Errors
    /// When a config or the graph is wrong.
    pub fn graph(&self) -> Result<Graph> {
        self.graph_of(self.profile())
    }

    /// The graph of the profile in use and the store, read in parallel.
    ///
    /// # Errors
    /// When a config or the graph is wrong (then no store is created), or the store cannot be opened.
    pub fn graph_and_store(&self) -> Result<(Graph, Arc<Store>)> {
        if !self.globals.store.is_dir() {
            return Ok((self.graph()?, self.store()?));
        }
        let (sender, receiver) = sync_channel(1);
        let dir = self.globals.store.clone();
        // Once it has handed over the store, the thread looks ahead for the next plan.
        let opening = thread::spawn(move || {
            let store = Store::open(&dir).map(Arc::new);
            let survey = store.as_ref().ok().map(|store| store.survey_ahead());
            drop(sender.send(store)); // nobody waits if the graph was wrong
            if let Some(survey) = survey {
                survey.look();
            }
        });
        let graph = self.graph()?;
        match receiver.recv() {
            Ok(store) => Ok((graph, store.inspect(|store| self.warn(store))?)),
            // Only a panic closes the channel.
            Err(_) => match opening.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => Ok((graph, self.store()?)),
            },
        }
    }

    /// The graph of all experiments under `profile`.
    ///
    /// # Errors
    /// When a config or the graph is wrong.
    pub fn graph_of(&self, profile: &str) -> Result<Graph> {
        self.expanded(self.configs(profile)?)
    }

    /// The same with these overrides instead of those of the command line.
    ///
    /// # Errors
    /// When a config, an override or the graph is wrong.
    pub fn graph_with(&self, profile: &str, overrides: &[String]) -> Result<Graph> {
        let parsed = overrides
            .iter()
            .map(|text| text.parse().map_err(|e| Error::usage(format!("override {text}: {e}"))));
        self.expanded(self.configs_with(profile, &parsed.collect::<Result<Vec<_>>>()?)?)
    }

    fn expanded(&self, configs: Vec<Config>) -> Result<Graph> {
        let mut builder = Builder::new(&self.registry.kinds).at_most(self.globals.max_stages);
        for (experiment, config) in self.registry.experiments.iter().zip(configs) {
            builder.trust(self.registry.trusted.contains(&experiment.id()));
            experiment.expand(&config, &mut builder)?;
        }
        builder.build()
    }

    /// The profiles that all configs have.
    ///
    /// # Errors
    /// When a config is missing or not valid TOML.
    pub fn profiles(&self) -> Result<Vec<String>> {
        let mut common: Option<Vec<String>> = None;
        for experiment in &self.registry.experiments {
            let profiles = Config::profiles(&self.file(experiment.id()))?;
            match &mut common {
                None => common = Some(profiles),
                Some(common) => common.retain(|profile| profiles.contains(profile)),
            }
        }
        Ok(common.unwrap_or_default())
    }

    /// Prints to standard output. A closed pipe (`| head`) is not an error.
    ///
    /// # Errors
    /// When standard output cannot be written for another reason.
    pub fn print(&self, text: &str) -> Result<()> {
        print(text.as_bytes())
    }

    /// The width that tables and text are fitted to: that of the terminal, if standard output is one and `--wide` was
    /// not given.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        let terminal = terminal_size::terminal_size_of(std::io::stdout());
        let (terminal_size::Width(width), _) = terminal.filter(|_| !self.globals.wide)?;
        Some(width.into())
    }

    /// Writes lines of text to standard output: broken at [`Session::width`], between words where possible, with
    /// the colours that [`Tone::paint`] gave them only on a terminal that supports them, unless `NO_COLOR` is set.
    ///
    /// # Errors
    /// As [`Session::print`].
    pub fn print_words(&self, text: &str) -> Result<()> {
        let broken = self.width().map(|width| wrapped(text, width));
        let text = broken.as_deref().unwrap_or(text);
        match anstream::AutoStream::choice(&std::io::stdout()) {
            anstream::ColorChoice::Never => {
                self.print(&anstream::adapter::strip_str(text).to_string())
            }
            _ => self.print(text),
        }
    }

    /// The stages that `targets` need, as in [`Graph::select`].
    ///
    /// # Errors
    /// When a target matches nothing; if a config has its name, the remedy is to build the program again.
    pub(super) fn select(&self, graph: &Graph, targets: &[String]) -> Result<Vec<bool>> {
        graph.select(targets).map_err(|error| self.unbuilt(targets, error))
    }

    /// `error`, with another remedy if a target names a config that this program does not know.
    pub(super) fn unbuilt(&self, targets: &[String], error: Error) -> Error {
        let known = |id: &str| self.registry.experiments.iter().any(|known| known.id() == id);
        let first = |target: &String| target.split('/').next().unwrap_or_default().to_owned();
        let new = targets.iter().map(first).find(|id| {
            !id.is_empty() && !id.contains(['*', '.']) && !known(id) && self.file(id).is_file()
        });
        match new {
            None => error,
            Some(id) => error.help(format!(
                "{} is there, but this program was built before `{id}` was added: build it again \
                 (`cargo build --release`)",
                self.file(&id).display()
            )),
        }
    }

    /// Writes a line to standard error: what a reader must know, and no part of the answer.
    pub fn note(&self, text: &str) {
        // Nothing more can be said when standard error is closed.
        drop(writeln!(std::io::stderr().lock(), "{text}"));
    }

    /// Writes an error that ends nothing to standard error, with its remedy.
    pub fn warning(&self, error: &Error) {
        let remedy = error.remedy().map_or_else(String::new, |remedy| format!("\nhelp: {remedy}"));
        self.note(&format!("warning: {error}{remedy}"));
    }

    pub(super) fn print_json<T: serde::Serialize>(&self, value: &T) -> Result<()> {
        self.print(&json(value)?)
    }
}

/// Writes to standard output. A closed pipe (`| head`) is not an error.
pub(super) fn print(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("write to", std::path::Path::new("standard output"), &e))
        }
        _ => Ok(()),
    }
}

/// A value as JSON for machines, with a line feed at the end.
pub(super) fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|e| Error::usage(format!("cannot write JSON: {e}")).because(e))
}
