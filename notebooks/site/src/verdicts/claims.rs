//! The claims of every paper with their verdicts and findings, as the stages `PAPER/claims` wrote
//! them. Decides nothing.

use pipeline::artifacts::Artifacts;

use crate::{
    drawing::frame::Frame,
    error::Result,
    published::{Kind, Measure, Published},
    verdicts::grounds::{self, Grounds},
    verdicts::verdict::Verdict,
    verdicts::wording,
    words,
};

/// What was found about a claim in one place.
pub struct Finding {
    /// The problem or data set.
    pub place: String,
    /// Whether the paper makes the claim there.
    pub in_paper: bool,
    /// `yes`, `no`, `open` or `untested`.
    pub holds: String,
    /// Our value and the ends of its 95% interval; NaN where there is none.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The meaning of the value, or why there is none.
    pub text: String,
    /// The paper's number for the same quantity, where it has one.
    pub published: Option<Published>,
}

impl Finding {
    /// Our value with its interval, in words.
    #[must_use]
    pub fn ours(&self) -> String {
        words::interval(self.value, self.low, self.high)
    }

    fn estimate(&self) -> [f64; 3] {
        [self.value, self.low, self.high]
    }

    /// The style class of what it decides; below the paper's size it decides nothing of the paper.
    #[must_use]
    pub fn class(&self, scaled_down: &bool) -> &'static str {
        match (self.holds.as_str(), scaled_down) {
            ("yes", false) => "yes",
            ("no", false) => "no",
            ("untested", _) => "untested",
            (_, false) => "unsure",
            ("yes", true) => "toward",
            ("no", true) => "away",
            (_, true) => "level",
        }
    }
}

/// How often simulated evidence meets a criterion, in percent, and what was simulated.
pub struct Worth {
    /// With the paper's effect.
    pub power: String,
    /// Without it.
    pub false_positives: String,
    /// What is so with the effect.
    pub if_true: String,
    /// What is so without it.
    pub if_false: String,
}

/// A claim judged under one variant of the method.
pub struct Claim {
    /// Its short name.
    pub id: String,
    /// Where the paper makes it.
    pub item: String,
    /// What it says.
    pub statement: String,
    /// When it counts as replicated.
    pub criterion: String,
    /// The paper's value, in words.
    pub paper_value: String,
    /// The variant.
    pub rules: String,
    /// Whether this variant was fixed beforehand as the one that counts.
    pub headline: bool,
    /// Whether the verdict is a direction only, from sizes below the paper's.
    pub scaled_down: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// What its criterion is worth here; none where that was not tried.
    pub worth: Option<Worth>,
    /// What other root seeds say; empty where there is one.
    pub stability: String,
    /// Our value on the first place of the paper, with its interval.
    pub ours: String,
    /// The effect size with its name; empty where there is none.
    pub effect: String,
    /// Sample size.
    pub n: f64,
    /// Digest of the artifact behind it.
    pub evidence: String,
    /// What it rests on.
    pub findings: Vec<Finding>,
    /// Thresholds and sample sizes of these; none where the run kept none.
    pub grounds: Option<Grounds>,
    /// The root seeds that were tried, each with its verdict.
    pub root_seeds: Vec<(String, Verdict)>,
}

impl Claim {
    /// What we found in the places that contribute to the verdict, in words with all values, intervals and sample
    /// sizes, or why nothing was found.
    #[must_use]
    pub fn found(&self) -> String {
        let own = self.findings.iter().any(|finding| finding.in_paper && finding.value.is_finite());
        let places = self.grounds.as_ref().map(|grounds| &grounds.places);
        // Rows of two tables belong together only if none is missing.
        let places = places.filter(|places| places.len() == self.findings.len());
        let all = self.findings.iter().enumerate().filter(|(_, found)| found.in_paper || !own);
        let told: Vec<String> = all
            .map(|(i, found)| {
                let n = places.map(|places| places[i].n);
                format!("{}: {}", found.place, wording::whole(&found.text, found.estimate(), n))
            })
            .collect();
        if told.is_empty() { self.reason.clone() } else { told.join("; ") }
    }

    /// What we found, in words that say what the number is of: the text of the first place of the paper that
    /// has a value, or, where the claim is contradicted, of the first that contradicts it, and how many places
    /// there are. Our value alone could be of another quantity than the paper's.
    #[must_use]
    pub fn told(&self) -> String {
        let with_value = || self.findings.iter().filter(|finding| finding.value.is_finite());
        let contradicted = self.verdict.word == "contradicted";
        let against = with_value().find(|f| contradicted && f.in_paper && f.holds == "no");
        let first = || with_value().find(|f| f.in_paper).or_else(|| with_value().next());
        let Some(first) = against.or_else(first) else {
            return self.ours.clone();
        };
        let own: Vec<&Finding> = with_value().filter(|f| f.in_paper == first.in_paper).collect();
        // As tables of contests have it.
        let counted = |word: &str| own.iter().filter(|f| f.text.starts_with(word)).count();
        let met = ["win of ", "tie of ", "loss of "].map(counted);
        if met.iter().sum::<usize>() == own.len() {
            return format!("{}/{}/{} (wins/ties/losses)", met[0], met[1], met[2]);
        }
        let told = format!("{}: {}", first.place, wording::brief(&first.text, first.estimate()));
        match own.len() {
            0 | 1 => told,
            n if against.is_some() => format!("{told} (one of {n} places; it contradicts)"),
            n => format!("{told} (the first of {n} places)"),
        }
    }
}

