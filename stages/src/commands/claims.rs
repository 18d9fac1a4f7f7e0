//! `retune claims`: every claim with its verdict.

use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches};
use kit::{claims::tables::JudgedRow, row};
use pipeline::{
    cli::{Command, Session},
    error::{Error, Result},
};

/// The command.
pub struct Claims;

impl Command for Claims {
    fn clap(&self) -> clap::Command {
        clap::Command::new("claims")
            .about("Show the papers' claims with their verdicts")
            .arg(
                Arg::new("papers")
                    .value_name("PAPER")
                    .num_args(0..)
                    .help("Only these papers' claims; without one, every paper's"),
            )
            .arg(
                Arg::new("json")
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("Machine-readable output, all configurations"),
            )
            .arg(
                Arg::new("all")
                    .long("all")
                    .action(ArgAction::SetTrue)
                    .help("Every configuration of a method, not only the headline"),
            )
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let artifacts = session.results()?;
        let (json, all) = (matches.get_flag("json"), matches.get_flag("all"));
        let mut rows = Vec::new();
        let mut text = String::new();
        let papers = match matches.get_many::<String>("papers") {
            Some(papers) => papers.cloned().collect(),
            None => artifacts.experiments_with("claims"),
        };
        for paper in papers {
            let stage = format!("{paper}/claims");
            if let Some(first) = artifacts.absence(&stage).first() {
                let _ = writeln!(text, "{stage} has no result: {first}");
                continue;
            }
            let table = artifacts.table(&stage, "main")?;
            let key = artifacts.key(&stage)?;
            let claims = row::read::<JudgedRow>(&table)
                .map_err(|e| Error::usage(format!("{stage}: {e}")))?;
            let profile = artifacts.profile_of(&stage)?;
            let under =
                profile.as_ref().map(|name| format!("profile {name}, ")).unwrap_or_default();
            let _ = writeln!(text, "{paper} ({under}key {})", key.short());
            for claim in claims.iter().filter(|claim| all || claim.headline) {
                let rules = if all { format!(" [{}]", claim.rules) } else { String::new() };
                let _ = writeln!(
                    text,
                    "  {:4} {:22} {}{rules}",
                    claim.id, claim.verdict, claim.statement
                );
                let _ =
                    writeln!(text, "       paper: {}; ours: {}", claim.paper_value, ours(claim));
            }
            rows.extend(claims.into_iter().map(|claim| (paper.clone(), profile.clone(), claim)));
        }
        if rows.is_empty() && text.is_empty() {
            return Err(Error::usage("no verdicts yet").help("`retune run` computes them"));
        }
        if !json {
            return session.print(&text);
        }
        let values: Vec<_> = rows
            .iter()
            .map(|(paper, profile, claim)| entry(claim, paper, profile.as_deref()))
            .collect();
        let text = serde_json::to_string_pretty(&values)
            .map_err(|e| Error::usage(format!("cannot write JSON: {e}")))?;
        session.print(&(text + "\n"))
    }
}

fn ours(claim: &JudgedRow) -> &str {
    if claim.value_text.is_empty() { &claim.reason } else { &claim.value_text }
}

fn entry(claim: &JudgedRow, paper: &str, profile: Option<&str>) -> serde_json::Value {
    serde_json::json!({
        "paper": paper, "profile": profile, "id": claim.id, "statement": claim.statement,
        "criterion": claim.criterion, "paper_value": claim.paper_value, "rules": claim.rules,
        "headline": claim.headline, "scaled_down": claim.scaled_down, "verdict": claim.verdict,
        "value": claim.value, "low": claim.low, "high": claim.high, "n": claim.n, "values": claim.value_text,
        "reason": claim.reason, "power": claim.power, "false_positives": claim.false_positives,
        "root_seeds": claim.root_seeds, "flips": claim.flips, "margin": claim.margin,
        "spread": claim.spread, "evidence": claim.evidence,
    })
}
