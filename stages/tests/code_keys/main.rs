//! Tests which stages an edit of the sources reruns: compares the digests of a copied workspace before and
//! after.

mod workspace;

use std::{collections::BTreeSet, fs, path::Path};

use workspace::{Own, Workspace, crates, files};

/// The modules that hold stages.
const STAGES: [&str; 23] = [
    "load",
    "claims",
    "curves",
    "exact",
    "gather",
    "gradient_error",
    "grid_run",
    "harmonica_cut",
    "harmonica_gp_ei",
    "harmonica_harmonica",
    "harmonica_hyperband",
    "harmonica_random",
    "harmonica_trial",
    "hoag_run",
    "iterdiff_run",
    "landscape",
    "random_run",
    "smbo_run",
    "smoothie_bohb",
    "smoothie_hebo_like",
    "smoothie_random",
    "split",
    "stationarity",
];

fn module(stage: &str) -> String {
    match stage {
        "load" => "kit::data_sets::load".to_owned(),
        "gather" => "kit::gather".to_owned(),
        "smoothie_bohb" | "smoothie_hebo_like" | "smoothie_random" => {
            format!("smoothie::arms::{}", &stage["smoothie_".len()..])
        }
        "harmonica_gp_ei" | "harmonica_harmonica" | "harmonica_hyperband" | "harmonica_random" => {
            format!("harmonica::network::arms::{}", &stage["harmonica_".len()..])
        }
        "harmonica_cut" | "harmonica_trial" => {
            format!("harmonica::network::stages::{}", &stage["harmonica_".len()..])
        }
        other => format!("hoag::stages::{other}"),
    }
}

impl Workspace {
    /// The stages whose code digest changes with `edit` of one file.
    fn moved(&self, file: &str, edit: impl Fn(&str) -> String) -> BTreeSet<&'static str> {
        let after = self.after(file, edit);
        let moved = |stage: &&&str| self.before[&module(stage)] != after[&module(stage)];
        STAGES.iter().filter(moved).copied().collect()
    }
}

/// Adds a statement to the end of a file, as a new private item.
fn more_code(text: &str) -> String {
    format!("{text}\nconst _EDITED: u8 = 1;\n")
}

const NOTHING: [&str; 0] = [];

#[test]
fn every_stage_is_in_the_table() {
    let workspace = Workspace::copy();
    for stage in STAGES {
        assert!(workspace.before.contains_key(&module(stage)), "{stage}");
    }
}

#[test]
fn comments_and_layout_rerun_nothing() {
    let workspace = Workspace::copy();
    for file in
        ["stages/tuners/src/grid.rs", "stages/numerics/src/solve/lbfgs.rs", "pipeline/src/stage.rs"]
    {
        let comment = |text: &str| format!("{text}\n// a remark\n");
        assert_eq!(workspace.moved(file, comment), NOTHING.into(), "{file}");
        // Empty lines before closing braces, and different wording of documentation.
        let layout = |text: &str| text.replace("\n}", "\n\n}").replace("/// ", "/// Now: ");
        assert_eq!(workspace.moved(file, layout), NOTHING.into(), "{file}");
    }
}

#[test]
fn a_tuner_reruns_the_stage_that_runs_it() {
    let workspace = Workspace::copy();
    assert_eq!(workspace.moved("stages/tuners/src/grid.rs", more_code), ["grid_run"].into());
    assert_eq!(
        workspace.moved("stages/tuners/src/random.rs", more_code),
        ["harmonica_harmonica", "harmonica_random", "random_run", "smoothie_random"].into()
    );
    assert_eq!(
        workspace.moved("stages/tuners/src/gradient/iterdiff.rs", more_code),
        ["iterdiff_run"].into()
    );
    assert_eq!(
        workspace.moved("stages/models/src/gp.rs", more_code),
        ["harmonica_gp_ei", "smbo_run", "smoothie_hebo_like"].into()
    );
}

#[test]
fn a_search_reruns_its_questions_and_a_kernel_the_trainings() {
    let workspace = Workspace::copy();
    assert_eq!(
        workspace.moved("stages/tuners/src/harmonica.rs", more_code),
        ["harmonica_harmonica"].into()
    );
    assert_eq!(workspace.moved("stages/nets/src/block.rs", more_code), ["harmonica_trial"].into());
    let moved = workspace.moved("stages/data/src/images.rs", more_code);
    assert!(moved.contains("harmonica_cut") && moved.contains("harmonica_trial"), "{moved:?}");
    assert!(!moved.contains("harmonica_random") && !moved.contains("gather"), "{moved:?}");
}

