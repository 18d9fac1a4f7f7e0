//! Shows claims with their verdicts, which are read from an artifact. Each verdict has a colour, a sign and
//! its name, so that none of the three is needed alone.

use pipeline::absence::Absence;

use crate::{
    absent::notice,
    error::Result,
    html::{Html, escape, interval, number, provenance},
    table::Table,
};

/// The verdicts in order of merit, then the directions of evidence below the paper's size: name, sign, style
/// class.
const VERDICTS: [(&str, &str, &str); 8] = [
    ("replicated", "✔", "yes"),
    ("partly", "◐", "partly"),
    ("contradicted", "✘", "no"),
    ("inconclusive", "?", "unsure"),
    ("not testable", "–", "untested"),
    ("points the paper's way", "↗", "toward"),
    ("points the other way", "↘", "away"),
    ("cannot tell", "↔", "level"),
];

struct Claim {
    id: String,
    item: String,
    statement: String,
    paper_value: String,
    verdict: String,
    ours: String,
    effect: String,
    reason: String,
    /// Shares of simulations with and without the effect that meet the criterion; NaN if there were none.
    worth: [f64; 2],
    /// The results of other root seeds; empty if there is only one.
    stability: String,
    evidence: String,
    rules: String,
    headline: bool,
}

/// The claims of one paper under all rule configurations.
pub struct Claims {
    stage: String,
    key: String,
    claims: Vec<Claim>,
    /// The missing stages because of which there are no claims.
    lacks: Vec<Absence>,
}

