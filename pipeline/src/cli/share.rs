//! `push` and `pull`: transfer results between the store and a remote without computing any.

use std::{collections::BTreeMap, fmt::Write, path::PathBuf};

use clap::Args;

use super::{Session, remote::remote, run::record, session::words::count};
use crate::{
    error::{Error, Exit, Result},
    share::{
        pull::{Lack, Pulled, pull as get},
        push::{Pushed, push as put},
    },
};

#[derive(Args)]
pub(super) struct Push {
    /// Stage names, prefixes such as `hoag/digits`, or patterns with `*` [default: all]
    pub targets: Vec<String>,
    /// Where to: an existing folder, or `s3://BUCKET/PREFIX`
    #[arg(long, value_name = "URL")]
    pub remote: String,
    /// Sign what is put there, with the private key in this file (`key new` makes one)
    #[arg(long, value_name = "FILE")]
    pub sign: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct Pull {
    /// Stage names, prefixes such as `hoag/digits`, or patterns with `*` [default: all]
    pub targets: Vec<String>,
    /// Where from: a folder, a store such as a recorded run's, a tar archive, `https://…`, or `s3://BUCKET/PREFIX`
    #[arg(long, value_name = "URL")]
    pub remote: String,
    /// Take only what is signed with this key: a public key, or a file with one per line; may be given several times
    #[arg(long, value_name = "KEY")]
    pub trust: Vec<String>,
}

pub(super) fn push(session: &Session, args: &Push) -> Result<()> {
    let remote = remote(&args.remote, args.sign.as_deref(), &[])?;
    let (graph, store) = session.graph_and_store()?;
    let wanted = session.select(&graph, &args.targets)?;
    let Pushed { put, there, untold, stale } = put(&graph, &wanted, &store, &remote)?;
    let mut text = format!("{} pushed, {there} were there", count(put.len(), "stage"));
    if stale > 0 {
        let _ = write!(text, ", {stale} are not up to date");
    }
    text.push('\n');
    if let Some(first) = untold.first() {
        let n = count(untold.len(), "stage");
        let _ = writeln!(text, "not pushed: {n} of which no record is left, such as {first}");
    }
    session.print(&text)?;
    if put.is_empty() && there == 0 {
        return Err(Error::usage(format!(
            "nothing is up to date under profile {}",
            session.profile()
        ))
        .help("`retune run` computes results, `--profile NAME` chooses others"));
    }
    Ok(())
}

pub(super) fn pull(session: &Session, args: &Pull) -> Result<()> {
    let remote = remote(&args.remote, None, &args.trust)?;
    let (graph, store) = session.graph_and_store()?;
    let wanted = session.select(&graph, &args.targets)?;
    let pulled = get(&graph, &wanted, &store, &remote)?;
    session.print(&words(&pulled))?;
    let Pulled { had, pulled, lacking, .. } = pulled;
    let nothing = had.is_empty().then(|| nothing(&lacking));
    if pulled > 0 {
        // So that results are found under their profile.
        record(session, &store, &args.targets, had, BTreeMap::new())?;
    }
    let unsound: usize = lacking
        .iter()
        .filter(|(why, _)| matches!(why, Lack::Unsound(_)))
        .map(|(_, n)| n.len())
        .sum();
    if unsound > 0 {
        return Err(Error::new(
            Exit::Failed,
            format!("{unsound} results of the remote are unsound"),
        )
        .help("`retune run --remote URL` computes them and replaces them there"));
    }
    nothing.map_or(Ok(()), Err)
}

/// The error where nothing came and nothing was here.
fn nothing(lacking: &BTreeMap<Lack, Vec<String>>) -> Error {
    if lacking.contains_key(&Lack::Moved) {
        let message = "nothing was pulled: keys have moved since the remote's results were computed, by other code, another \
                       config or other data";
        return Error::new(Exit::Failed, message).help(
            "`retune run` computes them here; a program built from the sources of that time pulls them",
        );
    }
    let refused = |lack: &Lack| matches!(lack, Lack::Downloads | Lack::Untrusted(_));
    if lacking.keys().any(refused) {
        let message =
            "nothing was pulled: what the remote has is taken only if a trusted key has signed it";
        return Error::new(Exit::Failed, message)
            .help("`--trust KEY` names a key; `retune run` computes the results here");
    }
    Error::new(Exit::Failed, "nothing was pulled: the remote has none of the results")
        .help("`retune run` computes them; `--profile NAME` asks for those of another profile")
}

fn words(Pulled { had, pulled, told, lacking }: &Pulled) -> String {
    let mut text = format!("{} pulled, {} were here", count(*pulled, "stage"), had.len() - pulled);
    let missing: usize = lacking.values().map(Vec::len).sum();
    if missing > 0 {
        let _ = write!(text, ", {missing} not to be had");
    }
    text.push('\n');
    if *told > 0 {
        let _ = writeln!(
            text,
            "of {told} stages the remote has the digests and not the tables: a run computes them, and what was pulled \
             stays as it is where they come out the same"
        );
    }
    let mut needing: Vec<(&str, usize)> = Vec::new();
    for (why, stages) in lacking {
        let (n, first) = (stages.len(), stages.first().map_or("", String::as_str));
        let why = match why {
            Lack::Needs(root) => {
                needing.push((root, n));
                continue;
            }
            Lack::Absent => "the remote has no result under their keys",
            Lack::Moved => {
                "the remote has them under other keys: other code, config or data made them"
            }
            Lack::Downloads => {
                "made of downloads: `retune run` makes them, or take what is signed (`--trust KEY`)"
            }
            Lack::Held => "somebody computes them just now",
            Lack::Unsound(why) => why,
            Lack::Untrusted(whose) => {
                let _ = writeln!(text, "{n:>7}  refused, as they are {whose}, such as {first}");
                continue;
            }
        };
        let _ = writeln!(text, "{n:>7}  {why}, such as {first}");
    }
    if let Some((root, _)) = needing.iter().max_by_key(|(_, n)| *n) {
        let n: usize = needing.iter().map(|(_, n)| n).sum();
        let _ = writeln!(
            text,
            "{n:>7}  their keys are not known without others that are not here, such as {root}"
        );
    }
    text
}
