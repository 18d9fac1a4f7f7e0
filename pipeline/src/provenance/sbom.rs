//! The program's bill of materials as CycloneDX 1.5: every package in the lock file at build time, with version,
//! checksum and, if known, licence. The same program gives the same bytes.

use serde_json::{Map, Value, json};

use crate::program::{PACKAGES, Package, Program};

/// The bill of materials of the program called `name`.
#[must_use]
pub fn document(name: &str) -> Value {
    let Program { version, compiler, target, build, .. } = Program::this();
    let property =
        |key: &str, value: String| json!({"name": format!("retune:{key}"), "value": value});
    let component =
        |kind: &str| json!({"type": kind, "bom-ref": name, "name": name, "version": version});
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": component("application"),
            "properties": [property("compiler", compiler), property("target", target), property("build", build)],
        },
        "components": PACKAGES.iter().map(library).collect::<Vec<_>>(),
    })
}

fn library(package: &Package) -> Value {
    let Package { name, version, checksum, licence } = package;
    // A version may contain a `+`, which stands for a space in a URL.
    let purl = format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"));
    let known = [
        ("type", json!("library")),
        ("bom-ref", json!(purl)),
        ("name", json!(name)),
        ("version", json!(version)),
        ("hashes", json!([{"alg": "SHA-256", "content": checksum}])),
        ("licenses", json!([{"expression": licence}])),
        ("purl", json!(purl)),
    ];
    let told = |(key, _): &(&str, Value)| match *key {
        "hashes" => !checksum.is_empty(),
        "licenses" => !licence.is_empty(),
        _ => true,
    };
    let known = known.into_iter().filter(told).map(|(key, value)| (key.to_owned(), value));
    Value::Object(known.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_package_is_in_the_bill_once_with_its_checksum() {
        let bill = document("toy");
        assert_eq!(
            (&bill["bomFormat"], &bill["specVersion"]),
            (&"CycloneDX".into(), &"1.5".into())
        );
        let components = bill["components"].as_array().unwrap();
        let refs: BTreeSet<&str> =
            components.iter().filter_map(|c| c["bom-ref"].as_str()).collect();
        assert_eq!(refs.len(), components.len());
        assert_eq!(components.len(), Program::this().libraries.len());
        for component in components {
            let sum = component["hashes"][0]["content"].as_str().unwrap();
            assert!(sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit()), "{component}");
        }
        let blake3 = components.iter().find(|c| c["name"] == "blake3").unwrap();
        assert_eq!(
            blake3["purl"],
            format!("pkg:cargo/blake3@{}", blake3["version"].as_str().unwrap())
        );
        assert!(blake3["licenses"][0]["expression"].as_str().unwrap().contains("Apache-2.0"));
        assert_eq!(bill, document("toy"));
    }
}
