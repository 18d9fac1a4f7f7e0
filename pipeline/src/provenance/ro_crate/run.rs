//! The actions of a crate: the workflow with its steps and tools, what was executed, and by what.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{About, BILL, Crate, ENGINE, Entities, RUN, WORKFLOW, agent, id, ids};
use crate::{
    digest::Digest,
    machine::iso,
    program::Program,
    provenance::{Account, Story},
};

/// The Bioschemas profile that describes workflows.
const SHAPE: &str = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE";

/// A kind with its code, which the crate calls a tool.
fn tool(account: &Account) -> String {
    format!("#kind-{}-{}", account.kind, account.code.get(..12).unwrap_or(&account.code))
}

fn step(account: &Account) -> String {
    tool(account).replacen("kind", "step", 1)
}

/// The one formal parameter of a tool.
fn parameters(tool: &str) -> String {
    format!("{tool}-parameters")
}

fn action_of(account: &Account) -> String {
    format!("#action-{}", account.key)
}

/// The workflow, with a tool and a step for every kind of stage, and its parameters.
pub(super) fn workflow(
    graph: &mut Entities,
    story: &Story,
    about: &About,
    done: &[&Account],
    bytes: u64,
) {
    let tools: BTreeMap<_, _> = done.iter().map(|account| (tool(account), *account)).collect();
    graph.add(
        WORKFLOW,
        json!({"@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
            "name": format!("The stages of {}", about.program),
            "description": "Every stage with its kind, its parameters and what it reads.",
            "encodingFormat": "application/json", "contentSize": bytes.to_string(),
            "programmingLanguage": id("#language"), "conformsTo": id(SHAPE), "buildInstructions": id(BILL),
            "hasPart": ids(tools.keys()), "step": ids(tools.values().map(|account| step(account))),
            "input": ids(["#profile", "#overrides"]), "output": id("#results")}),
    );
    graph.add(
        SHAPE,
        json!({"@type": "CreativeWork", "name": "ComputationalWorkflow", "version": "1.0-RELEASE"}),
    );
    graph.add(
        "#language",
        json!({"@type": "ComputerLanguage", "name": about.program, "version": env!("CARGO_PKG_VERSION"),
            "description": "A list of stages in JSON, carried out by the program."}),
    );
    let shape = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE";
    graph.add(
        shape,
        json!({"@type": "CreativeWork", "name": "FormalParameter", "version": "1.0-RELEASE"}),
    );
    let mut formal = |own: &str, name: &str, kind: &str| {
        graph.add(
            own,
            json!({"@type": "FormalParameter", "name": name, "additionalType": kind,
                "conformsTo": id(shape)}),
        );
    };
    for (name, kind) in [("profile", "Text"), ("overrides", "Text"), ("results", "File")] {
        formal(&format!("#{name}"), name, kind);
    }
    for tool in tools.keys() {
        formal(&parameters(tool), "parameters", "Text");
    }
    let run = &story.run;
    for (name, value) in [("profile", run.profile.clone()), ("overrides", run.overrides.join(" "))]
    {
        graph.add(
            &format!("#{name}-value"),
            json!({"@type": "PropertyValue", "name": name, "value": value,
                "exampleOfWork": id(format!("#{name}"))}),
        );
    }
    for (i, (tool, account)) in tools.iter().enumerate() {
        graph.add(
            tool,
            json!({"@type": "SoftwareApplication", "name": account.kind,
                "version": account.code, "softwareVersion": account.code, "description": "A kind of stage, which the program \
                 carries out; its version is the digest of its code and of all code that this reaches.",
                "input": id(parameters(tool)), "softwareRequirements": id(ENGINE), "mainEntity": id(ENGINE)}),
        );
        // Profile and overrides choose the values of a config, which decide each stage's parameters.
        let connections = ["profile", "overrides"].map(|from| {
            let own = format!("{}-{from}", step(account).replacen("step", "connection", 1));
            graph.add(
                &own,
                json!({"@type": "ParameterConnection", "sourceParameter": id(format!("#{from}")),
                    "targetParameter": id(parameters(tool))}),
            );
            own
        });
        graph.add(
            &step(account),
            json!({"@type": "HowToStep", "position": (i + 1).to_string(),
                "name": format!("stages of kind {}", account.kind), "workExample": id(tool),
                "connection": ids(connections), "buildInstructions": id(BILL)}),
        );
    }
}

