//! Options that may be given in the environment: `PROFILE`, `JOBS`. A variable that is set to an empty string counts
//! as unset, since `make` passes on every setting, given or not.

use std::env;

use clap::{Arg, Command};

/// The command without the effect of empty variables.
pub(super) fn without_empty(command: Command) -> Command {
    command.mut_args(unless_empty).mut_subcommands(without_empty)
}

fn unless_empty(arg: Arg) -> Arg {
    let empty = arg.get_env().and_then(env::var_os).is_some_and(|value| value.is_empty());
    if empty { arg.env(None) } else { arg }
}
