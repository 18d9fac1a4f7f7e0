//! Generates one function from each notebook: its code cells in order, in one scope, as in the kernel. The
//! value of a cell's last expression is shown, and a failed `?` ends the function. Lines that are only for the kernel, such as `:dep`, are left
//! out.

use std::{env, error::Error, fs, path::Path};

use quote::ToTokens;
use serde_json::Value;
use syn::{Block, Stmt};

/// The code of a cell.
fn source(cell: &Value) -> String {
    match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

/// The notebook as the body of a function, which reports the number of each cell before it and what it shows
/// after it.
fn body(notebook: &Value) -> Result<String, String> {
    let cells = notebook["cells"].as_array().ok_or("it has no cells")?;
    let mut body = String::new();
    for (number, cell) in cells.iter().enumerate().filter(|(_, cell)| cell["cell_type"] == "code") {
        let source = source(cell);
        let code: Vec<&str> = source.lines().filter(|line| !line.starts_with(':')).collect();
        let block: Block = syn::parse_str(&format!("{{{}\n}}", code.join("\n")))
            .map_err(|error| format!("cell {number}: {error}"))?;
        let mut statements = block.stmts;
        let last = match statements.pop() {
            Some(Stmt::Expr(value, None)) => Some(value),
            other => {
                statements.extend(other);
                None
            }
        };
        body += &format!("    page__.begin({number}, {source:?});\n");
        for statement in statements {
            body += &format!("    {}\n", statement.to_token_stream());
        }
        if let Some(value) = last {
            body += &format!("    page__.show({});\n", value.to_token_stream());
        }
    }
    Ok(body)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths: Vec<_> =
        fs::read_dir(&folder)?.map(|e| Ok(e?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ipynb"));
    paths.sort();
    let (mut functions, mut names) = (String::new(), Vec::new());
    for path in &paths {
        let notebook: Value = serde_json::from_slice(&fs::read(path)?)?;
        let body = body(&notebook).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let number = names.len();
        functions += &format!(
            "fn notebook_{number}(page__: &mut Page) -> Shown {{\n{body}    Ok(())\n}}\n\n"
        );
        names.push(format!("    ({name:?}, notebook_{number}),\n"));
    }
    let count = names.len();
    let all = format!(
        "type Shown = Result<(), Box<dyn std::error::Error>>;\ntype Cells = fn(&mut Page) -> Shown;\n\npub const NOTEBOOKS: [(&str, Cells); {count}] = [\n{}];\n\n{functions}",
        names.concat()
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("notebooks.rs"), all)?;
    Ok(())
}
