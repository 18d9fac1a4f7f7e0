use std::{collections::BTreeSet, path::Path};

use kit::paper;
use pipeline::graph::{Graph, Node};

use super::*;
use crate::Hoag;

/// The values of a profile, and its stages.
fn expanded(profile: &str) -> (HoagConfig, Graph) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    paper::expanded::<Hoag>(&root, profile).unwrap()
}

fn nodes(graph: &Graph) -> impl Iterator<Item = &Node> {
    graph.order().iter().map(|&id| &graph[id])
}

/// The names of a problem's stages, without what all begin with.
fn names<'a>(graph: &'a Graph, problem: &str) -> BTreeSet<&'a str> {
    let prefix = format!("hoag/{problem}/");
    nodes(graph).filter_map(|node| node.name.strip_prefix(&prefix)).collect()
}

#[test]
fn each_method_runs_on_each_split_and_variants_of_hoag_on_some() {
    let (values, graph) = expanded("smoke");
    // Two splits, variants and long runs on the first alone.
    let digits = names(&graph, "digits");
    let second: Vec<&str> =
        digits.iter().copied().filter(|name| name.ends_with("split=1")).collect();
    let expected = [
        "exact/split=1",
        "grid/split=1",
        "hoag-cubic/split=1",
        "hoag-exact/split=1",
        "hoag-exponential/split=1",
        "hoag-quadratic/split=1",
        "iterdiff/split=1",
        "random/split=1",
        "smbo/split=1",
        "split=1",
    ];
    assert_eq!(second, expected);
    let variants = values.variants.len();
    // Three long runs and where they end, of the headline, of Theorem 2's rules and of the variants.
    let long = 4 * (2 + variants);
    let whole = ["curves", "data", "gradient-error", "landscape"];
    assert_eq!(digits.len(), 2 * expected.len() + 4 * variants + long + whole.len());
    assert!(whole.iter().all(|name| digits.contains(name)));
    assert!(digits.contains("hoag-cubic@code-head/split=0"));
    assert!(digits.contains("hoag-cubic-long@paper-constant-L/split=0"));
    // Of very many hyper-parameters the true f is not computed; another reading has no gradient method.
    assert!(names(&graph, "mnist").iter().all(|name| !name.starts_with("exact/")));
    let printed = names(&graph, "parkinsons-printed");
    assert!(printed.contains("smbo/split=0") && printed.iter().all(|n| !n.starts_with("hoag-")));
}

#[test]
fn all_methods_meet_the_split_that_they_are_named_after() {
    let (values, graph) = expanded("desk");
    let own_rows = |problem: &str| {
        let problem = &values.problems[problem];
        problem.long_rows != problem.rows
    };
    let (mut short, mut long) = (0, 0);
    for node in nodes(&graph) {
        let Some(edge) = node.inputs.iter().find(|edge| edge.role == "split") else { continue };
        let Some((head, split)) = node.name.rsplit_once("/split=") else { continue };
        let Some((problem, what)) = head.strip_prefix("hoag/").and_then(|h| h.split_once('/'))
        else {
            continue;
        };
        if !values.problems.contains_key(problem) {
            continue; // under another root seed
        }
        let is_long = what.contains("-long") || what.starts_with("stationarity");
        let kind = if is_long && own_rows(problem) { "split-long" } else { "split" };
        let expected = format!("hoag/{problem}/{kind}={split}");
        assert_eq!(graph[edge.from].name, expected, "{}", node.name);
        *if kind == "split" { &mut short } else { &mut long } += 1;
    }
    assert!(short > 100 && long > 0, "{short} {long}");
}

#[test]
fn the_code_has_rules_of_its_own_for_kernels() {
    let (_, graph) = expanded("smoke");
    let params = |problem: &str, rules: &str| {
        let name = format!("hoag/{problem}/hoag-cubic@{rules}/split=0");
        graph[graph.find(&name).unwrap()].params.clone()
    };
    assert_eq!(params("diabetes", "code-2016"), params("diabetes", "code-head"));
    assert_ne!(params("diabetes", "paper"), params("diabetes", "code-head"));
    assert_ne!(params("digits", "code-2016"), params("digits", "code-head"));
}

#[test]
fn under_another_root_seed_there_are_the_problems_of_its_claims() {
    let (values, graph) = expanded("paper");
    for root in &values.again.root_seeds {
        let prefix = format!("hoag/root={root}/");
        let repeated: BTreeSet<&str> =
            nodes(&graph).filter_map(|node| node.name.strip_prefix(&prefix)).collect();
        let of = |problem: &str| repeated.iter().any(|name| name.starts_with(problem));
        assert!(
            of("mnist/iterdiff/split=19") && of("mnist/curves") && of("claims"),
            "{repeated:?}"
        );
        let others = values.problems.keys().filter(|name| *name != "mnist");
        assert!(others.clone().count() > 5 && others.into_iter().all(|name| !of(name)));
    }
    let desk = expanded("desk").1;
    assert!(nodes(&desk).all(|node| !node.name.contains("/root=")));
}
