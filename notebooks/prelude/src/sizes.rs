//! What was found about the claims of a paper at every size at which it was run: under each profile in the store, and in
//! the run that is kept with the sources. The size of a run is its CPU time.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use figures::{
    Scale,
    layer::Layer,
    panels::{Drawn, Panel},
};
use pipeline::{
    artifacts::Artifacts,
    recorded::{Recorded, folder},
    store::Store,
};

use crate::{
    Notebook,
    charts::figure::{axis, draw, look, show, size},
    error::{Error, Result},
    html::Html,
    table::Table,
};

/// Panels beside each other.
const ACROSS: usize = 3;
/// The panels of one drawing.
const DRAWN: usize = 24;

/// A profile that only shows that everything works: left out where two others were run.
const MEANINGLESS: &str = "smoke";

/// What was found in one place of a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    value: f64,
    low: f64,
    high: f64,
    /// The paper's number.
    published: f64,
}

/// A claim, and a place of it.
type Place = (String, String);

/// A run by its number, and what it found in some place.
type At<'a> = (usize, &'a Size, Found);

/// A run: the findings of its headline variant.
#[derive(Clone, Debug)]
struct Size {
    name: String,
    cpu_h: f64,
    stage: String,
    key: String,
    found: BTreeMap<Place, Found>,
}

/// The runs of a paper, the smallest first.
pub struct Sizes {
    paper: String,
    runs: Vec<Size>,
}

impl Notebook {
    /// The runs of `paper` at all sizes.
    ///
    /// # Errors
    /// If the store or a table cannot be read.
    pub fn sizes(&self, paper: &str) -> Result<Sizes> {
        let artifacts = self.report.parent().unwrap_or(&self.report);
        Sizes::read(paper, artifacts, &recorded(artifacts)?)
    }
}

/// The folder of recorded runs: beside the results or, where there is none, in the checkout that holds this notebook.
fn recorded(artifacts: &Path) -> Result<PathBuf> {
    let (own, here) = (folder(artifacts), std::env::current_dir()?);
    let mut above = here.ancestors().map(|dir| folder(&dir.join("artifacts")));
    Ok(if own.is_dir() { own } else { above.find(|dir| dir.is_dir()).unwrap_or(own) })
}

impl Sizes {
    fn read(paper: &str, artifacts: &Path, recorded: &Path) -> Result<Self> {
        let (stage, own) = (format!("{paper}/claims"), format!("{paper}/"));
        let mut runs = Vec::new();
        let store = Store::open_existing(artifacts).map_err(Error::store)?;
        let records = store.records().map_err(Error::store)?;
        let all = store.runs().map_err(Error::store)?.0;
        let profiles: BTreeSet<String> = all.into_iter().map(|run| run.profile).collect();
        for profile in profiles {
            let tables = Artifacts::under(artifacts, &profile).map_err(Error::store)?;
            let computed = tables.keys().into_iter().filter(|(name, _)| name.starts_with(&own));
            let costs = computed.filter_map(|(_, key)| records.get(key)).map(|record| {
                record.cost.cpu_s.unwrap_or(record.cost.wall_s * record.threads as f64)
            });
            let cpu_s: f64 = costs.sum();
            if tables.keys().iter().any(|(name, _)| *name == stage) {
                runs.push(Size::read(profile, cpu_s / 3600.0, &tables, &stage)?);
            }
        }
        let kept = recorded.join(paper);
        if kept.is_dir() {
            let run = Recorded::read(&kept).map_err(Error::store)?;
            let tables = run.artifacts(&kept).map_err(Error::store)?;
            let name = format!("{}, kept with the sources", run.profile);
            runs.push(Size::read(name, run.cpu_s / 3600.0, &tables, &stage)?);
        }
        runs.sort_by(|a, b| a.cpu_h.total_cmp(&b.cpu_h));
        runs.dedup_by(|later, earlier| later.key == earlier.key);
        if runs.iter().filter(|run| run.name != MEANINGLESS).count() > 1 {
            runs.retain(|run| run.name != MEANINGLESS);
        }
        Ok(Self { paper: paper.to_owned(), runs })
    }

