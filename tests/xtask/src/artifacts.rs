//! Every artifact of a store in `DuckDB`, pandas and polars. They must agree, columns must say what they hold, and
//! `index.parquet` must fit the store.

use crate::tools::{Checkout, End, run};

pub fn check(checkout: &Checkout, words: &[String]) -> Result<(), End> {
    let (store, retune) = (checkout.store(words)?, checkout.retune()?);
    let new = ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"];
    if run(checkout.command("python3").args(new)).is_err() {
        let message = "DuckDB, pandas and polars want Python 3.11 or newer";
        return Err(End::Lacking(message.to_owned()));
    }
    let python = checkout.python("artifacts")?;
    run(checkout.command(retune).args(["report", "--store"]).arg(&store))?;
    run(checkout.command(python).arg("tests/checks/artifacts.py").arg(&store))
}
