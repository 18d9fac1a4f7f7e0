//! A run in PROV-JSON, the W3C's provenance model: artifacts and files are entities, executions are activities, and
//! machines and the program are agents. The same run gives the same bytes.

use serde_json::{Map, Value, json};

use super::{Account, Story};
use crate::{digest::Digest, machine::iso};

/// The document of a run.
#[must_use]
pub fn document(story: &Story, program: &str) -> Value {
    let mut document = Document::default();
    document.agent("program", json!({"prov:type": "prov:SoftwareAgent", "prov:label": program}));
    for (digest, environment) in &story.environments {
        let (machine, built) = (&environment.machine, &environment.program);
        let libraries: Vec<_> =
            built.libraries.iter().map(|(name, version)| format!("{name} {version}")).collect();
        document.agent(
            &format!("environment-{digest}"),
            json!({"prov:type": "retune:Environment", "prov:label": machine.host,
                "retune:system": machine.system, "retune:architecture": machine.architecture,
                "retune:processor": machine.processor, "retune:processors": machine.processors,
                "retune:memory_mib": machine.memory_mib, "retune:gpus": machine.gpus.join("; "),
                "retune:version": built.version, "retune:compiler": built.compiler,
                "retune:target": built.target, "retune:build": built.build,
                "retune:revision": environment.revision.as_deref().unwrap_or("unknown"),
                "retune:libraries": libraries.join("; ")}),
        );
    }
    for account in &story.accounts {
        document.account(account);
    }
    document.json()
}

#[derive(Default)]
struct Document {
    entities: Map<String, Value>,
    activities: Map<String, Value>,
    agents: Map<String, Value>,
    used: Map<String, Value>,
    generated: Map<String, Value>,
    associated: Map<String, Value>,
}

impl Document {
    fn agent(&mut self, name: &str, properties: Value) {
        self.agents.insert(format!("retune:{name}"), properties);
    }

    fn entity(&mut self, kind: &str, digest: &str, label: Option<&str>) -> String {
        let id = format!("retune:{kind}-{digest}");
        let entity = self.entities.entry(&id).or_insert_with(
            || json!({"prov:type": format!("retune:{kind}"), "retune:blake3": digest}),
        );
        // The stage that made it has the best label for it.
        if let Some(label) = label {
            entity["prov:label"] = json!(label);
        }
        id
    }

    fn account(&mut self, account: &Account) {
        let key = account.key;
        let activity = format!("retune:execution-{key}");
        if self.activities.contains_key(&activity) {
            return; // another name of the same computation
        }
        let cost = account.cost;
        let mut properties = Map::from_iter(
            [
                ("prov:startTime", json!(iso(account.started()))),
                ("prov:endTime", json!(iso(account.finished))),
                ("prov:label", json!(account.stage)),
                ("retune:kind", json!(account.kind)),
                ("retune:code", json!(account.code)),
                ("retune:parameters", json!(account.params.to_string())),
                ("retune:threads", json!(account.threads)),
                ("retune:gpus", json!(account.gpus)),
                ("retune:wall_s", json!(cost.wall_s)),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let known = [
            ("retune:seed", account.seed.as_ref().map(|seed| json!(seed))),
            ("retune:cpu_s", cost.cpu_s.map(|s| json!(s))),
            ("retune:peak_mib", cost.peak_mib.map(|mib| json!(mib))),
        ];
        let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        properties.extend(known);
        self.activities.insert(activity.clone(), Value::Object(properties));

        let read = account.inputs.iter().filter_map(|(role, d)| Some((role.clone(), (*d)?)));
        for (role, digest) in read.collect::<Vec<(String, Digest)>>() {
            let entity = self.entity("artifact", &digest.to_string(), None);
            self.use_of(key, &activity, &entity, &role);
        }
        for (i, digest) in account.files.iter().enumerate() {
            let entity = self.entity("file", digest, None);
            self.use_of(key, &activity, &entity, &format!("file {i}"));
        }
        for (output, digest) in &account.outputs {
            let label = format!("{output} of {}", account.stage);
            let entity = self.entity("artifact", &digest.to_string(), Some(&label));
            self.generated.insert(
                format!("_:g-{key}-{output}"),
                json!({"prov:entity": entity, "prov:activity": activity,
                    "prov:role": output, "prov:time": iso(account.finished)}),
            );
        }
        let environment = account.environment.map(|digest| format!("environment-{digest}"));
        for agent in [Some("program".to_owned()), environment].into_iter().flatten() {
            let agent = format!("retune:{agent}");
            if self.agents.contains_key(&agent) {
                self.associated.insert(
                    format!("_:a-{key}-{}", self.associated.len()),
                    json!({"prov:activity": activity, "prov:agent": agent}),
                );
            }
        }
    }

    fn use_of(&mut self, key: Digest, activity: &str, entity: &str, role: &str) {
        self.used.insert(
            format!("_:u-{key}-{}", self.used.len()),
            json!({"prov:activity": activity, "prov:entity": entity, "prov:role": role}),
        );
    }

    fn json(self) -> Value {
        json!({
            "prefix": {"retune": "urn:retune:"},
            "entity": self.entities,
            "activity": self.activities,
            "agent": self.agents,
            "used": self.used,
            "wasGeneratedBy": self.generated,
            "wasAssociatedWith": self.associated,
        })
    }
}
