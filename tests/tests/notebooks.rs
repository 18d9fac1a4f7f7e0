//! The committed notebooks: no outputs, the right kernel, no cell that could fail unseen.

use std::path::PathBuf;

use serde_json::Value;

fn notebooks() -> Vec<(String, Value)> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../notebooks");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ipynb") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.push((name, serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()));
        }
    }
    found.sort_by(|a: &(String, Value), b| a.0.cmp(&b.0));
    found
}

fn code_cells(notebook: &Value) -> impl Iterator<Item = &Value> {
    notebook["cells"].as_array().unwrap().iter().filter(|cell| cell["cell_type"] == "code")
}

fn source(cell: &Value) -> String {
    match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

#[test]
fn there_are_notebooks() {
    assert!(!notebooks().is_empty());
}

#[test]
fn committed_notebooks_carry_no_outputs() {
    for (name, notebook) in notebooks() {
        for cell in code_cells(&notebook) {
            let text = source(cell);
            let none = serde_json::json!([]);
            assert_eq!(cell["outputs"], none, "{name}: clear the outputs of\n{text}");
            assert!(cell["execution_count"].is_null(), "{name}: clear the count of\n{text}");
        }
    }
}

#[test]
fn every_notebook_has_the_rust_kernel() {
    for (name, notebook) in notebooks() {
        assert_eq!(notebook["metadata"]["kernelspec"]["name"], "rust", "{name}");
    }
}

/// A panic takes every variable with it; a failed `?` says what is wrong, and the page is not made all the same.
#[test]
fn cells_end_fallible_calls_with_a_question_mark() {
    for (name, notebook) in notebooks() {
        let sources: Vec<String> = code_cells(&notebook).map(source).collect();
        let first = sources.first().map_or("", String::as_str);
        assert!(first.contains("prelude::open()?"), "{name}: the first cell opens the store");
        for text in &sources {
            let panics = text.contains(".unwrap()") || text.contains(".expect(");
            assert!(!panics, "{name}: `?` in place of unwrap and expect in\n{text}");
        }
    }
}
