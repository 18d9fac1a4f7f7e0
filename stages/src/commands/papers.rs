//! `retune papers`: lists the papers, their configs and notebooks, and the program that trains for them.

use std::{collections::BTreeMap, fs, path::Path};

use clap::{Arg, ArgAction, ArgMatches};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Result},
};

use site::names::Named;

/// The command, with the names of the papers.
pub struct Papers(pub Vec<Named>);

impl Command for Papers {
    fn clap(&self) -> clap::Command {
        let words = |name: &'static str, help: &'static str| {
            Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
        };
        clap::Command::new("papers")
            .about("List the papers: id, notebook, the program that trains for it, title")
            .arg(
                Arg::new("paper")
                    .value_name("PAPER")
                    .num_args(0..)
                    .help("Only these [default: all]"),
            )
            .arg(words("ids", "Only their ids, one per line"))
            .arg(
                words(
                    "notebooks",
                    "Only their notebooks, one per line, including those of no paper",
                )
                .conflicts_with("ids"),
            )
    }

    fn examples(&self) -> &'static [Example] {
        &[("{program} papers", "list the papers with notebook and program")]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let wanted: Vec<&String> = matches.get_many("paper").into_iter().flatten().collect();
        super::known(&self.0, wanted.iter().copied())?;
        let chosen = |id: &str| wanted.is_empty() || wanted.iter().any(|one| *one == id);
        let papers = self.0.iter().filter(|paper| chosen(paper.id));
        if matches.get_flag("ids") {
            return session
                .print(&papers.map(|paper| format!("{}\n", paper.id)).collect::<String>());
        }
        let folder = session.config_dir().with_file_name("notebooks");
        let notebooks = notebooks(&folder)?;
        if matches.get_flag("notebooks") {
            let papers = |name: &str| self.0.iter().any(|paper| paper.id == name);
            let own = notebooks.iter().filter(|name| chosen(name) || !papers(name));
            return session.print(&own.map(|name| format!("{name}\n")).collect::<String>());
        }
        let graph = session.graph()?;
        let mut programs: BTreeMap<&str, &str> = BTreeMap::new();
        for node in graph.order().iter().map(|&id| &graph[id]) {
            if let (Some((id, _)), Some(program)) = (node.name.split_once('/'), node.needs.program)
            {
                programs.insert(id, program);
            }
        }
        let mut text = String::new();
        for Named { id, title, .. } in papers {
            let notebook = if notebooks.iter().any(|name| name == id) {
                folder.join(format!("{id}.ipynb")).display().to_string()
            } else {
                "-".to_owned()
            };
            let program = programs.get(id).unwrap_or(&"-");
            text += &format!("{id:12} {notebook:28} {program:14} {title}\n");
        }
        session.print_words(&text)
    }
}

/// The names of the notebooks in `folder`, sorted; empty if the folder does not exist.
fn notebooks(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let fault = |e| Error::io("read", folder, &e);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "ipynb") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}