fn badge(verdict: &str) -> String {
    let known = VERDICTS.iter().find(|(word, ..)| *word == verdict);
    let (_, sign, class) = known.copied().unwrap_or((verdict, "?", "unsure"));
    format!(r#"<span class="verdict {class}"><b>{sign}</b> {}</span>"#, escape(verdict))
}

/// The calibration of a criterion, as a line under its verdict.
fn worth([power, false_positives]: [f64; 2]) -> String {
    if power.is_nan() {
        return String::new();
    }
    let (power, wrong) = (100.0 * power, 100.0 * false_positives);
    format!("<br><small>power {power:.0}%, false positives {wrong:.0}%</small>")
}

/// The results of other root seeds, as a line under the verdict.
fn stable(told: &str) -> String {
    if told.is_empty() { String::new() } else { format!("<br><small>{}</small>", escape(told)) }
}

fn ours(text: &str, value: f64, low: f64, high: f64, n: f64) -> String {
    let mut parts = Vec::new();
    if value.is_finite() {
        parts.push(interval(value, low, high));
    }
    if !text.is_empty() {
        parts.push(text.to_owned());
    }
    if n > 0.0 {
        parts.push(format!("n = {}", number(n)));
    }
    if parts.is_empty() { "–".to_owned() } else { parts.join("; ") }
}

/// Longer texts are collapsed behind their first part.
const LONG: usize = 160;

/// `text` as HTML: a long list of places under its first number.
fn folded(text: &str) -> String {
    match text.split_once("; ") {
        Some((first, rest)) if text.chars().count() > LONG => {
            format!("<details><summary>{} …</summary>{}</details>", escape(first), escape(rest))
        }
        _ => escape(text),
    }
}

impl Claims {
    pub(crate) fn new(table: &Table) -> Result<Self> {
        let text = |name| table.column::<String>(name);
        let figure = |name| table.column::<f64>(name);
        let flag = |name| table.column::<bool>(name);
        let (id, item, statement) = (text("id")?, text("item")?, text("statement")?);
        let (paper_value, verdict, value_text) =
            (text("paper_value")?, text("verdict")?, text("value_text")?);
        let (value, low, high, n) =
            (figure("value")?, figure("low")?, figure("high")?, figure("n")?);
        let (effect, effect_name) = (figure("effect")?, text("effect_name")?);
        let (reason, evidence, rules) = (text("reason")?, text("evidence")?, text("rules")?);
        let headline = flag("headline")?;
        let (power, false_positives) = (figure("power")?, figure("false_positives")?);
        let stability = text("stability")?;
        let claims = (0..table.rows()).map(|r| Claim {
            id: id[r].clone(),
            item: item[r].clone(),
            statement: statement[r].clone(),
            paper_value: paper_value[r].clone(),
            verdict: verdict[r].clone(),
            ours: ours(&value_text[r], value[r], low[r], high[r], n[r]),
            effect: if effect[r].is_finite() {
                format!("{} {}", effect_name[r], number(effect[r])).trim().to_owned()
            } else {
                String::new()
            },
            reason: reason[r].clone(),
            worth: [power[r], false_positives[r]],
            stability: stability[r].clone(),
            evidence: evidence[r].clone(),
            rules: rules[r].clone(),
            headline: headline[r],
        });
        let claims = claims.collect();
        let lacks = if table.is_absent() { table.lacks.clone() } else { Vec::new() };
        Ok(Self { stage: table.stage.clone(), key: table.key.clone(), claims, lacks })
    }

    fn absent(&self) -> Option<Html> {
        let absent = !self.lacks.is_empty();
        absent.then(|| notice(&self.stage, self.key.is_empty(), &self.lacks))
    }

    /// The claims under the headline variant: the paper's value, ours, and the verdict.
    #[must_use]
    pub fn headline(&self) -> Html {
        if let Some(notice) = self.absent() {
            return notice;
        }
        let claims: Vec<&Claim> = self.claims.iter().filter(|c| c.headline).collect();
        let mut out = String::from("<p class=\"tally\">");
        for (word, ..) in VERDICTS {
            let count = claims.iter().filter(|c| c.verdict == word).count();
            if count > 0 {
                out += &format!("{count} × {} &ensp;", badge(word));
            }
        }
        out += "</p><table class=\"claims\"><thead><tr><th>claim</th><th>paper</th>\
                <th>ours [95% interval]</th><th>verdict</th><th>reason</th></tr></thead><tbody>";
        for c in claims {
            let evidence: String = c.evidence.chars().take(8).collect();
            let apart = c.effect.is_empty() || c.ours.chars().count() > LONG;
            let effect = if apart { "" } else { "; " };
            out += &format!(
                "<tr><td><b>{}</b> <small>{}</small><br>{}</td><td>{}</td><td>{}{effect}{}</td>\
                 <td>{}{}</td><td>{} <small class=\"key\">evidence <code title=\"{}\">{}</code></small></td></tr>",
                escape(&c.id),
                escape(&c.item),
                escape(&c.statement),
                escape(&c.paper_value),
                folded(&c.ours),
                escape(&c.effect),
                badge(&c.verdict),
                worth(c.worth) + &stable(&c.stability),
                escape(&c.reason),
                escape(&c.evidence),
                escape(&evidence),
            );
        }
        Html(out + "</tbody></table>" + &provenance(&self.stage, &self.key))
    }

    /// The verdicts under every rule configuration, side by side, with the headline marked.
    #[must_use]
    pub fn side_by_side(&self) -> Html {
        if let Some(notice) = self.absent() {
            return notice;
        }
        let (mut ids, mut rules): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for c in &self.claims {
            if !ids.contains(&c.id.as_str()) {
                ids.push(&c.id);
            }
            if !rules.contains(&c.rules.as_str()) {
                rules.push(&c.rules);
            }
        }
        let mut out = String::from("<table class=\"claims\"><thead><tr><th>claim</th>");
        for rule in &rules {
            let headline = self.claims.iter().any(|c| c.rules == *rule && c.headline);
            let note = if headline { "<br><small>headline</small>" } else { "" };
            out += &format!("<th>{}{note}</th>", escape(rule));
        }
        out += "</tr></thead><tbody>";
        for id in ids {
            let of_id = || self.claims.iter().filter(move |c| c.id == id);
            let statement = of_id().next().map_or("", |c| c.statement.as_str());
            out += &format!("<tr><td><b>{}</b> {}</td>", escape(id), escape(statement));
            for rule in &rules {
                let cell = of_id().find(|c| c.rules == *rule).map_or_else(
                    || "–".to_owned(),
                    |c| {
                        let (ours, reason) = (folded(&c.ours), escape(&c.reason));
                        let badge = badge(&c.verdict);
                        format!("{badge}<br>{reason}<br><small>{ours}</small>")
                    },
                );
                out += &format!("<td>{cell}</td>");
            }
            out += "</tr>";
        }
        Html(out + "</tbody></table>" + &provenance(&self.stage, &self.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_shows_what_there_is() {
        let nan = f64::NAN;
        assert_eq!(ours("", 1.02345, 0.9, 1.1, 10.0), "1.023 [0.9, 1.1]; n = 10");
        assert_eq!(ours("3 of 4", nan, nan, nan, 4.0), "3 of 4; n = 4");
        assert_eq!(ours("", nan, nan, nan, 0.0), "–");
    }

    #[test]
    fn a_long_list_of_places_is_folded() {
        assert_eq!(folded("1.02; n < 4"), "1.02; n &lt; 4");
        let html = folded(&format!("1.02 [0, 2]; {}", "ant: a tie; ".repeat(20)));
        assert!(html.starts_with("<details><summary>1.02 [0, 2] …</summary>ant: a tie"));
    }

    #[test]
    fn what_was_not_simulated_is_not_shown() {
        assert_eq!(worth([f64::NAN; 2]), "");
        assert!(worth([0.875, 0.03]).ends_with("power 88%, false positives 3%</small>"));
    }

    #[test]
    fn an_unknown_verdict_keeps_its_word() {
        assert!(badge("odd").contains("</b> odd<"));
    }
}