    /// Draws the value of each claim's quantity with its 95 % interval against the CPU time of the run, a panel for each
    /// place that was examined at two sizes or more; the paper's number is dashed. Where there is one size alone, says
    /// how to get another one.
    ///
    /// # Errors
    /// If a drawing fails.
    pub fn draw(&self, title: &str) -> Result<Html> {
        let mut panels = self.panels();
        if panels.is_empty() {
            return Ok(self.alone(title));
        }
        let names: Vec<String> = self.runs.iter().map(|run| run.name.clone()).collect();
        let alt = "What was found about each claim at each place, with its 95 % interval, against the CPU time of the whole \
                   run; the paper's own number, where it has one, is dashed.";
        let mut images: Vec<Drawn> = Vec::new();
        while !panels.is_empty() {
            let rest = panels.split_off(panels.len().min(DRAWN));
            images.push(draw(ACROSS, std::mem::replace(&mut panels, rest), &names, (title, alt))?);
        }
        let sources: Vec<(&str, &str)> =
            self.runs.iter().map(|run| (run.stage.as_str(), run.key.as_str())).collect();
        show(&images, title, alt, &sources)
    }

    /// A panel for each place that was examined at two sizes or more.
    fn panels(&self) -> Vec<Panel> {
        let mut places: BTreeMap<&Place, Vec<At>> = BTreeMap::new();
        for (i, run) in self.runs.iter().enumerate() {
            for (place, found) in run.found.iter().filter(|(_, found)| found.value.is_finite()) {
                places.entry(place).or_default().push((i, run, *found));
            }
        }
        places.retain(|_, at| at.len() > 1);
        let mut places: Vec<_> = places.into_iter().collect();
        places.sort_by_cached_key(|((claim, _), _)| numbered(claim));
        places.iter().map(|(place, at)| panel(place, at)).collect()
    }

    fn alone(&self, title: &str) -> Html {
        let known: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let text = format!(
            "{title}: no place was examined at two sizes yet (sizes: {known}). `retune run {} --profile P` under \
             another profile gives one.",
            self.paper
        );
        Html(format!("<div class=\"absent\"><p>{}</p></div>", crate::html::escape(&text)))
    }
}

impl Size {
    /// The findings of `stage`, a stage of verdicts.
    fn read(name: String, cpu_h: f64, tables: &Artifacts, stage: &str) -> Result<Self> {
        let key = tables.key(stage).map_err(Error::store)?.to_string();
        let table = |output: &str| {
            let batch = tables.table(stage, output).map_err(Error::store)?;
            Table::from_batch(&batch, stage, output, &key)
        };
        let (claims, findings) = (table("main")?, table("findings")?);
        let headline = claims.column::<bool>("headline")?.iter();
        let judged = claims.column::<String>("id")?.iter().zip(claims.column::<String>("rules")?);
        let counts: BTreeSet<(&String, &String)> =
            judged.zip(headline).filter_map(|(claim, counts)| counts.then_some(claim)).collect();
        let (id, rules) = (findings.column::<String>("id")?, findings.column::<String>("rules")?);
        let place = findings.column::<String>("place")?;
        let number = |name| findings.column::<f64>(name);
        let (value, low, high) = (number("value")?, number("low")?, number("high")?);
        let published = number("published")?;
        let mut found = BTreeMap::new();
        for row in 0..findings.rows() {
            if counts.contains(&(&id[row], &rules[row])) {
                let [value, low, high] = [value[row], low[row], high[row]];
                let one = Found { value, low, high, published: published[row] };
                found.insert((id[row].clone(), place[row].clone()), one);
            }
        }
        // The axis is logarithmic.
        let cpu_h = cpu_h.max(1e-6);
        Ok(Self { name, cpu_h, stage: stage.to_owned(), key, found })
    }
}

/// The name of a claim before its number, and the number: the order of claims.
fn numbered(claim: &str) -> (&str, u32) {
    let name = claim.trim_end_matches(|c: char| c.is_ascii_digit());
    (name, claim[name.len()..].parse().unwrap_or(0))
}

