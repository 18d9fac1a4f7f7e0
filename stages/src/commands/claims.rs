//! `retune claims`: every claim with its verdict.

use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches};
use kit::table::Rows;
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
            let claims = read(Rows(&table)).map_err(|e| Error::usage(format!("{stage}: {e}")))?;
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
                    writeln!(text, "       paper: {}; ours: {}", claim.paper_value, claim.ours());
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
            .map(|(paper, profile, claim)| claim.json(paper, profile.as_deref()))
            .collect();
        let text = serde_json::to_string_pretty(&values)
            .map_err(|e| Error::usage(format!("cannot write JSON: {e}")))?;
        session.print(&(text + "\n"))
    }
}

struct Row {
    id: String,
    statement: String,
    criterion: String,
    paper_value: String,
    rules: String,
    headline: bool,
    scaled_down: bool,
    verdict: String,
    interval: [f64; 3],
    n: u32,
    value_text: String,
    reason: String,
    power: f64,
    false_positives: f64,
    root_seeds: u32,
    flips: bool,
    margin: f64,
    spread: f64,
    evidence: String,
}

impl Row {
    fn ours(&self) -> String {
        if self.value_text.is_empty() { self.reason.clone() } else { self.value_text.clone() }
    }

    fn json(&self, paper: &str, profile: Option<&str>) -> serde_json::Value {
        let [value, low, high] = self.interval;
        serde_json::json!({
            "paper": paper, "profile": profile, "id": self.id, "statement": self.statement,
            "criterion": self.criterion, "paper_value": self.paper_value, "rules": self.rules,
            "headline": self.headline, "scaled_down": self.scaled_down, "verdict": self.verdict,
            "value": value, "low": low, "high": high, "n": self.n, "values": self.value_text,
            "reason": self.reason, "power": self.power, "false_positives": self.false_positives,
            "root_seeds": self.root_seeds, "flips": self.flips, "margin": self.margin,
            "spread": self.spread, "evidence": self.evidence,
        })
    }
}

fn read(rows: Rows) -> std::result::Result<Vec<Row>, kit::table::TableError> {
    let (ids, statements) = (rows.text("id")?, rows.text("statement")?);
    let (criteria, papers) = (rows.text("criterion")?, rows.text("paper_value")?);
    let (rules, verdicts) = (rows.text("rules")?, rows.text("verdict")?);
    let (headline, scaled) = (rows.flag("headline")?, rows.flag("scaled_down")?);
    let (value, low, high) = (rows.real("value")?, rows.real("low")?, rows.real("high")?);
    let (texts, reasons) = (rows.text("value_text")?, rows.text("reason")?);
    let (n, evidence) = (rows.index("n")?, rows.text("evidence")?);
    let (power, false_positives) = (rows.real("power")?, rows.real("false_positives")?);
    let (root_seeds, flips) = (rows.index("root_seeds")?, rows.flag("flips")?);
    let (margin, spread) = (rows.real("margin")?, rows.real("spread")?);
    Ok((0..rows.len())
        .map(|i| Row {
            id: ids[i].clone(),
            statement: statements[i].clone(),
            criterion: criteria[i].clone(),
            paper_value: papers[i].clone(),
            rules: rules[i].clone(),
            headline: headline[i],
            scaled_down: scaled[i],
            verdict: verdicts[i].clone(),
            interval: [value[i], low[i], high[i]],
            n: n[i],
            value_text: texts[i].clone(),
            reason: reasons[i].clone(),
            power: power[i],
            false_positives: false_positives[i],
            root_seeds: root_seeds[i],
            flips: flips[i],
            margin: margin[i],
            spread: spread[i],
            evidence: evidence[i].clone(),
        })
        .collect())
}