/// Each tuner of the comparison is a kind of its own; what statistics are made of reruns no search.
#[test]
fn an_edit_of_a_tuner_reruns_its_cells_of_the_comparison_alone() {
    let workspace = Workspace::copy();
    let arms = ["cma_es", "differential_evolution", "gp_ei", "hebo_like", "multivariate_tpe"];
    let arms = arms.into_iter().chain(["random", "smac_like", "smbo", "tpe"]);
    let arms: BTreeSet<String> = arms.map(|arm| format!("compare::arms::{arm}")).collect();
    let moved = |file: &str| -> BTreeSet<String> {
        let after = workspace.after(file, more_code);
        arms.iter().filter(|arm| workspace.before[*arm] != after[*arm]).cloned().collect()
    };
    let own = |arm: &str| BTreeSet::from([format!("compare::arms::{arm}")]);
    assert_eq!(moved("stages/tuners/src/bayesian/hebo_like.rs"), own("hebo_like"));
    assert_eq!(moved("stages/tuners/src/cma_es/strategy.rs"), own("cma_es"));
    assert_eq!(moved("stages/models/src/forest.rs"), own("smac_like"));
    assert_eq!(moved("stages/compare/src/task.rs"), arms);
    for other in ["list.rs", "runs.rs", "stages/anytime.rs", "work.rs", "expand.rs"] {
        assert!(moved(&format!("stages/compare/src/{other}")).is_empty(), "{other}");
    }
}

/// The methods that HyperTune is compared with are a kind each. A GP without signs is in Fabolas alone.
#[test]
fn an_edit_of_a_gp_reruns_what_uses_it_and_no_other_rival() {
    let workspace = Workspace::copy();
    let kinds = ["arms::ei", "arms::fabolas", "arms::hyperband", "stages::subset", "stages::whole"];
    let moved = |file: &str| -> Vec<&str> {
        let after = workspace.after(file, more_code);
        let moved = |kind: &&&str| {
            let module = format!("hypertune::{kind}");
            workspace.before[&module] != after[&module]
        };
        kinds.iter().filter(moved).copied().collect()
    };
    assert_eq!(moved("stages/tuners/src/bayesian/fabolas.rs"), ["arms::fabolas"]);
    assert_eq!(moved("stages/tuners/src/multi_fidelity/hyperband.rs"), ["arms::hyperband"]);
    let signs = ["arms::ei", "stages::subset", "stages::whole"];
    assert_eq!(moved("stages/models/src/gp/monotone/fit.rs"), signs);
    assert_eq!(moved("stages/papers/hypertune/src/stages/rival.rs"), kinds[..3]);
    // The table's rows, not how rivals are named in a config.
    assert_eq!(moved("stages/papers/hypertune/src/config.rs"), Vec::<&str>::new());
}

/// Each tuner that SMOOTHIE is compared with is a kind of its own.
#[test]
fn a_rival_reruns_its_own_stages_and_what_runs_all_of_them_all() {
    let workspace = Workspace::copy();
    assert_eq!(
        workspace.moved("stages/tuners/src/multi_fidelity/bohb.rs", more_code),
        ["smoothie_bohb"].into()
    );
    let all = ["smoothie_bohb", "smoothie_hebo_like", "smoothie_random"].into();
    for file in ["stages/tune.rs", "evaluator.rs", "method.rs"] {
        let file = format!("stages/papers/smoothie/src/{file}");
        assert_eq!(workspace.moved(&file, more_code), all, "{file}");
    }
}

#[test]
fn a_solver_reruns_whatever_solves_and_nothing_else() {
    let moved = Workspace::copy().moved("stages/numerics/src/solve/lbfgs.rs", more_code);
    for stage in ["hoag_run", "grid_run", "random_run", "smbo_run", "exact", "landscape"] {
        assert!(moved.contains(stage), "{stage} solves: {moved:?}");
    }
    for stage in ["load", "split", "gather"] {
        assert!(!moved.contains(stage), "{stage} does not solve: {moved:?}");
    }
}

#[test]
fn statistics_rerun_the_verdicts_and_loaders_the_data() {
    let workspace = Workspace::copy();
    assert_eq!(workspace.moved("stages/stats/src/bootstrap.rs", more_code), ["claims"].into());
    let change = "stages/kit/src/claims/change.rs";
    assert_eq!(workspace.moved(change, more_code), ["claims"].into(), "sentences beside verdicts");
    let moved = workspace.moved("stages/data/src/loaders/mnist.rs", more_code);
    assert!(moved.contains("load"), "{moved:?}");
    assert!(!moved.contains("gather") && !moved.contains("curves"), "{moved:?}");
}

#[test]
fn the_engine_reruns_stages_only_where_they_name_it() {
    let workspace = Workspace::copy();
    assert_eq!(workspace.moved("pipeline/src/cli/show.rs", more_code), NOTHING.into());
    assert_eq!(workspace.moved("pipeline/src/plan.rs", more_code), NOTHING.into());
    assert_eq!(workspace.moved("pipeline/src/stage.rs", more_code).len(), STAGES.len());
}

