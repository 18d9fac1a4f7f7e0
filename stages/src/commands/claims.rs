//! `retune claims`: every claim with its verdict.

use std::{collections::BTreeSet, fmt::Write};

use clap::{Arg, ArgAction, ArgMatches};
use kit::claims::tables::JudgedRow;
use pipeline::{
    cli::{Command, Session, Tone, manual::Example},
    error::{Error, Result},
};

use site::{
    names::Named,
    paper::{MEANINGLESS, SMOKE},
    recorded::judged_by,
    words::short,
};

use super::{
    judged::Judged,
    results::{self, RECORDED},
};

/// The command, with the names of the papers.
pub struct Claims(pub Vec<Named>);

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
                    .help("Every variant of a method, not only the headline"),
            )
    }

    fn examples(&self) -> &'static [Example] {
        &[
            ("{program} claims", "show every paper's verdicts"),
            (
                "{program} claims {experiment} --all --profile desk",
                "show those of one paper under one profile, for every variant",
            ),
        ]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let named: Option<Vec<String>> =
            matches.get_many::<String>("papers").map(|names| names.cloned().collect());
        let mut recorded = Judged::recorded(session, named.as_deref())?;
        let (mut text, mut entries) = (String::new(), Vec::new());
        let not_run = if recorded.is_empty() { None } else { results::not_run(session)? };
        let results = match &not_run {
            Some(_) => None,
            None => results::here(session)?,
        };
        let asked = |kept: &Judged| kept.profile.as_deref() == session.asked_profile();
        let wanted = session.asked_profile() == Some(RECORDED) || recorded.values().all(asked);
        if let Some(why) = not_run.filter(|_| !wanted) {
            let _ = writeln!(
                text,
                "{why}: these are the recorded verdicts, which come with the sources\n"
            );
        }
        let (json, all) = (matches.get_flag("json"), matches.get_flag("all"));
        let here = results.as_ref().map_or_else(Vec::new, |it| it.experiments_with("claims"));
        if let Some(named) = &named {
            let there = |name: &&String| !here.contains(name) && !recorded.contains_key(*name);
            super::known(&self.0, named.iter().filter(there))?;
        }
        let papers = named.unwrap_or_else(|| {
            let all: BTreeSet<String> = here.into_iter().chain(recorded.keys().cloned()).collect();
            all.into_iter().collect()
        });
        let mut meaningless = false;
        for paper in papers {
            let kept = recorded.remove(&paper);
            let own = match &results {
                Some(results) => Judged::own(results, &paper, kept.is_some(), &mut text)?,
                None => None,
            };
            match (&own, &kept) {
                (Some(own), kept) => text += &own.told(kept.as_ref(), all),
                (None, Some(kept)) => text += &kept.told(None, all),
                (None, None) => {}
            }
            meaningless |= own.iter().any(|own| own.profile.as_deref() == Some(SMOKE));
            entries.extend(own.iter().chain(&kept).flat_map(Judged::entries));
        }
        if entries.is_empty() && text.is_empty() {
            return Err(Error::usage("no verdicts yet").help("`retune run` computes them"));
        }
        if meaningless {
            text.insert_str(0, &format!("{MEANINGLESS}\n\n"));
        }
        if !json {
            return session.print_words(&text);
        }
        let text = serde_json::to_string_pretty(&entries)
            .map_err(|e| Error::usage(format!("cannot write JSON: {e}")))?;
        session.print(&(text + "\n"))
    }
}

impl Judged {
    /// Their claims in words, each with what the `recorded` run says of it; under every variant
    /// where `all` are wanted.
    fn told(&self, recorded: Option<&Self>, all: bool) -> String {
        let mut text = String::new();
        let under = self.profile.as_ref().map(|name| format!("profile {name}, "));
        let origin = if self.recorded { "recorded, " } else { "" };
        let by = judged_by(self.outdated);
        let (paper, under, key) = (&self.paper, under.unwrap_or_default(), self.key.short());
        let _ = writeln!(text, "{paper} ({origin}{under}key {key}{by})");
        let claims = self.claims.iter().zip(&self.found);
        for (claim, found) in claims.filter(|(claim, _)| all || claim.headline) {
            let rules = if all { format!(" [{}]", claim.rules) } else { String::new() };
            let (id, verdict, statement) = (&claim.id, &claim.verdict, &claim.statement);
            let painted = tone(verdict).paint(&format!("{verdict:22}"));
            let _ = writeln!(text, "  {id:4} {painted} {statement}{rules}");
            let _ = writeln!(text, "       paper: {}; ours: {found}", claim.paper_value);
            let evidence: Vec<&str> = claim.evidence.split_whitespace().map(short).collect();
            if !evidence.is_empty() {
                let _ = writeln!(text, "       artifact {}", evidence.join(", "));
            }
            let same =
                |(other, _): &(&JudgedRow, _)| other.id == claim.id && other.rules == claim.rules;
            let Some(recorded) = recorded else { continue };
            if let Some((kept, ours)) = recorded.claims.iter().zip(&recorded.found).find(same) {
                let under = recorded.profile.as_deref().unwrap_or("not known");
                let verdict = &kept.verdict;
                let _ = writeln!(text, "       recorded under profile {under}: {verdict}; {ours}");
            }
        }
        text
    }

    fn entries(&self) -> impl Iterator<Item = serde_json::Value> {
        self.claims.iter().map(|claim| {
            let mut entry = entry(claim, &self.paper, self.profile.as_deref());
            entry["recorded"] = self.recorded.into();
            entry["outdated"] = self.outdated.into();
            entry
        })
    }
}

/// The tone of a verdict by its name; directions are hints and no verdicts.
fn tone(verdict: &str) -> Tone {
    match verdict {
        "replicated" => Tone::Good,
        "contradicted" => Tone::Bad,
        "partly" | "inconclusive" => Tone::Open,
        "not testable" => Tone::Faint,
        _ => Tone::Hint,
    }
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
