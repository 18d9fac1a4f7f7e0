//! Tests the notices in place of what cannot be shown: whatever is derived from an absent table is a notice,
//! and mistakes of the code are still errors.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use pipeline::absence::Absence;
use prelude::{
    Error, Notebook, Result,
    Scale::{Linear, Log},
    Table,
    html::Html,
    pivot::Pivot,
    sheet::Sheet,
    source::Source,
};

/// `toy/gone` needs data that are not available, `toy/partial` was computed without them, `toy/whole` with
/// all.
struct Store;

fn toys() -> Vec<Absence> {
    let why = "data set `toys` is unavailable\n  mirror: not set\nremedy: make some";
    vec![Absence { stage: "toy/data".to_owned(), why: why.to_owned() }]
}

impl Source for Store {
    fn table(&self, stage: &str, output: &str) -> Result<RecordBatch> {
        match (stage, output) {
            ("toy/partial" | "toy/whole", "main") => {}
            _ => return Err(Error::store(format!("no result of stage `{stage}` ({output})"))),
        }
        let text = |values: [&str; 2]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
        let number = |values: [f64; 2]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
        let columns = [
            ("task", text(["ant", "bee"])),
            ("method", text(["random", "random"])),
            ("first", Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef),
            ("x", number([1.0, 2.0])),
            ("y", number([0.5, 0.25])),
        ];
        Ok(RecordBatch::try_from_iter(columns).expect("columns of one length"))
    }

    fn path(&self, stage: &str, _: &str) -> Result<std::path::PathBuf> {
        Err(Error::store(format!("no file of `{stage}`")))
    }

    fn key(&self, stage: &str) -> Result<String> {
        if stage == "toy/gone" { Err(Error::store("unavailable")) } else { Ok("k".to_owned()) }
    }

    fn other_profile(&self, _: &str) -> Option<String> {
        None
    }

    fn stages(&self, glob: &str) -> Vec<String> {
        let all = ["toy/gone", "toy/partial", "toy/whole"];
        all.iter()
            .filter(|name| glob == "*" || **name == glob)
            .map(|&name| name.to_owned())
            .collect()
    }

    fn absence(&self, stage: &str) -> Vec<Absence> {
        if stage == "toy/gone" { toys() } else { Vec::new() }
    }

    fn without(&self, stage: &str) -> Vec<Absence> {
        if stage == "toy/partial" { toys() } else { Vec::new() }
    }
}

fn notebook() -> Notebook {
    Notebook::over(Box::new(Store), "nowhere".into())
}

fn table(stage: &str) -> Table {
    notebook().table(stage).unwrap()
}