/// A column's description is stored in the table: an edit of it reruns the stages that write or read the
/// table. The derive macro is part of every table.
#[test]
fn a_row_reruns_the_stages_that_have_its_table_and_the_derive_macro_all() {
    let workspace = Workspace::copy();
    let curves = "stages/papers/hoag/src/tables/curves.rs";
    let column = |text: &str| text.replace("/// tuner", "/// the tuner");
    assert_eq!(workspace.moved(curves, column), ["claims", "curves"].into());
    assert_eq!(workspace.moved(curves, more_code), ["claims", "curves"].into());
    let row = |text: &str| text.replace("/// A run of a method on a problem.", "/// A run.");
    assert_eq!(workspace.moved(curves, row), NOTHING.into(), "the documentation of the row itself");
    let moved = workspace.moved("stages/derive/src/row.rs", more_code);
    assert_eq!(moved.len(), STAGES.len(), "{moved:?}");
    assert_eq!(workspace.moved("stages/kit/src/wire.rs", more_code), NOTHING.into());
}

#[test]
fn a_dependency_reruns_the_stages_that_name_it() {
    let workspace = Workspace::copy();
    let moved = |name: &str| {
        let raise = |text: &str| {
            let entry = format!("name = \"{name}\"\nversion = \"");
            assert!(text.contains(&entry), "{name} is in the lock file");
            text.replace(&entry, &format!("{entry}9"))
        };
        workspace.moved("Cargo.lock", raise)
    };
    let normal = moved("statrs");
    assert!(normal.contains("smbo_run"), "expected improvement uses the normal law: {normal:?}");
    assert!(!normal.contains("hoag_run") && !normal.contains("split"), "{normal:?}");
    // Named by crates whose packages have other names than they.
    let wide = moved("pulp");
    assert!(wide.contains("hoag_run"), "products are computed in wide registers: {wide:?}");
    assert!(!wide.contains("load") && !wide.contains("gather"), "{wide:?}");
}

/// An edit of a work formula reruns nothing, since no stage reaches one.
#[test]
fn formulas_are_no_part_of_a_stage() {
    let all = Workspace::copy().before;
    let formula = |module: &str| module.ends_with("::work");
    assert_eq!(
        all.keys().filter(|module| formula(module)).count(),
        8,
        "one a paper, that of the comparison, and what is shared"
    );
    let data_sets = ["benchmark", "corpus", "images", "load"];
    let data_sets = data_sets.map(|name| format!("kit::data_sets::{name}"));
    let stage = |module: &String| {
        module.contains("::stages::") || module == "kit::gather" || data_sets.contains(module)
    };
    let stages: Vec<_> = all.iter().filter(|(module, _)| stage(module)).collect();
    assert!(stages.len() > 60, "{}", stages.len());
    for (module, parts) in stages {
        let reached = parts.keys().find(|part| formula(part));
        assert!(reached.is_none(), "{module} reaches {reached:?}");
    }
}

/// What rounds by the number of threads and the kernels of LAPACK.
const LAPACK: [&str; 3] =
    ["numerics::linalg::cholesky", "numerics::linalg::singular", "numerics::linalg::symmetric"];

/// These name it and use other parts of what they name: under other kernels and threads their results are the same bytes.
const BY_NAME_ALONE: [&str; 2] = ["hoag::stages::claims", "smoothie::stages::cut"];

#[test]
fn what_reaches_lapack_has_a_process_with_its_environment() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let digests = Workspace::copy().before;
    let reaches = |module: &str| {
        digests.get(module).is_some_and(|parts| LAPACK.iter().any(|part| parts.contains_key(*part)))
    };
    assert!(reaches("hoag::stages::exact") && reaches("smoothie::stages::bounds"));
    let (mut alone, mut wrong) = (0, BTreeSet::new());
    for Own { name, source, .. } in crates(&root) {
        for file in files(&source) {
            let text = fs::read_to_string(&file).expect("read");
            let inside = file.strip_prefix(&source).expect("below").with_extension("");
            let path = inside.to_string_lossy().replace('/', "::");
            let module = format!("{name}::{}", path.strip_suffix("::mod").unwrap_or(&path));
            // A stage without `needs` is a thread of the engine, as all that judge are.
            let stage = ["Stage for ", "Criteria for "].iter().any(|kind| text.contains(kind));
            if stage && !text.contains("fn needs") {
                alone += 1;
                wrong.extend(reaches(&module).then_some(module));
            }
        }
    }
    assert!(alone > 20, "{alone}");
    assert_eq!(wrong, BY_NAME_ALONE.map(str::to_owned).into(), "any other needs a worker");
}
