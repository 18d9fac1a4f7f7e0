//! One traversal of everything that decides a stage's result. The same traversal produces the key and the explanation
//! of a rerun, so the two cannot disagree.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    digest::{Digest, Fields},
    graph::Node,
};

/// Receives the parts of a stage's identity, in order.
trait Sink {
    fn part(&mut self, name: &str, detail: &str, value: &[u8], text: &dyn Fn() -> String);
}

/// Content digests of a node's inputs (in the order of `node.inputs`; `None` if an optional one is unavailable) and
/// of its files.
pub struct Contents {
    /// One entry per input.
    pub inputs: Vec<Option<Digest>>,
    /// One entry per file.
    pub files: Vec<Digest>,
}

fn walk(node: &Node, contents: &Contents, sink: &mut impl Sink) {
    sink.part("kind", "", node.kind.as_bytes(), &|| node.kind.to_owned());
    sink.part("code", "", node.code.digest.bytes(), &|| node.code.digest.to_string());
    sink.part("params", "", node.params.as_bytes(), &|| node.params.clone());
    for (edge, digest) in node.inputs.iter().zip(&contents.inputs) {
        let value = digest.as_ref().map_or(&[][..], |digest| digest.bytes());
        sink.part("input", &edge.role, value, &|| {
            digest.map_or_else(|| "unavailable".to_owned(), |digest| digest.to_string())
        });
    }
    // Files count by position and content, so moving a file changes nothing.
    for (i, digest) in contents.files.iter().enumerate() {
        sink.part("file", &i.to_string(), digest.bytes(), &|| digest.to_string());
    }
    if let Some(seed) = node.seed {
        sink.part("seed", "", seed.digest().bytes(), &|| seed.digest().to_string());
    }
    for (name, value) in &node.facets {
        sink.part("facet", name, value.as_bytes(), &|| value.clone());
    }
}

impl Sink for Fields {
    fn part(&mut self, name: &str, detail: &str, value: &[u8], _: &dyn Fn() -> String) {
        self.field(name.as_bytes()).field(detail.as_bytes()).field(value);
    }
}

/// The key of `node` when its inputs have these contents.
#[must_use]
pub fn key(node: &Node, contents: &Contents) -> Digest {
    let mut fields = Fields::default();
    fields.field(b"retune key v1");
    walk(node, contents, &mut fields);
    fields.finish()
}

/// The identity of a stage written out, kept beside its outputs to explain the next rerun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// `part → value`, in the order of the traversal. Parameters are one canonical JSON text.
    pub parts: Vec<(String, String)>,
    /// The code's parts: module or dependency → digest or version.
    pub code: Vec<(String, String)>,
}

impl Sink for Manifest {
    fn part(&mut self, name: &str, detail: &str, _: &[u8], text: &dyn Fn() -> String) {
        let name = if detail.is_empty() { name.to_owned() } else { format!("{name} {detail}") };
        self.parts.push((name, text()));
    }
}

/// One difference between two manifests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What changed: `params.rules.epsilon`, `code of stages::tuners::grid`, `input split`, …
    pub what: String,
    /// Its earlier value; `None` if it did not exist.
    pub old: Option<String>,
    /// Its current value; `None` if it is gone.
    pub new: Option<String>,
}

impl Manifest {
    /// The manifest of `node` with these contents.
    #[must_use]
    pub fn of(node: &Node, contents: &Contents) -> Self {
        let mut manifest = Self { parts: Vec::new(), code: node.code.parts.clone() };
        walk(node, contents, &mut manifest);
        manifest
    }

    /// The key that these parts give; `None` if one of them is malformed.
    #[must_use]
    pub fn key(&self) -> Option<Digest> {
        let mut fields = Fields::default();
        fields.field(b"retune key v1");
        for (part, text) in &self.parts {
            let (name, detail) = part.split_once(' ').unwrap_or((part, ""));
            fields.field(name.as_bytes()).field(detail.as_bytes());
            match name {
                "kind" | "params" | "facet" => fields.field(text.as_bytes()),
                "input" if text == "unavailable" => fields.field(b""),
                _ => fields.field(text.parse::<Digest>().ok()?.bytes()),
            };
        }
        Some(fields.finish())
    }

    /// The differences from `old` to `self`, each named as precisely as possible.
    #[must_use]
    pub fn changes_since(&self, old: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        compare(&old.parts, &self.parts, |name, a, b| match (name, a, b) {
            ("code", ..) => compare(&old.code, &self.code, |module, a, b| {
                changes.push(change(format!("code of {module}"), a, b));
            }),
            ("params", Some(a), Some(b)) => {
                let json = |text| serde_json::from_str(text).unwrap_or(Value::Null);
                json_changes("params", &json(a), &json(b), &mut changes);
            }
            _ => changes.push(change(name.to_owned(), a, b)),
        });
        changes
    }
}

fn change(what: String, old: Option<&str>, new: Option<&str>) -> Change {
    Change { what, old: old.map(str::to_owned), new: new.map(str::to_owned) }
}

/// Calls `each` for every name whose value differs between two lists of pairs.
fn compare<'a>(
    old: &'a [(String, String)],
    new: &'a [(String, String)],
    mut each: impl FnMut(&str, Option<&'a str>, Option<&'a str>),
) {
    fn get<'a>(list: &'a [(String, String)], name: &str) -> Option<&'a str> {
        list.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
    for (name, value) in new {
        let before = get(old, name);
        if before != Some(value.as_str()) {
            each(name, before, Some(value.as_str()));
        }
    }
    for (name, value) in old {
        if get(new, name).is_none() {
            each(name, Some(value.as_str()), None);
        }
    }
}

fn json_changes(path: &str, old: &Value, new: &Value, changes: &mut Vec<Change>) {
    if let (Value::Object(a), Value::Object(b)) = (old, new) {
        for (name, value) in b {
            json_changes(
                &format!("{path}.{name}"),
                a.get(name).unwrap_or(&Value::Null),
                value,
                changes,
            );
        }
        for (name, value) in a.iter().filter(|(name, _)| !b.contains_key(*name)) {
            json_changes(&format!("{path}.{name}"), value, &Value::Null, changes);
        }
    } else if old != new {
        let text = |value: &Value| (!value.is_null()).then(|| value.to_string());
        changes.push(Change { what: path.to_owned(), old: text(old), new: text(new) });
    }
}