/// Asserts that `shown` is a notice that names the stage, the reason and the remedy.
fn assert_notice(shown: &Html) {
    let html = &shown.0;
    assert!(html.starts_with("<div class=\"absent\">") && html.ends_with("</div>"), "{html}");
    for part in ["<code>toy/data</code>", "data set `toys` is unavailable", "remedy: make some"] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

/// Every kind of figure of `table`, which has nothing to show.
fn figures(table: &Table) -> Vec<Result<Html>> {
    let bars = table.clone();
    vec![
        table.lines("x", "x", Log).row("y", "y", Linear).panels("task").by("method").draw("T", "a"),
        table.lines("x", "x", Log).row("y", "y", Linear).over("x").lowest().draw("T", "a"),
        table.points(("x", "x", Log), ("y", "y", Linear)).by("method").draw("T", "a"),
        table.dots("task", "x", "x", Linear).by("method").panels("task").draw("T", "a"),
        table.bins("x", "x", Log, 9).mark(1.0).by("method").draw("T", "a"),
        table.critical(&bars, "T", "a"),
        table.landscape(&["y"], "T", "a"),
        table.levels("task", [("x", "x"), ("y", "y")], "y", "T", "a"),
        Ok(table.head(5)),
        Pivot::new("task", "method").layer("ours", table, &["x", "y"], Some("first")).show(),
    ]
}

/// Every operation on tables, each on `table`, which is absent.
fn operations(table: &Table) -> Vec<Result<Table>> {
    let whole = self::table("toy/whole");
    vec![
        table.only("task", &["ant"]),
        table.at("x", 1.0),
        table.where_set("first"),
        table.filled("task"),
        table.select(&["task", "x"]),
        Ok(table.renamed(&[("x", "z")])),
        Ok(table.with("z", vec![1.0, 2.0])),
        table.named("what", &["task"], |row| row[0].clone()),
        table.ratio("r", "x", "y"),
        table.means(&["task"], &["x"]),
        table.wide(&["task"], "method", "x"),
        table.wide(&["task"], "method", "x").and_then(|wide| wide.ratio("r", "after", "before")),
        table.long(&["task"], &[("x", "an x"), ("y", "a y")], "which", "value"),
        table.join(&whole, &["task"]),
        whole.join(table, &["task"]),
    ]
}

#[test]
fn what_is_made_of_a_missing_artifact_is_a_notice() {
    let gone = table("toy/gone");
    assert!(gone.is_absent() && gone.rows() == 0);
    assert_eq!(gone.column::<f64>("x").unwrap(), [0.0; 0]);
    assert_eq!(gone.values("task").unwrap(), [""; 0]);
    for made in operations(&gone).into_iter().chain([Ok(gone)]) {
        for shown in figures(&made.unwrap()) {
            assert_notice(&shown.unwrap());
        }
    }
    assert_notice(&notebook().output("toy/gone", "findings").unwrap().head(3));
    assert_notice(&notebook().columns("toy/gone", "main").unwrap());
    let claims = notebook().claims("toy/gone").unwrap();
    assert_notice(&claims.headline());
    assert_notice(&claims.side_by_side());
}

/// No row is left, and data are missing: the rows may be those that the data would have given.
#[test]
fn a_filter_that_leaves_nothing_of_a_table_made_without_data_leaves_a_notice() {
    let none = table("toy/partial").only("task", &["cat"]).unwrap();
    for made in operations(&none).into_iter().chain([Ok(none)]) {
        for shown in figures(&made.unwrap()) {
            assert_notice(&shown.unwrap());
        }
    }
    // The rest is shown as usual.
    let ant = table("toy/partial").only("task", &["ant"]).unwrap();
    assert!(ant.head(3).0.starts_with("<table>"));
}

#[test]
fn a_filter_that_leaves_nothing_though_nothing_is_missing_is_an_error() {
    let none = table("toy/whole").only("task", &["cat"]).unwrap();
    let drawn = |shown: &Result<Html>| shown.is_ok();
    // The last two are tables, which can be empty.
    let wrong = figures(&none).iter().take(8).filter(|shown| drawn(shown)).count();
    assert_eq!(wrong, 0);
    assert!(!none.is_absent());
}

#[test]
fn a_misspelt_stage_output_column_or_type_is_an_error_still() {
    assert!(notebook().table("toy/gnoe").unwrap_err().to_string().contains("toy/gnoe"));
    assert!(notebook().output("toy/partial", "mian").is_err());
    for stage in ["toy/partial", "toy/whole"] {
        let table = table(stage);
        assert!(table.column::<f64>("z").is_err() && table.column::<f64>("task").is_err());
        assert!(table.only("x", &["ant"]).is_err() && table.select(&["z"]).is_err());
        assert!(table.means(&["z"], &["x"]).is_err() && table.join(&table, &["z"]).is_err());
        assert!(table.lines("z", "z", Linear).row("y", "y", Linear).draw("T", "a").is_err());
    }
    assert!(notebook().first(&["toy/gnoe"]).is_err());
}

#[test]
fn what_stands_beside_others_is_told_below_them() {
    let (gone, whole) = (table("toy/gone"), table("toy/whole"));
    let pivot = Pivot::new("task", "method");
    let pivot = pivot.layer("ours", &gone, &["x"], None).layer("theirs", &whole, &["y"], None);
    let html = pivot.show().unwrap().0;
    assert!(html.starts_with("<table class=\"pivot\">") && html.contains(">0.25<"), "{html}");
    assert!(html.contains("<p>Without <b>ours</b>, for want of:</p>"), "{html}");
    assert!(!html.contains("artifact toy/gone"), "{html}");

    let mut sheet = Sheet::new(&["task", "n"]);
    sheet.from(&gone);
    assert_notice(&sheet.show());
    sheet.row(vec!["ant".to_owned(), "1".to_owned()]);
    sheet.from(&whole);
    let html = sheet.show().0;
    assert!(html.contains("<td>ant</td>") && html.contains("Without <b>toy/gone</b>"), "{html}");
}

#[test]
fn what_is_listed_tells_of_what_cannot_be_opened() {
    let html = notebook().list("*").0;
    assert!(html.contains("toy/partial") && html.contains("Without <b>toy/gone</b>"), "{html}");
    assert_eq!(notebook().first(&["toy/gone", "toy/whole"]).unwrap(), "toy/whole");
    assert_eq!(notebook().first(&["toy/gone"]).unwrap(), "toy/gone");
}

#[test]
fn a_notice_is_not_repeated() {
    let notice = table("toy/gone").head(3);
    assert_eq!(notice.clone().then(&notice).0, notice.0);
}
