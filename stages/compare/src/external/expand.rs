//! Adds the external optimisers to the graph, and what compares them with ours.

use std::path::{Path, PathBuf};

use kit::{
    device,
    wire::{self, Handle, Wire, gather_any, numbered},
};
use models::neural::residual::Device;
use pipeline::{
    config::Config,
    error::Result,
    graph::{Builder, Draft},
    seed::Seed,
};

use super::{
    adapters,
    config::ExternalConfig,
    parity::{Compared, Match},
    program::Program,
    tune::{TuneExternal, WAITED},
};
use crate::{config::CompareConfig, stages::tune::MAIN, tables::Trace};

/// MiB of memory of a stage whose optimiser computes with torch, and of another.
pub(crate) const MEMORY_MIB: [u64; 2] = [1500, 600];

/// An optimiser as the config names it.
struct Named {
    program: Program,
    /// Below the checkout; the first is the program's.
    files: Vec<String>,
    torch: bool,
    compared: Match,
}

/// Adds a stage per optimiser, task and group of runs, and the comparison with `ours`; nothing if none is asked for.
pub(crate) fn expand(
    config: &Config,
    values: &CompareConfig,
    builder: &mut Builder,
    ours: &Handle<Trace>,
) -> Result<()> {
    let external = &values.external;
    external.check(config, &values.tuners)?;
    let named = named(external);
    if named.is_empty() {
        return Ok(());
    }
    let root = checkout(config);
    let (mut traces, mut waited) = (Vec::new(), Vec::new());
    for one in &named {
        let name = &one.program.name;
        let runs = external.runs(name);
        for task in &values.tasks {
            for first in (0..runs).step_by(values.runs_per_stage as usize) {
                let stage = TuneExternal {
                    cell: values.cell(task, first, runs),
                    program: one.program.clone(),
                    memory_mib: MEMORY_MIB[usize::from(!one.torch)],
                };
                let id = format!("compare/external/{name}/{task}/first={first}");
                // The seed of our tuners: runs of the same number look up the same recorded trainings.
                let seed = Seed::new(values.root_seed, &format!("compare/{task}"), 0);
                let draft = builder.add(id, &stage)?.seed(seed);
                starts(draft, &root, &one.program, &one.files);
                if one.torch {
                    device::facet(draft, Device::Cpu);
                }
                wire::benchmark(draft, &crate::config::data(task));
                traces.push(draft.gives(&MAIN));
                waited.push(draft.gives(&WAITED));
            }
        }
    }
    let traces = gather_any(builder, "compare/external/traces", &MAIN, numbered(traces))?;
    gather_any(builder, "compare/external/waited", &WAITED, numbered(waited))?;
    let matches = named.into_iter().map(|one| one.compared).collect();
    let compared = Compared { matches, margin: external.margin };
    let draft = builder.add("compare/parity", &compared)?;
    draft.reads(&Compared::TRACES, ours).reads(&Compared::EXTERNAL, &traces);
    Ok(())
}

/// The checkout: configs are in a folder of it. What is absolute holds for a worker in another folder, too.
pub(crate) fn checkout(config: &Config) -> PathBuf {
    let file = std::path::absolute(config.file()).unwrap_or_else(|_| config.file().to_owned());
    file.parent().and_then(Path::parent).map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Lets a stage start a program of these files, and find its package.
pub(crate) fn starts(draft: &mut Draft, root: &Path, program: &Program, files: &[String]) {
    for file in files {
        draft.file(root.join(file));
    }
    if let Some(package) = &program.package {
        draft.pinned(package.environment(root));
    }
}

/// The optimisers of the config: adapters, then those of a user's own.
fn named(external: &ExternalConfig) -> Vec<Named> {
    let adapters = external.optimisers.iter().filter_map(|name| adapters::find(name));
    let adapters = adapters.map(|adapter| Named {
        program: adapter.program(adapter.name),
        files: adapter.files(),
        torch: adapter.torch,
        compared: Match {
            ours: adapter.ours.map(str::to_owned),
            theirs: adapter.name.to_owned(),
            package: adapter.told(),
        },
    });
    let own = external.own.iter().map(|one| Named {
        program: Program {
            name: one.name.clone(),
            package: None,
            interpreter: one.interpreter.clone(),
            arguments: one.arguments.clone(),
        },
        files: vec![one.file.clone()],
        torch: false,
        compared: Match { ours: None, theirs: one.name.clone(), package: "yours".to_owned() },
    });
    adapters.chain(own).collect()
}
