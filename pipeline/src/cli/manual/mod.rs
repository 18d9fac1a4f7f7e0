//! The manual: its pages, one per command, each with examples, environment variables and exit status. `--help` ends
//! with the same examples.

mod examples;

use std::{fs, io, path::Path};

use clap::Command;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use crate::registry::Registry;

/// A call as it is typed, and what it does.
pub type Example = (&'static str, &'static str);

/// What the exit codes mean.
const EXIT_STATUS: [(&str, &str); 5] = [
    ("0", "success; stages that are unavailable here are listed and are not an error"),
    ("1", "a stage failed, or a check did not pass"),
    ("2", "the command line, a config or the graph is wrong; nothing was run"),
    ("3", "the store or another file cannot be read or written"),
    ("130", "interrupted; the next run continues from there"),
];

/// The environment variables that every command reads.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("PROFILE", "the profile, where --profile is not given"),
    ("RETUNE_ARTIFACTS", "the folder that holds the artifacts, where --store is not given"),
    ("JOBS", "CPU slots of a run, where --jobs is not given"),
    ("NO_COLOR", "set to anything: no colours, on a terminal too"),
];

/// `command` with examples appended to the help of each command.
pub(super) fn with_examples(
    command: Command,
    registry: &Registry,
    extras: &[Box<dyn super::Command>],
) -> Command {
    let experiment = registry.experiments.first().map_or("EXPERIMENT", |first| first.id());
    with_examples_of(command, (registry.program, experiment), extras)
}

/// The same, for a program of this name with this experiment.
fn with_examples_of(
    command: Command,
    (program, experiment): (&str, &str),
    extras: &[Box<dyn super::Command>],
) -> Command {
    let own = |path: &str| {
        let extra = extras.iter().find(|extra| called(&***extra) == path);
        extra.map_or_else(|| examples::of(path), |extra| extra.examples())
    };
    let told = |path: &str| {
        let group = path.rsplit_once(' ').map(|(group, _)| own(group)).unwrap_or_default();
        let call = format!("{{program}} {path}");
        let of_group = group.iter().filter(|(example, _)| example.starts_with(&call));
        own(path)
            .iter()
            .chain(of_group)
            .map(|(call, does)| {
                let call = call.replace("{program}", program);
                (call.replace("{experiment}", experiment), (*does).to_owned())
            })
            .collect::<Vec<_>>()
    };
    let codes = command.get_after_help().map(|codes| format!("\n\n{codes}"));
    let examples = listed(&told("")) + &codes.unwrap_or_default();
    let command = command.after_help(examples);
    below(command, "", &told)
}

/// The words after the program's name that call a command.
fn called(extra: &dyn super::Command) -> String {
    let name = extra.clap().get_name().to_owned();
    extra.within().map_or(name.clone(), |whole| format!("{whole} {name}"))
}

fn below(command: Command, path: &str, told: &impl Fn(&str) -> Vec<(String, String)>) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command;
    for name in names {
        let path = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command = command.mut_subcommand(name, |sub| {
            let mut examples = told(&path);
            if examples.is_empty() {
                let below = sub.get_subcommands().map(|sub| format!("{path} {}", sub.get_name()));
                examples = below.flat_map(|path| told(&path)).collect();
            }
            let sub = if examples.is_empty() { sub } else { sub.after_help(listed(&examples)) };
            below(sub, &path, told)
        });
    }
    command
}

/// The heading of the list of examples.
const EXAMPLES: &str = "Examples:";

/// Examples as `--help` lists them: the call, and below it what it does.
fn listed(examples: &[(String, String)]) -> String {
    let lines = examples.iter().map(|(call, does)| format!("\n  {call}\n      {does}"));
    EXAMPLES.to_owned() + &lines.collect::<String>()
}

/// Writes one page per command into `dir`.
pub(super) fn write(command: Command, dir: &Path) -> io::Result<()> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    pages(&command, dir)
}

fn pages(command: &Command, dir: &Path) -> io::Result<()> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        pages(sub, dir)?;
    }
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = Roff::new();
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(examples) = examples.strip_prefix(EXAMPLES) {
        rest.control("SH", ["EXAMPLES"]);
        // The program's own end with an empty line and the exit codes, which every page has below.
        let lines = examples.lines().skip(1).take_while(|line| !line.is_empty());
        let lines: Vec<&str> = lines.map(str::trim).collect();
        for pair in lines.chunks(2) {
            rest.control("TP", []);
            rest.text([bold(pair[0])]);
            rest.text([roman(pair.get(1).copied().unwrap_or_default())]);
        }
    }
    for (title, entries) in [("ENVIRONMENT", &ENVIRONMENT[..]), ("EXIT STATUS", &EXIT_STATUS)] {
        rest.control("SH", [title]);
        for (name, means) in entries {
            rest.control("TP", []);
            rest.text([bold(*name)]);
            rest.text([roman(*means)]);
        }
    }
    rest.to_writer(&mut page)?;
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    fs::write(dir.join(man.get_filename()), page)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::args::Cli;

    /// The commands below `command`, by the words that call them.
    fn leaves(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let path = format!("{path} {}", sub.get_name()).trim().to_owned();
            if sub.has_subcommands() {
                leaves(sub, &path, found);
            } else {
                found.push(path);
            }
        }
    }

    /// The words of a call as a shell takes them: quotes keep spaces together.
    fn words(call: &str) -> Vec<String> {
        let (mut words, mut quoted) = (vec![String::new()], false);
        for c in call.chars() {
            match c {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                _ => words.last_mut().expect("has one").push(c),
            }
        }
        words
    }

    /// The pages below `command` without examples.
    fn without_examples(command: &Command, path: &str, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        if !help.starts_with(EXAMPLES) {
            found.push(path.to_owned());
        }
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            without_examples(sub, &format!("{path} {}", sub.get_name()), found);
        }
    }

    #[test]
    fn every_page_has_examples_those_of_groups_too() {
        let command = with_examples_of(Cli::command(), ("toy", "one"), &[]);
        let mut found = Vec::new();
        without_examples(&command, "toy", &mut found);
        assert!(found.is_empty(), "{found:?}");
        let export = command.find_subcommand("export").and_then(Command::get_after_help);
        assert!(export.is_some_and(|help| help.to_string().contains("toy export prov prov.json")));
    }

    #[test]
    fn every_command_has_examples_and_each_can_be_typed() {
        let mut paths = Vec::new();
        leaves(&Cli::command(), "", &mut paths);
        assert!(paths.len() > 20, "{paths:?}");
        for path in paths {
            let examples = examples::of(&path);
            assert!(!examples.is_empty(), "{path} has no example");
            for (call, does) in examples {
                let words = words(&call.replace("{experiment}", "toy"));
                assert_eq!(words[0], "{program}", "{call}");
                assert!(words[1..].join(" ").starts_with(&path), "{call} is no call of {path}");
                if let Err(e) = Cli::command().try_get_matches_from(words) {
                    panic!("{call}: {e}");
                }
                assert!(does.ends_with(|c: char| c.is_alphanumeric() || c == ')'), "{does}");
            }
        }
    }
}
