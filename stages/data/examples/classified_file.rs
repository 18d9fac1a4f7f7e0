//! Writes the first rows of a data set with classes as the file that `svm_fit` reads. Columns are
//! standardised over these rows.
//!
//! Usage: `classified_file DATA_SET ROWS FOLDER_OF_DOWNLOADS FILE`.

use std::io::Write as _;

use data::standardise::standardise;
use data::{Features, Places, Target, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data_set, rows, downloads, file] = arguments.as_slice() else {
        return Err("usage: classified_file DATA_SET ROWS FOLDER_OF_DOWNLOADS FILE".into());
    };
    let whole = load(data_set, &Places::from_env(downloads))?;
    let first: Vec<usize> = (0..rows.parse::<usize>()?.min(whole.y.len())).collect();
    let part = whole.select(&first);
    let (Features::Dense(x), Target::Classes { labels, .. }) = (&part.x, &part.y) else {
        return Err(format!("{data_set} is not dense, or has no classes").into());
    };
    let x = standardise(x.view())?;
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for count in [x.nrows(), x.ncols()] {
        out.write_all(&(count as u64).to_le_bytes())?;
    }
    for v in x.iter().copied().chain(labels.iter().map(|&label| f64::from(label))) {
        out.write_all(&v.to_le_bytes())?;
    }
    out.flush()?;
    Ok(())
}
