//! Lists what can be opened: stages by name, with sweeps folded, and the columns of a table with their
//! descriptions.

use std::collections::BTreeMap;

use pipeline::{absence::Absence, fold::folded};

use crate::{
    Notebook,
    error::{Error, Result},
    html::Html,
    sheet::Sheet,
    table::Table,
};

impl Notebook {
    /// The stages with a result that match `glob`, one row per sweep; below them those that cannot be
    /// computed here.
    #[must_use]
    pub fn list(&self, glob: &str) -> Html {
        let mut sweeps: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for stage in self.present(glob) {
            sweeps.entry(folded(&stage)).or_insert((0, stage)).0 += 1;
        }
        let mut sheet = Sheet::new(&["stages", "how many", "to open the first"]);
        for (sweep, (count, first)) in sweeps {
            sheet.row(vec![sweep, count.to_string(), format!("nb.table(\"{first}\")")]);
        }
        for (stage, absence) in self.absent(glob) {
            sheet.from(&Table::missing(&stage, "main", absence));
        }
        sheet.show()
    }

    /// The first stage with a result that matches one of `globs`, of which earlier ones take precedence. If
    /// none has a result, the first that cannot be computed here, whose table is absent.
    ///
    /// # Errors
    /// If none of them matches anything.
    pub fn first(&self, globs: &[&str]) -> Result<String> {
        let present = || globs.iter().find_map(|glob| self.present(glob).next());
        let absent = || globs.iter().find_map(|glob| Some(self.absent(glob).next()?.0));
        present()
            .or_else(absent)
            .ok_or_else(|| Error::Store(format!("no result of {}", globs.join(", "))))
    }

    fn absent(&self, glob: &str) -> impl Iterator<Item = (String, Vec<Absence>)> {
        let told = |stage: String| {
            let absence = self.source.absence(&stage);
            (!absence.is_empty()).then_some((stage, absence))
        };
        self.stages(glob).into_iter().filter_map(told)
    }

    fn present(&self, glob: &str) -> impl Iterator<Item = String> {
        // An unavailable stage has a name and no result.
        self.stages(glob).into_iter().filter(|stage| self.source.key(stage).is_ok())
    }

    /// The columns of the table `output` of `stage`: name, type, and description with the unit.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn columns(&self, stage: &str, output: &str) -> Result<Html> {
        let absence = self.source.absence(stage);
        if !absence.is_empty() {
            return Ok(Table::missing(stage, output, absence).head(0));
        }
        let batch = self.source.table(stage, output)?;
        let mut sheet = Sheet::new(&["column", "type", "what it holds"]);
        for field in batch.schema_ref().fields() {
            let about = field.metadata().get("description").cloned().unwrap_or_default();
            sheet.row(vec![field.name().clone(), field.data_type().to_string(), about]);
        }
        sheet.named(stage, &self.source.key(stage)?);
        Ok(sheet.show())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Arc};

    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;
    use crate::source::Source;

    struct Shelf;

    impl Source for Shelf {
        fn table(&self, _: &str, _: &str) -> Result<RecordBatch> {
            let about = HashMap::from([("description".to_owned(), "seconds <CPU>".to_owned())]);
            let field = Field::new("cpu_s", DataType::Float64, true).with_metadata(about);
            let values = Arc::new(Float64Array::from(vec![1.0])) as ArrayRef;
            Ok(RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![values]).unwrap())
        }

        fn path(&self, stage: &str, _: &str) -> Result<std::path::PathBuf> {
            Err(Error::store(format!("no file of `{stage}`")))
        }

        fn key(&self, stage: &str) -> Result<String> {
            if stage == "toy/absent" { Err(Error::store("unavailable")) } else { Ok("ab".into()) }
        }

        fn other_profile(&self, _: &str) -> Option<String> {
            Some("smoke".to_owned())
        }

        fn stages(&self, glob: &str) -> Vec<String> {
            let all = ["toy/absent", "toy/claims", "toy/run/split=0", "toy/run/split=1"];
            let fits = |name: &&str| glob == "*" || *name == glob;
            all.into_iter().filter(fits).map(str::to_owned).collect()
        }

        fn absence(&self, _: &str) -> Vec<Absence> {
            Vec::new()
        }

        fn without(&self, _: &str) -> Vec<Absence> {
            Vec::new()
        }
    }

    #[test]
    fn sweeps_are_one_row_and_what_is_unavailable_is_none() {
        let notebook = Notebook::over(Box::new(Shelf), "nowhere".into());
        let html = notebook.list("*").0;
        assert!(html.contains("<td>toy/run/split=*</td><td class=\"n\">2</td>"), "{html}");
        assert!(html.contains("nb.table(&quot;toy/run/split=0&quot;)"), "{html}");
        assert!(!html.contains("absent"), "{html}");
        assert_eq!(notebook.first(&["toy/absent", "toy/claims", "*"]).unwrap(), "toy/claims");
        assert!(notebook.first(&["toy/absent"]).is_err());
    }

    #[test]
    fn a_table_says_of_which_profile_it_is_where_the_last_run_had_another() {
        let notebook = Notebook::over(Box::new(Shelf), "nowhere".into());
        let html = notebook.table("toy/claims").unwrap().head(1).0;
        assert!(html.contains("toy/claims, of an earlier run under profile smoke"), "{html}");
    }

    #[test]
    fn columns_say_what_they_hold() {
        let html = Notebook::over(Box::new(Shelf), "nowhere".into()).columns("toy/x", "main");
        let html = html.unwrap().0;
        assert!(
            html.contains("<td>cpu_s</td><td>Float64</td><td>seconds &lt;CPU&gt;</td>"),
            "{html}"
        );
    }
}
