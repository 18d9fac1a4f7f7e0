//! `log`: how results came about.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::Value;

use super::{Session, args::Log};
use crate::{
    error::Result,
    graph::matches,
    machine::iso,
    provenance::{Account, find},
    store::{Store, record::Records},
};

pub(super) fn log(session: &Session, args: &Log) -> Result<()> {
    let store = session.store()?;
    let records = store.records()?;
    let Some(what) = &args.what else {
        return list(session, args, records.all().map(|r| Account::of(r, &r.name)).collect());
    };
    let account = match find(&store, &records, what) {
        Ok(account) => account,
        Err(error) => {
            // The last result of each stage that it stands for.
            let fits = records.all().filter(|record| matches(what, &record.name));
            let last: BTreeMap<&str, _> = fits.map(|r| (r.name.as_str(), r)).collect();
            let found: Vec<_> = last.values().map(|r| Account::of(r, &r.name)).collect();
            match found.len() {
                0 => return Err(session.unbuilt(std::slice::from_ref(what), error)),
                1 => found.into_iter().next().ok_or(error)?,
                _ => return list(session, args, found),
            }
        }
    };
    if args.json {
        let environment = account.environment.and_then(|digest| store.environment(digest));
        return session
            .print_json(&serde_json::json!({"account": account, "environment": environment}));
    }
    session.print_words(&words(&store, &records, &account))
}

fn list(session: &Session, args: &Log, mut accounts: Vec<Account>) -> Result<()> {
    // Stable: results that finished in the same second stay in the order in which they were recorded.
    accounts.sort_by_key(|account| account.finished);
    let shown = if args.rows == 0 { accounts.len() } else { args.rows.min(accounts.len()) };
    let latest = &accounts[accounts.len() - shown..];
    if args.json {
        return session.print_json(&latest);
    }
    let mut text = String::new();
    for account in latest {
        let Account { finished, key, cost, host, stage, .. } = account;
        let _ = writeln!(
            text,
            "{}  {}  {:>9.2} s  {}  {host}  {stage}",
            iso(*finished),
            key.short(),
            cost.wall_s,
            cost.peak_mib.map_or_else(|| "        -".to_owned(), |mib| format!("{mib:>5} MiB")),
        );
    }
    if shown < accounts.len() {
        let _ = writeln!(text, "… {} earlier ones (--rows 0)", accounts.len() - shown);
    }
    if accounts.is_empty() {
        text.push_str("nothing was computed in this store\n");
    }
    session.print_words(&text)
}

fn words(store: &Store, records: &Records, account: &Account) -> String {
    let mut text = format!("{} ({})\n", account.stage, account.kind);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:12} {value}");
    };
    line("key", &account.key.to_string());
    line("code", &account.code);
    for (part, value) in &account.code_parts {
        line("", &format!("{part} {}", value.get(..12).unwrap_or(value)));
    }
    match &account.params {
        Value::Object(params) => {
            for (name, value) in params {
                line("parameter", &format!("{name} = {value}"));
            }
        }
        other => line("parameters", &other.to_string()),
    }
    for (role, digest) in &account.inputs {
        let maker = digest.and_then(|digest| {
            let made = |digest| {
                move |record: &&crate::store::record::Record| {
                    record.outputs.iter().any(|(_, output)| *output == digest)
                }
            };
            records.all().find(made(digest))
        });
        let digest = digest.map_or_else(|| "unavailable".to_owned(), |digest| digest.to_string());
        let from = maker.map_or_else(String::new, |record| format!(" of {}", record.name));
        line("input", &format!("{role}: {digest}{from}"));
    }
    for file in &account.files {
        line("file", file);
    }
    line("seed", account.seed.as_deref().unwrap_or("none: it uses no randomness"));
    for (name, value) in &account.facets {
        line("facet", &format!("{name} = {value}"));
    }
    for (output, digest) in &account.outputs {
        line("output", &format!("{output}: {digest}"));
    }
    let span = format!("{} to {}", iso(account.started()), iso(account.finished));
    line("time", &format!("{span}, {:.3} s", account.cost.wall_s));
    if let Some(cpu_s) = account.cost.cpu_s {
        line("CPU time", &format!("{cpu_s:.3} s"));
    }
    if let Some(mib) = account.cost.peak_mib {
        line("memory", &format!("{mib} MiB at most"));
    }
    line("slots", &format!("{} threads, {} GPUs", account.threads, account.gpus));
    let Some(environment) = account.environment.and_then(|digest| store.environment(digest)) else {
        line("host", &account.host);
        return text;
    };
    let (machine, program) = (&environment.machine, &environment.program);
    line("machine", &format!("{}, {}, {}", machine.host, machine.processor, machine.system));
    line("", &format!("{} processors, {} MiB", machine.processors, machine.memory_mib));
    for gpu in &machine.gpus {
        line("GPU", gpu);
    }
    line("program", &format!("{}, {}", program.version, program.build));
    line("compiler", &format!("{}, {}", program.compiler, program.target));
    line("revision", environment.revision.as_deref().unwrap_or("unknown"));
    let libraries: Vec<_> =
        program.libraries.iter().map(|(name, version)| format!("{name} {version}")).collect();
    line("libraries", &libraries.join(", "));
    text
}