/// The claims of the table `stage`, each with its findings.
///
/// # Errors
/// When the table cannot be read, or lacks a column.
pub fn claims(artifacts: &Artifacts, stage: &str) -> Result<Vec<Claim>> {
    let frame = Frame::read(artifacts, stage, "main")?;
    let (id, item, statement) = (frame.text("id")?, frame.text("item")?, frame.text("statement")?);
    let (criterion, paper_value) = (frame.text("criterion")?, frame.text("paper_value")?);
    let (rules, verdict, reason) =
        (frame.text("rules")?, frame.text("verdict")?, frame.text("reason")?);
    let (headline, scaled_down) = (frame.flag("headline")?, frame.flag("scaled_down")?);
    let (value, low, high) = (frame.number("value")?, frame.number("low")?, frame.number("high")?);
    let (effect, effect_name) = (frame.number("effect")?, frame.text("effect_name")?);
    let (n, evidence) = (frame.number("n")?, frame.text("evidence")?);
    let worth = worth(&frame);
    let stability = frame.text("stability").ok();
    let mut findings = findings(artifacts, stage)?;
    let mut grounds = grounds::grounds(artifacts, stage)?;
    let mut root_seeds = grounds::root_seeds(artifacts, stage)?;
    let claim = |r: usize| {
        let of = |(of, rules_of, _): &mut (String, String, Finding)| {
            *of == id[r] && *rules_of == rules[r]
        };
        let under = (id[r].clone(), rules[r].clone());
        Claim {
            id: id[r].clone(),
            item: item[r].clone(),
            statement: statement[r].clone(),
            criterion: criterion[r].clone(),
            paper_value: paper_value[r].clone(),
            rules: rules[r].clone(),
            headline: headline[r],
            scaled_down: scaled_down[r],
            verdict: Verdict::of(&verdict[r]),
            reason: reason[r].clone(),
            worth: worth(r),
            stability: stability.as_ref().map_or_else(String::new, |texts| texts[r].clone()),
            ours: words::interval(value[r], low[r], high[r]),
            effect: if effect[r].is_finite() {
                format!("{} {}", effect_name[r], words::number(effect[r]))
            } else {
                String::new()
            },
            n: n[r],
            evidence: evidence[r].clone(),
            findings: findings.extract_if(.., of).map(|(_, _, finding)| finding).collect(),
            grounds: grounds.extract_if(.., |(of, _)| *of == under).map(|(_, own)| own).next(),
            root_seeds: root_seeds
                .extract_if(.., |(of, _)| *of == under)
                .map(|(_, one)| one)
                .collect(),
        }
    };
    Ok((0..frame.rows()).map(claim).collect())
}

/// What the criterion of each row is worth; nothing where the table is of a program that did not say.
fn worth(frame: &Frame) -> impl Fn(usize) -> Option<Worth> {
    let columns = (
        frame.number("power").ok(),
        frame.number("false_positives").ok(),
        frame.text("if_true").ok(),
        frame.text("if_false").ok(),
    );
    move |r| {
        let (Some(power), Some(wrong), Some(if_true), Some(if_false)) = &columns else {
            return None;
        };
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        power[r].is_finite().then(|| Worth {
            power: percent(power[r]),
            false_positives: percent(wrong[r]),
            if_true: if_true[r].clone(),
            if_false: if_false[r].clone(),
        })
    }
}

/// The findings, each with its claim and configuration.
fn findings(artifacts: &Artifacts, stage: &str) -> Result<Vec<(String, String, Finding)>> {
    let frame = Frame::read(artifacts, stage, "findings")?;
    let (id, rules) = (frame.text("id")?, frame.text("rules")?);
    let (place, in_paper) = (frame.text("place")?, frame.flag("in_paper")?);
    let (holds, text) = (frame.text("holds")?, frame.text("text")?);
    let (value, low, high) = (frame.number("value")?, frame.number("low")?, frame.number("high")?);
    let published = published(&frame);
    let finding = |r: usize| Finding {
        place: place[r].clone(),
        in_paper: in_paper[r],
        holds: holds[r].clone(),
        value: value[r],
        low: low[r],
        high: high[r],
        text: text[r].clone(),
        published: published.get(r).cloned().flatten(),
    };
    Ok((0..frame.rows()).map(|r| (id[r].clone(), rules[r].clone(), finding(r))).collect())
}

/// The paper's numbers, finding by finding; none where the table is of a program that wrote none.
fn published(frame: &Frame) -> Vec<Option<Published>> {
    let columns = (
        frame.number("published"),
        frame.flag("published_at_least"),
        frame.text("published_kind"),
        frame.text("unit"),
    );
    let (Ok(value), Ok(at_least), Ok(kind), Ok(unit)) = columns else { return Vec::new() };
    let row = |r: usize| {
        let measure = Measure { kind: Kind::of(&kind[r]), unit: unit[r].clone() };
        let published = Published { value: value[r], at_least: at_least[r], measure };
        published.value.is_finite().then_some(published)
    };
    (0..frame.rows()).map(row).collect()
}
