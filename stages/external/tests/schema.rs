//! The schema in the book is that of the messages.

use std::path::Path;

use external::message::{Reply, Request, schema};
use numerics::space::{Domain, Parameter};
use serde_json::{Value, json};

#[test]
fn the_schema_in_the_book_is_that_of_the_messages() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src/external.schema.json");
    let text = std::fs::read_to_string(file).expect("a file of the book");
    let written: Value = serde_json::from_str(&text).expect("JSON");
    let remedy = "cargo run -p external --example schema > docs/book/src/external.schema.json";
    assert_eq!(written, schema(), "write it anew: {remedy}");
}

/// The schema names every answer that is understood, and the field without which each is not.
#[test]
fn answers_of_the_schema_are_understood() {
    let schema = schema();
    let kinds = schema["reply"]["oneOf"].as_array().expect("one of several");
    assert_eq!(kinds.len(), 6);
    for kind in kinds {
        let name = kind["properties"]["type"]["const"].as_str().expect("a type");
        let required: Vec<&str> =
            kind["required"].as_array().expect("fields").iter().filter_map(Value::as_str).collect();
        let mut line = json!({});
        for field in &required {
            line[field] = match *field {
                "type" => json!(name),
                "config" => json!({}),
                _ => json!("some text"),
            };
        }
        assert!(Reply::parse(line.to_string().as_bytes()).is_ok(), "{line}");
        for field in required {
            let mut without = line.clone();
            without.as_object_mut().expect("an object").remove(field);
            assert!(Reply::parse(without.to_string().as_bytes()).is_err(), "{without}");
        }
    }
}

/// The fields of a space are those of the schema, for each kind of domain.
#[test]
fn a_space_has_the_fields_of_the_schema() {
    let domains = [
        Domain::Float { low: 0.0, high: 1.0, log: true },
        Domain::Int { low: 1, high: 2, log: true },
        Domain::Categorical { choices: 2 },
    ];
    let space = domains.map(|domain| Parameter { name: "x".to_owned(), domain });
    let start = Request::Start { protocol: 1, space: &space, seed: 7, budget: 1.0, divisor: 1 };
    let sent = serde_json::to_value(&start).expect("JSON");
    let schema = &schema()["request"]["oneOf"][0]["properties"];
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    let (mut all, mut known) = (keys(&sent), keys(schema));
    all.sort();
    known.sort();
    assert_eq!(all, known);
    let kinds = schema["space"]["items"]["properties"]["domain"]["oneOf"].as_array();
    for (parameter, kind) in
        sent["space"].as_array().expect("a list").iter().zip(kinds.expect("kinds"))
    {
        let (mut all, mut known) = (keys(&parameter["domain"]), keys(&kind["properties"]));
        all.sort();
        known.sort();
        assert_eq!(all, known);
        assert_eq!(kind["properties"]["kind"]["const"], parameter["domain"]["kind"]);
    }
}

#[test]
fn whole_numbers_say_their_scale_only_where_it_is_logarithmic() {
    let text = |log| serde_json::to_string(&Domain::Int { low: 1, high: 8, log }).expect("JSON");
    assert_eq!(text(false), r#"{"kind":"int","low":1,"high":8}"#);
    for log in [false, true] {
        let domain: Domain = serde_json::from_str(&text(log)).expect("a domain");
        assert_eq!(domain, Domain::Int { low: 1, high: 8, log });
    }
}
