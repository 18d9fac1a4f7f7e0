//! The messages of the protocol, one JSON object per line, told apart by their `type`.

use numerics::space::{Domain, Space};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tuners::tuner::{Fidelity, Suggestion, Trial};

/// The protocol that this program speaks.
pub const PROTOCOL: u32 = 1;

/// The longest answer that is read, in bytes. A configuration of a thousand parameters has some 30 000.
pub const LONGEST: usize = 1 << 20;

/// Answers in errors are cut to so many characters.
const SHOWN: usize = 200;

/// The schema of a space: that crate knows no protocol.
fn space_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let number = |of: &str| serde_json::json!({ "type": of });
    // `log` is left out of whole numbers that are not on a logarithmic scale.
    let domain = |kind: &str, fields: Value| {
        let mut properties = fields;
        let required = |name: &&String| (kind, name.as_str()) != ("int", "log");
        let names = properties.as_object().into_iter().flat_map(Map::keys).filter(required);
        let names: Vec<String> = names.cloned().collect();
        properties["kind"] = serde_json::json!({ "const": kind });
        let required = [names, vec!["kind".to_owned()]].concat();
        serde_json::json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false
        })
    };
    let ends = |of: &str| serde_json::json!({ "low": number(of), "high": number(of), "log": number("boolean") });
    let domains = [
        domain("float", ends("number")),
        domain("int", ends("integer")),
        domain("categorical", serde_json::json!({ "choices": number("integer") })),
    ];
    schemars::json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": { "name": { "type": "string" }, "domain": { "oneOf": domains } },
            "required": ["name", "domain"],
            "additionalProperties": false,
        },
    })
}

/// The JSON schema of both: an object whose `request` and `reply` are schemas of a line.
#[must_use]
pub fn schema() -> Value {
    let (request, reply) = (schemars::schema_for!(Request<'static>), schemars::schema_for!(Reply));
    serde_json::json!({ "request": request, "reply": reply })
}

/// A request to the optimiser.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Request<'a> {
    /// The first: the space and what will be asked. Answered by `ready`. Sent again to begin another run, where the
    /// answer said that the optimiser restarts.
    Start {
        /// [`PROTOCOL`].
        protocol: u32,
        /// The parameters in order.
        #[schemars(schema_with = "space_schema")]
        space: &'a [numerics::space::Parameter],
        /// All randomness has to come from it.
        seed: u64,
        /// How many full evaluations may be spent, in sum.
        budget: f64,
        /// The least part of a full evaluation that may be asked for: 1 / `divisor`.
        divisor: u64,
    },
    /// A configuration is wanted. Answered by `suggest`, `wait` or `exhausted`.
    Ask,
    /// What a suggestion came to. Answered by `told`.
    Tell {
        /// The suggestion's number, from 0 in the order of suggestions.
        id: u64,
        /// The loss, to be minimised; null for a failed evaluation.
        value: Option<f64>,
        /// What it cost, in full evaluations.
        cost: f64,
    },
    /// The last: the optimiser may end. Not answered.
    Stop,
}

impl Request<'_> {
    /// Its type, for errors.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Ask => "ask",
            Self::Tell { .. } => "tell",
            Self::Stop => "stop",
        }
    }

    /// The telling of a trial that cost this much.
    #[must_use]
    pub fn tell(trial: &Trial, cost: f64) -> Self {
        let value = trial.value.is_finite().then_some(trial.value);
        Self::Tell { id: trial.suggestion.id, value, cost }
    }
}

/// An answer of the optimiser.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum Reply {
    /// To `start`.
    Ready {
        /// What the optimiser calls itself.
        name: String,
        /// Its version.
        version: String,
        /// Whether it may be sent `start` again, for another run that the runs before have no influence on.
        #[serde(default)]
        restarts: bool,
    },
    /// To `ask`: evaluate this.
    Suggest {
        /// A value for each parameter by name; a category by its index from 0.
        config: Map<String, Value>,
        /// 1 / `divisor` of a full evaluation; a full one where it is absent.
        #[serde(default = "one")]
        divisor: u64,
    },
    /// To `ask`: nothing before pending suggestions are told.
    Wait {},
    /// To `ask`: nothing more.
    Exhausted {},
    /// To `tell`.
    Told {},
    /// To any: it cannot go on.
    Error {
        /// Why.
        message: String,
    },
}

const fn one() -> u64 {
    1
}

impl Reply {
    /// Its type, for errors.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ready { .. } => "ready",
            Self::Suggest { .. } => "suggest",
            Self::Wait {} => "wait",
            Self::Exhausted {} => "exhausted",
            Self::Told {} => "told",
            Self::Error { .. } => "error",
        }
    }

    /// The answer on a line.
    ///
    /// # Errors
    /// What is wrong with the line, in words.
    pub fn parse(line: &[u8]) -> std::result::Result<Self, String> {
        if line.len() > LONGEST {
            return Err(format!("longer than {LONGEST} bytes"));
        }
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
        serde_json::from_str(text).map_err(|e| format!("no answer of the protocol ({e})"))
    }
}

/// The suggestion with this number that `config` makes in `space`, at 1 / `divisor` of a full evaluation, of
/// which no part smaller than 1 / `smallest` may be asked for.
///
/// # Errors
/// When a parameter is missing or is not in the space, or its value is not one of its domain's.
pub fn suggestion(
    space: &Space,
    id: u64,
    config: &Map<String, Value>,
    divisor: u64,
    smallest: u64,
) -> std::result::Result<Suggestion, String> {
    if divisor == 0 || divisor > smallest {
        return Err(format!(
            "a suggestion with divisor {divisor}, which has to be 1 to {smallest}"
        ));
    }
    let parameters = space.parameters();
    if let Some(name) = config.keys().find(|name| !parameters.iter().any(|p| p.name == **name)) {
        return Err(format!("a suggestion with `{}`, which is no parameter", cut(name)));
    }
    let value = |parameter: &numerics::space::Parameter| {
        let name = &parameter.name;
        let given =
            config.get(name).ok_or_else(|| format!("a suggestion without a value for `{name}`"))?;
        let value = given.as_f64().filter(|value| parameter.domain.contains(*value));
        value.ok_or_else(|| {
            let given = cut(&given.to_string());
            format!("a suggestion with {name} = {given}, not {}", told(parameter.domain))
        })
    };
    let config = parameters.iter().map(value).collect::<std::result::Result<_, _>>()?;
    Ok(Suggestion { id, config, fidelity: Fidelity::Part { divisor } })
}

/// The values of a domain in words.
fn told(domain: Domain) -> String {
    match domain {
        Domain::Float { low, high, .. } => format!("a number from {low} to {high}"),
        Domain::Int { low, high, .. } => format!("a whole number from {low} to {high}"),
        Domain::Categorical { choices } => format!("an index from 0 to {}", choices - 1),
    }
}

/// The beginning of a text, for errors.
#[must_use]
pub fn cut(text: &str) -> String {
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() { '·' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown += " …";
    }
    shown
}
