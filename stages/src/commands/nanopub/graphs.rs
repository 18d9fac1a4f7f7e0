//! The four graphs of one verdict.

use kit::claims::tables::JudgedRow;
use pipeline::{
    digest::Digest,
    error::{Error, Result},
    machine::iso,
    store::record::Record,
};

use site::recorded::judged_by;

use super::{
    terms::{self, Terms},
    trig::{Graph, double, text},
};

/// One verdict, and all that its graphs say of where it came from.
pub(super) struct Stated<'a> {
    pub paper: &'a str,
    pub title: &'a str,
    pub profile: Option<&'a str>,
    /// Whether the run is one that is kept with the sources.
    pub recorded: bool,
    /// Whether an earlier version of the rules gave the verdict.
    pub outdated: bool,
    /// The key of the stage that gave the verdict.
    pub key: Digest,
    pub record: Option<&'a Record>,
    pub claim: &'a JudgedRow,
    pub author: Option<&'a str>,
    pub licence: Option<&'a str>,
}

/// Until it is signed a nanopublication has a name below this; who signs it replaces it.
const TEMPORARY: &str = "http://purl.org/nanopub/temp/retune-";

impl Stated<'_> {
    /// A name of its own among all verdicts. Lower case: a name with `RA` in it would be taken for a signed one's.
    pub(super) fn name(&self) -> String {
        let JudgedRow { id, rules, .. } = self.claim;
        let origin = if self.recorded { "recorded" } else { "own" };
        let parts = [self.paper, id, rules, self.profile.unwrap_or_default(), origin];
        let plain = |part: &str| -> String {
            let c = part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
            c.collect::<String>().to_lowercase()
        };
        let parts = parts.iter().filter(|part| !part.is_empty()).map(|part| plain(part));
        parts.collect::<Vec<_>>().join("-")
    }

    /// The nanopublication in TriG.
    ///
    /// # Errors
    /// When the table has a verdict that is none.
    pub(super) fn trig(&self, terms: &Terms) -> Result<String> {
        // Two runs of one name differ in their keys.
        let this = format!("{TEMPORARY}{}-{}/", self.name(), self.key.short());
        let mut trig = format!("@prefix this: <{this}> .\n@prefix term: <{}> .\n", terms.0);
        for (name, iri) in PREFIXES {
            trig += &format!("@prefix {name}: <{iri}> .\n");
        }
        for graph in [Self::head(), self.assertion()?, self.provenance(), self.publication()] {
            trig += &graph.end();
        }
        Ok(trig)
    }

    fn head() -> Graph {
        let mut graph = Graph::new("this:head");
        for (property, object) in [
            ("a", "np:Nanopublication"),
            ("np:hasAssertion", "this:assertion"),
            ("np:hasProvenance", "this:provenance"),
            ("np:hasPublicationInfo", "this:pubinfo"),
        ] {
            graph.add("this:", property, object);
        }
        graph
    }

    fn assertion(&self) -> Result<Graph> {
        let claim = self.claim;
        let outcome = terms::of(&claim.verdict).ok_or_else(|| {
            let JudgedRow { id, verdict, .. } = claim;
            Error::usage(format!(
                "{}/claims: claim {id} has a verdict `{verdict}`, which is none",
                self.paper
            ))
            .help("`retune run` computes the verdicts again")
        })?;
        let mut graph = Graph::new("this:assertion");
        graph.add("this:paper", "a", "schema:ScholarlyArticle");
        graph.add("this:paper", "dcterms:title", &text(self.title));
        graph.add("this:claim", "a", "term:Claim");
        graph.add("this:claim", "dcterms:isPartOf", "this:paper");
        for (property, value) in [
            ("rdfs:label", &claim.id),
            ("dcterms:description", &claim.statement),
            ("term:place", &claim.item),
            ("term:published", &claim.paper_value),
            ("term:criterion", &claim.criterion),
        ] {
            graph.add("this:claim", property, &text(value));
        }
        graph.add("this:verdict", "a", "term:Verdict");
        graph.add("this:verdict", "term:about", "this:claim");
        graph.add("this:verdict", "term:outcome", &format!("term:{outcome}"));
        for (property, value) in [
            ("term:configuration", &claim.rules),
            ("term:found", &claim.value_text),
            ("term:reason", &claim.reason),
        ] {
            if !value.is_empty() {
                graph.add("this:verdict", property, &text(value));
            }
        }
        for (property, value) in
            [("term:value", claim.value), ("term:low", claim.low), ("term:high", claim.high)]
        {
            if let Some(value) = value {
                graph.add("this:verdict", property, &double(value));
            }
        }
        if claim.value.is_some() {
            graph.add("this:verdict", "term:sampleSize", &claim.n.to_string());
        }
        graph.add("this:verdict", "term:rootSeeds", &claim.root_seeds.to_string());
        Ok(graph)
    }

    fn provenance(&self) -> Graph {
        let mut graph = Graph::new("this:provenance");
        let under = self.profile.map(|profile| format!(" under profile {profile}"));
        let origin = if self.recorded { ", recorded with the sources" } else { "" };
        let by = judged_by(self.outdated);
        let label = format!("{}/claims{}{origin}{by}", self.paper, under.unwrap_or_default());
        graph.add("this:assertion", "prov:wasGeneratedBy", "this:computation");
        graph.add("this:computation", "a", "prov:Activity");
        graph.add("this:computation", "rdfs:label", &text(&label));
        graph.add("this:computation", "term:blake3", &text(&self.key.to_string()));
        if let Some(record) = self.record {
            let ended = format!("{}^^xsd:dateTime", text(&iso(record.finished)));
            graph.add("this:computation", "prov:endedAtTime", &ended);
            graph.add("this:computation", "prov:wasAssociatedWith", "this:program");
            graph.add("this:program", "a", "prov:SoftwareAgent");
            let program = format!("retune {}", record.program);
            graph.add("this:program", "rdfs:label", &text(&program));
            for (output, digest) in record.outputs.iter().filter(|(name, _)| name == "main") {
                graph.add("this:assertion", "prov:wasDerivedFrom", "this:table");
                graph.add("this:table", "a", "prov:Entity");
                graph.add(
                    "this:table",
                    "rdfs:label",
                    &text(&format!("{}/claims, {output}", self.paper)),
                );
                graph.add("this:table", "term:blake3", &text(&digest.to_string()));
            }
        }
        if !self.claim.evidence.is_empty() {
            graph.add("this:assertion", "prov:wasDerivedFrom", "this:evidence");
            graph.add("this:computation", "prov:used", "this:evidence");
            graph.add("this:evidence", "a", "prov:Entity");
            graph.add("this:evidence", "term:blake3", &text(&self.claim.evidence));
        }
        graph
    }

    fn publication(&self) -> Graph {
        let mut graph = Graph::new("this:pubinfo");
        let JudgedRow { id, verdict, .. } = self.claim;
        let label = format!("Verdict on claim {id} of {}: {verdict}", self.paper);
        graph.add("this:", "rdfs:label", &text(&label));
        graph.add("this:", "prov:wasDerivedFrom", "this:computation");
        // When it is published is known to who publishes it: this is when the verdict was reached.
        if let Some(record) = self.record {
            let reached = format!("{}^^xsd:dateTime", text(&iso(record.finished)));
            graph.add("this:", "dcterms:created", &reached);
        }
        for (property, iri) in [("dcterms:creator", self.author), ("dcterms:license", self.licence)]
        {
            if let Some(iri) = iri {
                graph.add("this:", property, &format!("<{iri}>"));
            }
        }
        graph
    }
}

