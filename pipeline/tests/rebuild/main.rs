//! A real program, edited and rebuilt by cargo: which stages run again, and what `why` says. The test uses the build
//! script, the table of code digests, the keys and the explanation as a user does.

mod workspace;

use workspace::Workspace;

const UP_TO_DATE: &str = "is up to date";

#[test]
fn after_a_rebuild_exactly_the_stages_that_reach_the_edit_run_and_why_names_it() {
    let tiny = Workspace::new();
    tiny.rebuild();
    assert!(tiny.good(&["run"]).starts_with("2 stages computed"));

    // Edits that do not change the meaning of the code.
    tiny.edit("src/alpha.rs", "// A remark.\n", "// Another\n// remark.\n");
    tiny.edit(
        "src/alpha.rs",
        "cx.write(\"main\", &row(shared::HALF)?)",
        "cx . write(\n\"main\",\n&row(shared::HALF)?,\n)",
    );
    tiny.edit("src/idle.rs", "1", "2");
    // The formula of the work of a stage.
    tiny.edit("src/work.rs", "1.0", "2.0");
    tiny.rebuild();
    for stage in ["alpha", "beta"] {
        assert!(tiny.why(stage).contains(UP_TO_DATE), "{}", tiny.why(stage));
    }

    // One line of a module that one stage reaches through another module.
    tiny.edit("src/deep.rs", "21", "22");
    tiny.rebuild();
    tiny.reruns("alpha", "beta", &["code of tiny::deep: "]);

    // One line of a stage's own module.
    tiny.edit("src/beta.rs", "7", "8");
    tiny.rebuild();
    tiny.reruns("beta", "alpha", &["code of tiny::beta: "]);

    // Another version of a dependency, in its manifest and so in Cargo.lock.
    tiny.edit("helper/Cargo.toml", "0.1.0", "0.1.1");
    tiny.rebuild();
    tiny.reruns("beta", "alpha", &["code of dependency helper: 0.1.0 → 0.1.1"]);

    // A module under another name.
    tiny.rename("src/deep.rs", "src/deeper.rs");
    tiny.edit("src/lib.rs", "mod deep;", "mod deeper;");
    tiny.edit("src/shared.rs", "deep::WHOLE", "deeper::WHOLE");
    tiny.rebuild();
    let named =
        ["code of tiny::deep: ", "code of tiny::deeper: nothing → ", "code of tiny::shared: "];
    tiny.reruns("alpha", "beta", &named);
}
