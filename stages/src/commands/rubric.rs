//! `retune export rubric`: the papers' claims as rubrics in the form of PaperBench (the class `TaskNode` of
//! its `rubric/tasks.py`), one file per paper. The root is the paper, each leaf a claim with the criterion
//! that was fixed before any result; all weigh the same. No verdict enters a rubric.

use clap::ArgMatches;
use kit::claims::{Claim, read};
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Result},
};
use serde_json::{Value, json};

use site::names::Named;

/// What PaperBench calls a leaf that is answered by comparing results.
const CATEGORY: &str = "Result Analysis";
/// Its finer name there.
const FINE: &str = "Evaluation, Metrics & Benchmarking";

/// The command, for these papers.
pub struct Rubric(pub Vec<Named>);

impl Command for Rubric {
    fn clap(&self) -> clap::Command {
        clap::Command::new("rubric")
            .about("The papers' claims with their criteria, as rubrics in PaperBench's form, one file per paper")
            .arg(super::new_folder())
    }

    fn within(&self) -> Option<&'static str> {
        Some("export")
    }

    fn examples(&self) -> &'static [Example] {
        &[("{program} export rubric rubrics", "write the criteria of all papers into a folder")]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let dir = super::made(matches)?;
        let mut leaves = 0;
        for Named { id: paper, name, title, .. } in &self.0 {
            let path = session.config_dir().join(format!("{paper}.claims.toml"));
            let claims = read(&path)?;
            leaves += claims.len();
            let rubric = rubric(paper, &format!("{name}, \"{title}\""), &claims);
            let text = serde_json::to_string_pretty(&rubric)
                .map_err(|e| Error::usage(format!("cannot write JSON: {e}")))?;
            super::write(&dir.join(format!("{paper}.json")), &(text + "\n"))?;
        }
        let (papers, dir) = (self.0.len(), dir.display());
        session.print(&format!("{papers} rubrics with {leaves} leaves are in {dir}\n"))
    }
}

fn rubric(paper: &str, title: &str, claims: &[Claim]) -> Value {
    json!({
        "id": paper,
        "requirements": format!("The claims of {title} have been replicated."),
        "weight": 1,
        "sub_tasks": claims.iter().map(|claim| leaf(paper, claim)).collect::<Vec<_>>(),
        "task_category": null,
        "finegrained_task_category": null,
    })
}

fn leaf(paper: &str, claim: &Claim) -> Value {
    let Claim { id, item, statement, paper_value, criterion, .. } = claim;
    json!({
        "id": format!("{paper}-{id}"),
        "requirements": format!(
            "The results show that the claim of {item} holds: {statement}. The paper's value: {paper_value}. It holds \
             where this criterion is met, which was fixed before any result: {criterion}."
        ),
        "weight": 1,
        "sub_tasks": [],
        "task_category": CATEGORY,
        "finegrained_task_category": FINE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What PaperBench's own `TaskNode` asks of a node, after its checks.
    fn check(node: &Value, ids: &mut Vec<String>) {
        let categories = ["Code Development", "Code Execution", "Result Analysis", "Subtree"];
        let fine = [
            "Environment & Infrastructure Setup",
            "Dataset and Model Acquisition",
            "Data Processing & Preparation",
            "Method Implementation",
            "Experimental Setup",
            "Evaluation, Metrics & Benchmarking",
            "Logging, Analysis & Presentation",
        ];
        let object = node.as_object().expect("a node is an object");
        assert_eq!(object.len(), 6, "no other fields");
        ids.push(node["id"].as_str().expect("a text").to_owned());
        assert!(!node["requirements"].as_str().expect("a text").is_empty());
        assert!(node["weight"].as_u64().is_some_and(|weight| weight > 0));
        let children = node["sub_tasks"].as_array().expect("a list");
        let named = |field: &str, known: &[&str]| {
            node[field].as_str().is_some_and(|name| known.contains(&name))
        };
        if children.is_empty() {
            assert!(named("task_category", &categories));
            assert!(named("finegrained_task_category", &fine));
        } else {
            assert!(node["task_category"].is_null() && node["finegrained_task_category"].is_null());
        }
        for child in children {
            check(child, ids);
        }
    }

    #[test]
    fn every_claim_of_every_paper_is_a_leaf_as_paperbench_wants_it() {
        let configs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
        for paper in ["harmonica", "hoag", "hypertune", "smoothie", "stn", "tpe"] {
            let claims = read(&configs.join(format!("{paper}.claims.toml"))).expect("can be read");
            let rubric = rubric(paper, "a title", &claims);
            let mut ids = Vec::new();
            check(&rubric, &mut ids);
            assert_eq!(ids.len(), claims.len() + 1);
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), claims.len() + 1, "no name twice");
            for (claim, leaf) in claims.iter().zip(rubric["sub_tasks"].as_array().expect("a list"))
            {
                let text = leaf["requirements"].as_str().expect("a text");
                assert!(text.contains(&claim.statement) && text.contains(&claim.criterion));
            }
        }
    }
}