fn panel((claim, place): &Place, at: &[At]) -> Panel {
    let mut layers = Vec::new();
    let hours = || at.iter().map(|(_, run, _)| run.cpu_h);
    let ends = (hours().fold(f64::INFINITY, f64::min), hours().fold(0.0, f64::max));
    if let Some((.., found)) = at.iter().find(|(.., found)| found.published.is_finite()) {
        layers.push(Layer::At((ends.0, found.published), (ends.1, found.published)));
    }
    for (i, run, found) in at {
        let look = look(&run.name, *i);
        if found.low.is_finite() && found.high.is_finite() {
            let interval = vec![(run.cpu_h, found.low), (run.cpu_h, found.high)];
            layers.push(Layer::Line(look.clone(), interval));
        }
        layers.push(Layer::Marks(look, size(1.1), vec![(run.cpu_h, found.value)]));
    }
    Panel {
        title: format!("{claim}: {place}"),
        x: axis("CPU hours of the run", Scale::Log),
        y: axis("value", Scale::Linear),
        layers,
        names: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};

    use super::*;
    use crate::testing::{end, make};

    fn text(values: &[&str]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    fn numbers(values: &[f64]) -> ArrayRef {
        Arc::new(Float64Array::from(values.to_vec()))
    }

    /// Runs a paper of two claims under `profile`, of which the first has this value with and without counting rules.
    fn run(store: &Store, profile: &str, value: f64) {
        let headline = Arc::new(BooleanArray::from(vec![true, false, true])) as ArrayRef;
        let main = RecordBatch::try_from_iter([
            ("id", text(&["A", "A", "B"])),
            ("rules", text(&["paper", "code", "paper"])),
            ("headline", headline),
        ]);
        let findings = RecordBatch::try_from_iter([
            ("id", text(&["A", "A", "B"])),
            ("rules", text(&["paper", "code", "paper"])),
            ("place", text(&["here", "here", "there"])),
            ("value", numbers(&[value, 99.0, f64::NAN])),
            ("low", numbers(&[value - 1.0, 98.0, f64::NAN])),
            ("high", numbers(&[value + 1.0, 100.0, f64::NAN])),
            ("published", numbers(&[7.0, 7.0, f64::NAN])),
        ]);
        let tables = [("main", main.unwrap()), ("findings", findings.unwrap())];
        let key = make(store, "toy/claims", profile, &tables);
        end(store, profile, &[("toy/claims", key)]);
    }

    #[test]
    fn a_place_is_shown_where_two_sizes_examined_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        run(&store, "desk", 3.0);
        let sizes = |dir: &Path| Sizes::read("toy", dir, &dir.join("none")).unwrap();
        let alone = sizes(dir.path()).draw("Sizes").unwrap().0;
        assert!(alone.contains("(sizes: desk)") && !alone.contains("<figure>"), "{alone}");
        run(&store, "paper", 5.0);
        run(&store, "smoke", 9.0);
        let both = sizes(dir.path());
        assert_eq!(both.runs.len(), 2, "a smoke run is left out");
        let panels = both.panels();
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["A: here"], "nothing was found about B");
        // For each run its interval and its value, and the paper's number below them.
        assert_eq!(panels[0].layers.len(), 5);
        assert!(both.draw("Sizes").unwrap().0.starts_with("<figure>"));
        let found: Vec<f64> = both
            .runs
            .iter()
            .map(|run| run.found[&("A".to_owned(), "here".to_owned())].value)
            .collect();
        assert!(found.contains(&3.0) && found.contains(&5.0), "those that count: {found:?}");
        assert!(both.runs.iter().all(|run| run.cpu_h > 0.0));
    }

    #[test]
    fn claims_are_in_the_order_of_their_numbers() {
        let mut claims = ["S10", "S2", "T-CONV", "S1"];
        claims.sort_by_key(|claim| numbered(claim));
        assert_eq!(claims, ["S1", "S2", "S10", "T-CONV"]);
    }
}
