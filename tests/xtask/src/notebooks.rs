//! A notebook with a failing cell must fail the command, whichever way the cell fails; one without must not. The trap:
//! the kernel reports a panic as text, exits with 0 and runs the later cells. And: a page is made once, until what it
//! shows is another.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::tools::{Checkout, End, ensure, run, said, say};

const WRITE: &str = "import sys
import nbformat
from nbformat import v4
cells = [v4.new_code_cell(source) for source in sys.argv[2:]]
spec = {'kernelspec': {'display_name': 'Rust', 'language': 'rust', 'name': 'rust'}}
nbformat.write(v4.new_notebook(cells=cells, metadata=spec), sys.argv[1])";
const LATER: &str = "println!(\"a later cell\")";

/// Notebooks in a folder of their own.
struct Trial<'a> {
    checkout: &'a Checkout,
    folder: PathBuf,
    retune: PathBuf,
}

impl Trial<'_> {
    fn execute(&self, name: &str, store: &str) -> Command {
        let mut command = self.checkout.script("notebook.sh");
        command.arg(self.folder.join(format!("{name}.ipynb"))).env("RETUNE", &self.retune);
        command.env("REPORT_DIR", self.folder.join("report"));
        command.env("RETUNE_ARTIFACTS", self.folder.join(store));
        command
    }

    /// Executes a notebook of these cells, which must pass or fail; what is said.
    fn cells(&self, name: &str, passes: bool, cells: &[&str]) -> Result<String, End> {
        self.over("nowhere", name, passes, cells)
    }

    /// The same over the artifacts in the folder `store`.
    fn over(&self, store: &str, name: &str, passes: bool, cells: &[&str]) -> Result<String, End> {
        let mut write = self.checkout.command(self.checkout.root.join(".venv/bin/python"));
        write.args(["-c", WRITE]).arg(self.folder.join(format!("{name}.ipynb"))).args(cells);
        run(&mut write)?;
        let (output, told) = said(&mut self.execute(name, store))?;
        let got = output.status.success();
        ensure(got == passes, format!("{told}\nnotebook {name}: it passed is {got}"))?;
        if !passes {
            let page = |end: &str| self.folder.join("report").join(format!("{name}{end}")).exists();
            let kept = page(".html") || !page(".failed.html");
            ensure(!kept, format!("notebook {name}: it failed and left a report"))?;
            let named = told.lines().any(|line| line.starts_with("error:"));
            ensure(named, format!("{told}\nnotebook {name}: no message"))?;
        }
        say(&format!("notebook test {name}: {} as wanted", if passes { "pass" } else { "fail" }));
        Ok(told)
    }

    /// Whether the page of `name` is made again over `store`.
    fn again(&self, name: &str, store: &str) -> Result<bool, End> {
        let (output, told) = said(&mut self.execute(name, store))?;
        ensure(output.status.success(), &told)?;
        Ok(!told.lines().any(|line| line.starts_with("== up to date")))
    }
}

pub fn check(checkout: &Checkout, _: &[String]) -> Result<(), End> {
    run(&mut checkout.script("kernel.sh"))?;
    let folder = tempfile::Builder::new().prefix("notebooks.").tempdir_in(&checkout.tools)?;
    let trial = Trial { checkout, folder: folder.path().to_owned(), retune: checkout.retune()? };
    settings(checkout, folder.path())?;
    trial.cells("good", true, &["let x = 1 + 1;", "println!(\"{x}\")"])?;
    ensure(!trial.again("good", "nowhere")?, "a page that is there is made again")?;
    let mut result = checkout.command(&trial.retune);
    result.args(["run", "hoag/differs", "--profile", "smoke", "--store"]);
    run(result.arg(folder.path().join("results")))?;
    ensure(trial.again("good", "results")?, "a page of other results is taken for these")?;
    trial.cells("compile-error", false, &["let x: u32 = \"text\";"])?;
    trial.cells("bare-panic", false, &["panic!(\"no hook is set yet\")", LATER])?;
    trial.cells("question-mark", false, &["\"x\".parse::<u32>()?;", LATER])?;
    trial.cells("dead-kernel", false, &["std::process::exit(0)", LATER])?;
    let prelude = checkout.root.join("notebooks/prelude");
    let dep = format!(":dep prelude = {{ path = \"{}\" }}", prelude.display());
    typo(&trial, &dep)?;
    // A page shows a figure as the drawing that its notebook holds as pixels.
    let svg = r##"r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#"##;
    // In a cell of its own: the kernel shows the value of an expression with its session's first `?` as text.
    let draw = format!("let image = prelude::html::image({svg}, \"toy\")?;");
    trial.cells("figure", true, &[&dep, &draw, "prelude::html::Html(image.clone())"])?;
    let page = fs::read_to_string(folder.path().join("report/figure.html"))?;
    ensure(page.contains("src=\"data:image/svg+xml;base64,"), "the page shows no drawing")?;
    ensure(!page.contains("image/png"), "the page holds pixels")
}

/// A column that is not there, in a cell and in a query: each says which there are, the page is not made, and every
/// variable is as it was. A query sees the table that the prelude opens.
fn typo(trial: &Trial<'_>, dep: &str) -> Result<(), End> {
    let kept = trial.folder.join("kept");
    let mistyped = "table.column::<String>(\"no-such-column\")?;";
    let query = "nb.sql(r#\"SELECT plce FROM \"hoag/differs\"\"#)?;";
    let count = "let n = nb.sql(r#\"SELECT count(*) AS n FROM \"hoag/differs\"\"#)?.column::<f64>(\"n\")?[0];";
    let later = format!(
        "{count}\nstd::fs::write(\"{}\", format!(\"{{}} {{n}}\", table.rows()))?;",
        kept.display()
    );
    let open = "let nb = prelude::open()?;\nlet table = nb.table(\"hoag/differs\")?;";
    let told = trial.over("results", "typo", false, &[dep, open, mistyped, query, &later])?;
    for named in ["no-such-column", "plce", "place"] {
        ensure(told.contains(named), format!("{told}\nthe messages do not name {named}"))?;
    }
    let rows = fs::read_to_string(&kept)
        .map_err(|e| End::Failed(format!("{told}\nno state was kept: {e}")))?;
    let equal = rows.split_once(' ').is_some_and(|(table, query)| table == query && table != "0");
    ensure(equal, format!("{rows:?}: rows of the table and of the query"))
}

/// The kernel's settings, as notebooks have them beside them.
fn settings(checkout: &Checkout, folder: &Path) -> Result<(), End> {
    let text = fs::read_to_string(checkout.root.join("notebooks/evcxr.toml"))?;
    let build = checkout.tools.join("evcxr");
    let line = |line: &str| {
        if line.starts_with("tmpdir = ") {
            format!("tmpdir = \"{}\"\n", build.display())
        } else {
            format!("{line}\n")
        }
    };
    Ok(fs::write(folder.join("evcxr.toml"), text.lines().map(line).collect::<String>())?)
}