/// The execution that computed one result. `place` gives the path of an artifact in the crate, if it is part of it.
pub(super) fn action(
    graph: &mut Entities,
    account: &Account,
    place: &dyn Fn(Digest) -> Option<String>,
) {
    let own = action_of(account);
    let name = |part: &str| format!("{own}-{part}");
    let mut values = vec![
        ("parameters", account.params.to_string(), None),
        ("threads", account.threads.to_string(), None),
        ("gpus", account.gpus.to_string(), None),
    ];
    values.extend(account.seed.clone().map(|seed| ("seed", seed, None)));
    let uses = values.len();
    values.push(("wall-time", account.cost.wall_s.to_string(), Some("SEC")));
    values.extend(account.cost.cpu_s.map(|s| ("cpu-time", s.to_string(), Some("SEC"))));
    values.extend(account.cost.peak_mib.map(|m| ("peak-memory", m.to_string(), Some("E63"))));
    let property = |part: &str, value: &str, unit: Option<&str>| {
        let mut property = json!({"@type": "PropertyValue", "name": part, "value": value});
        if let Some(unit) = unit {
            property["propertyID"] =
                json!(format!("https://w3id.org/ro/terms/workflow-run#{part}"));
            property["unitCode"] = json!(unit);
        }
        property
    };
    for (part, value, unit) in &values {
        let mut property = property(part, value, *unit);
        if *part == "parameters" {
            property["exampleOfWork"] = id(parameters(&tool(account)));
        }
        graph.add(&name(part), property);
    }
    let inputs = account.inputs.iter().filter_map(|(_, digest)| place((*digest)?));
    let parameters = values[..uses].iter().map(|(part, ..)| name(part));
    graph.add(
        &own,
        json!({"@type": "CreateAction", "name": account.stage, "instrument": id(tool(account)),
            "description": format!("Computed on {}.", account.host),
            "startTime": iso(account.started()), "endTime": iso(account.finished),
            "actionStatus": "http://schema.org/CompletedActionStatus",
            "object": ids(parameters.chain(inputs)),
            "result": ids(account.outputs.iter().filter_map(|(_, digest)| place(*digest))),
            "resourceUsage": ids(values[uses..].iter().map(|(part, ..)| name(part)))}),
    );
    graph.add(
        &format!("#control-{}", account.key),
        json!({"@type": "ControlAction", "name": format!("orchestrates {}", account.stage),
            "instrument": id(step(account)), "object": id(&own)}),
    );
}

/// The run as a whole, the engine that orchestrated it, and its libraries.
pub(super) fn organisation(graph: &mut Entities, of: &Crate, done: &[&Account]) {
    let Crate { story, about, place, .. } = *of;
    let start = done.iter().map(|account| account.started()).min().unwrap_or(story.run.finished);
    let agent = agent(about);
    let results = done.iter().flat_map(|account| &account.outputs);
    let mut results: Vec<_> = results.map(|(_, digest)| place(*digest)).collect();
    results.sort();
    results.dedup();
    graph.add(
        RUN,
        json!({"@type": "CreateAction", "name": format!("run {}", story.run.id),
            "instrument": id(WORKFLOW), "object": ids(["#profile-value", "#overrides-value"]),
            "result": ids(results), "startTime": iso(start), "endTime": iso(story.run.finished),
            "description": story.run.command(&about.program).map(|command| format!("`{command}`")),
            "actionStatus": "http://schema.org/CompletedActionStatus", "agent": agent}),
    );
    // The profile allows only the executions of steps here; the configuration is the workflow, which is the run's
    // instrument.
    let controls = done.iter().map(|account| format!("#control-{}", account.key));
    graph.add(
        "#organisation",
        json!({"@type": "OrganizeAction", "name": format!("{} carries run {} out", about.program, story.run.id),
            "instrument": id(ENGINE), "result": id(RUN), "agent": agent,
            "startTime": iso(start), "endTime": iso(story.run.finished),
            "object": ids(controls)}),
    );
    let mut libraries = BTreeMap::new();
    let mut built = Vec::new();
    for environment in story.environments.values() {
        let program = &environment.program;
        let revision = environment.revision.as_deref().unwrap_or("unknown");
        let Program { version, compiler, target, build, .. } = program;
        built.push(format!("{version} (revision {revision}, {compiler}, {target}, {build})"));
        for (name, version) in &program.libraries {
            libraries.insert(format!("#library-{name}-{version}"), (name, version));
        }
    }
    built.sort();
    built.dedup();
    let version = if built.is_empty() { Value::Null } else { json!(built.join("; ")) };
    graph.add(
        ENGINE,
        json!({"@type": "SoftwareApplication", "name": about.program, "description": about.purpose,
            "version": version, "softwareVersion": version, "softwareRequirements": ids(libraries.keys())}),
    );
    for (own, (name, version)) in &libraries {
        graph.add(
            own,
            json!({"@type": "SoftwareApplication", "name": name, "version": version, "softwareVersion": version}),
        );
    }
}