/// Public vocabularies.
const PREFIXES: [(&str, &str); 6] = [
    ("np", "http://www.nanopub.org/nschema#"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("schema", "https://schema.org/"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

#[cfg(test)]
mod tests {
    use site::recorded::OUTDATED;

    use super::*;

    fn row(verdict: &str) -> JudgedRow {
        JudgedRow {
            id: "G1".into(),
            item: "Fig. 2".into(),
            statement: "it is \"sooner\"\nthan \\ others".into(),
            criterion: "below 0.5".into(),
            paper_value: "0.25".into(),
            rules: "as in RAdam".into(),
            headline: true,
            scaled_down: false,
            verdict: verdict.into(),
            value: Some(0.1 + 0.2),
            low: Some(-1e-9),
            high: None,
            n: 12,
            effect: None,
            effect_name: String::new(),
            value_text: String::new(),
            power: None,
            false_positives: None,
            root_seeds: 3,
            flips: false,
            margin: f64::NAN,
            spread: f64::NAN,
            stability: String::new(),
            if_true: String::new(),
            if_false: String::new(),
            reason: "met".into(),
            evidence: "ab".into(),
        }
    }

    fn written(claim: &JudgedRow) -> Result<String> {
        stated(claim).trig(&Terms("https://a.example/#"))
    }

    fn stated(claim: &JudgedRow) -> Stated<'_> {
        Stated {
            paper: "hoag",
            title: "A title",
            profile: Some("desk"),
            recorded: true,
            outdated: false,
            key: Digest::of(b"key"),
            record: None,
            claim,
            author: Some("https://orcid.org/0000-0002-1825-0097"),
            licence: None,
        }
    }

    /// The triples of each graph: a line each, which ends with a point; strings must have ended before.
    fn graphs(trig: &str) -> Vec<(String, Vec<String>)> {
        let mut graphs: Vec<(String, Vec<String>)> = Vec::new();
        let mut open = false;
        for line in trig.lines().filter(|line| !line.is_empty() && !line.starts_with("@prefix")) {
            if let Some(name) = line.strip_suffix(" {") {
                assert!(!open, "a graph within a graph");
                graphs.push((name.to_owned(), Vec::new()));
                open = true;
            } else if line == "}" {
                assert!(open, "no graph is open");
                open = false;
            } else {
                let triple = line.trim().strip_suffix(" .").expect("a triple ends with a point");
                let plain = triple.replace("\\\\", "").replace("\\\"", "");
                assert_eq!(plain.matches('"').count() % 2, 0, "a string does not end: {line}");
                assert!(triple.splitn(3, ' ').count() == 3, "no triple: {line}");
                graphs.last_mut().expect("is within a graph").1.push(triple.to_owned());
            }
        }
        assert!(!open, "the last graph does not end");
        graphs
    }

    #[test]
    fn a_verdict_is_four_graphs_with_the_numbers_of_its_row() {
        let trig = written(&row("points the paper's way")).expect("is a verdict");
        let graphs = graphs(&trig);
        let names: Vec<_> = graphs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["this:head", "this:assertion", "this:provenance", "this:pubinfo"]);
        let has = |at: usize, triple: &str| graphs[at].1.iter().any(|own| own == triple);
        for part in ["assertion", "provenance", "pubinfo"] {
            assert!(graphs[0].1.iter().any(|triple| triple.ends_with(&format!(" this:{part}"))));
        }
        assert!(has(1, "this:verdict term:outcome term:PointsThePapersWay"));
        assert!(has(1, "this:verdict term:value \"0.30000000000000004\"^^xsd:double"));
        assert!(has(1, "this:verdict term:low \"-1e-9\"^^xsd:double"));
        assert!(has(1, "this:verdict term:sampleSize 12"));
        assert!(has(1, r#"this:claim dcterms:description "it is \"sooner\"\nthan \\ others""#));
        assert!(!trig.contains("term:high "), "what is not known is left out");
        assert!(graphs[2].1.iter().any(|triple| triple.starts_with("this:assertion prov:")));
        assert!(graphs[3].1.iter().any(|triple| triple.starts_with("this: ")));
    }

    #[test]
    fn a_verdict_by_an_earlier_version_of_the_rules_says_so() {
        let (row, terms) = (row("inconclusive"), Terms("https://a.example/#"));
        let current = stated(&row).trig(&terms).expect("is a verdict");
        let earlier = Stated { outdated: true, ..stated(&row) }.trig(&terms).expect("is a verdict");
        assert!(!current.contains(OUTDATED));
        assert!(earlier.contains(&format!("recorded with the sources, {OUTDATED}\"")));
    }

    #[test]
    fn every_term_that_is_used_is_defined() {
        let vocabulary = Terms("https://a.example/#").document();
        for verdict in terms::OUTCOMES {
            let trig = written(&row(verdict.as_str())).expect("is a verdict");
            for word in
                trig.split_whitespace().filter(|word| word.starts_with("term:") && *word != "term:")
            {
                assert!(vocabulary.contains(&format!("\n{word} a ")), "{word} is not defined");
            }
        }
    }

    #[test]
    fn a_name_is_no_signed_ones_and_a_verdict_that_is_none_is_refused() {
        let trig = written(&row("replicated")).expect("is a verdict");
        let this = trig.lines().next().expect("has lines");
        assert!(
            this.contains("retune-hoag-g1-as-in-radam-desk-recorded-") && !this.contains("RA"),
            "{this}"
        );
        let refused = written(&row("refuted")).expect_err("there is no such verdict").to_string();
        assert!(refused.contains("claim G1") && refused.contains("`refuted`"), "{refused}");
    }
}
