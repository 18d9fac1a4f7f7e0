//! `retune schema`: generates JSON schemas of the configs, for editors and checks, from the types that read
//! the configs.

use clap::{Arg, ArgMatches};
use kit::claims::Claim;
use pipeline::{
    cli::{Command, Session, manual::Example},
    error::{Error, Result},
};
use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value, json};

/// A paper's name and the schema of its config's values.
pub type Described = (&'static str, fn() -> Value);

/// The command, with the configs of all papers.
pub struct Schema(pub Vec<Described>);

/// The schema of a config's values.
#[must_use]
pub fn of<T: JsonSchema>() -> Value {
    schema_for!(T).into()
}

/// The name under which the schema of the claims files is requested.
const CLAIMS: &str = "claims";

impl Command for Schema {
    fn clap(&self) -> clap::Command {
        clap::Command::new("schema")
            .about("Print the JSON schema of a config, for editors")
            .after_help(
                "Without PAPER, one object with all schemas by name. An editor that knows TOML takes \
                 a file of it: `#:schema hoag.schema.json` in the first line of configs/hoag.toml. \
                 Ranges are checked by `retune plan`, not by the schema.",
            )
            .arg(Arg::new("paper").value_name("PAPER").help(
                "A paper, for configs/PAPER.toml, or `claims`, for every configs/PAPER.claims.toml \
                 [default: all]",
            ))
    }

    fn examples(&self) -> &'static [Example] {
        &[("{program} schema {experiment}", "print the schema of a paper's config")]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let mut all: Vec<(&str, Value)> =
            self.0.iter().map(|(name, values)| (*name, whole(name, &values()))).collect();
        all.push((CLAIMS, claims()));
        let wanted = match matches.get_one::<String>("paper") {
            None => all.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect(),
            Some(name) => {
                if let Some((_, schema)) = all.iter().find(|(known, _)| known == name) {
                    schema.clone()
                } else {
                    let near = super::near(name, all.iter().map(|(known, _)| *known));
                    let names: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
                    return Err(Error::usage(format!("no config is called `{name}`{near}"))
                        .help(format!("there are {}", names.join(", "))));
                }
            }
        };
        let text = serde_json::to_string_pretty(&wanted)
            .map_err(|e| Error::usage(format!("cannot write JSON: {e}")))?;
        session.print(&(text + "\n"))
    }
}

/// The schema of a claims file.
fn claims() -> Value {
    let mut claim = of::<Claim>();
    // References to definitions start at the root of a schema.
    let definitions = claim.as_object_mut().and_then(|claim| {
        claim.remove("$schema");
        claim.remove("$defs")
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "configs/PAPER.claims.toml",
        "type": "object",
        "additionalProperties": false,
        "required": ["claim"],
        "properties": { "claim": { "type": "array", "items": claim } },
        "$defs": definitions.unwrap_or(json!({})),
    })
}

/// The schema of a whole file, from that of its values: with profiles, each of which may change any of the
/// values.
fn whole(paper: &str, values: &Value) -> Value {
    let mut file = values.clone();
    let mut partial = partial(values);
    let definitions = partial.as_object_mut().and_then(|all| all.remove("$defs"));
    let Some(root) = file.as_object_mut() else { return file };
    if let Some(partial) = partial.as_object_mut() {
        for key in ["$schema", "title", "description"] {
            partial.remove(key);
        }
        let inherits = json!({
            "type": "string", "description": "The profile whose changes come before its own"
        });
        if let Some(properties) = partial.entry("properties").or_insert(json!({})).as_object_mut() {
            properties.insert("inherits".to_owned(), inherits);
        }
    }
    root.insert("title".to_owned(), json!(format!("configs/{paper}.toml")));
    let described = json!("What each profile changes");
    let profiles = json!({
        "type": "object", "description": described, "additionalProperties": partial
    });
    if let Some(properties) = root.entry("properties").or_insert(json!({})).as_object_mut() {
        properties.insert("profiles".to_owned(), profiles);
    }
    let own = root.entry("$defs").or_insert(json!({}));
    if let (Some(own), Some(Value::Object(changed))) = (own.as_object_mut(), definitions) {
        own.extend(changed.into_iter().map(|(name, value)| (changed_name(&name), value)));
    }
    file
}

/// The name of the definition that allows a part of what `name` allows.
fn changed_name(name: &str) -> String {
    format!("{name} changed")
}

/// The schema without required keys: any part of what it allows is accepted. Where exactly one of several
/// forms was required, a part may match several of them.
fn partial(schema: &Value) -> Value {
    match schema {
        Value::Array(all) => all.iter().map(partial).collect(),
        Value::Object(all) => {
            let mut changed = Map::new();
            for (key, value) in all {
                match (key.as_str(), value) {
                    ("required", Value::Array(_)) => {}
                    ("oneOf", forms @ Value::Array(_)) => {
                        drop(changed.insert("anyOf".to_owned(), partial(forms)));
                    }
                    ("$ref", Value::String(to)) => {
                        // A JSON pointer within a URI, in which blanks are escaped.
                        let to = json!(changed_name(to).replace(' ', "%20"));
                        changed.insert(key.clone(), to);
                    }
                    _ => drop(changed.insert(key.clone(), partial(value))),
                }
            }
            Value::Object(changed)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_may_name_some_values_and_no_others() {
        let values = json!({
            "type": "object", "additionalProperties": false, "required": ["size", "part"],
            "properties": { "size": { "type": "integer" }, "part": { "$ref": "#/$defs/Part" } },
            "$defs": { "Part": {
                "type": "object", "additionalProperties": false, "required": ["a", "b"],
                "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            } },
        });
        let schema = whole("toy", &values);
        // The values themselves are unchanged.
        assert_eq!(schema["required"], values["required"]);
        assert_eq!(schema["properties"]["part"]["$ref"], "#/$defs/Part");
        assert_eq!(schema["$defs"]["Part"], values["$defs"]["Part"]);
        // Those of a profile have the same names and types, and none is required.
        let profile = &schema["properties"]["profiles"]["additionalProperties"];
        assert_eq!(profile["additionalProperties"], false);
        assert!(profile.get("required").is_none() && profile.get("$defs").is_none());
        assert_eq!(profile["properties"]["size"], values["properties"]["size"]);
        // But which one it begins from.
        assert_eq!(profile["properties"]["inherits"]["type"], "string");
        assert!(schema["properties"].get("inherits").is_none());
        assert_eq!(profile["properties"]["part"]["$ref"], "#/$defs/Part%20changed");
        let part = &schema["$defs"]["Part changed"];
        assert_eq!(part["properties"], values["$defs"]["Part"]["properties"]);
        assert!(part.get("required").is_none());
        assert_eq!(part["additionalProperties"], false);
    }

    #[test]
    fn of_several_forms_a_part_may_fit_more_than_one() {
        let forms = json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] });
        assert_eq!(partial(&forms), json!({ "anyOf": [{}, {}] }));
        // Keys of a config can have any name.
        let named = json!({ "properties": { "required": { "type": "string" } } });
        assert_eq!(partial(&named), named);
    }
}
