//! Writes the training third of a data set as the matrix file that `inner_solve` reads.
//!
//! Usage: `design_file DATA_SET SCALING FOLDER_OF_DOWNLOADS FILE`. Row i belongs to that third if
//! i mod 3 = 0. More than two classes are reduced to two by the parity of the class number. SCALING is for
//! dense features: `largest` divides by the largest absolute value, which keeps the zeros of images,
//! `standard` gives every feature mean 0 and standard deviation 1.

use std::io::Write as _;

use data::split::mod_three;
use data::standardise::standardise;
use data::{Features, Places, Target, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data_set, scaling, downloads, file] = arguments.as_slice() else {
        return Err("usage: design_file DATA_SET SCALING FOLDER_OF_DOWNLOADS FILE".into());
    };
    let whole = load(data_set, &Places::from_env(downloads))?;
    let part = whole.select(&mod_three(whole.y.len()).train);
    let Target::Classes { labels, .. } = &part.y else {
        return Err(format!("{data_set} has no classes").into());
    };
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let (rows, columns) = part.x.shape();
    let entries = match &part.x {
        Features::Dense(_) => 0,
        Features::Sparse(x) => x.values.len(),
    };
    for count in [rows, columns, entries] {
        out.write_all(&(count as u64).to_le_bytes())?;
    }
    match &part.x {
        Features::Dense(x) => {
            let scaled = match scaling.as_str() {
                "largest" => x / x.iter().fold(0.0_f64, |m, v| m.max(v.abs())),
                "standard" => standardise(x.view())?,
                other => return Err(format!("scaling {other}: largest or standard").into()),
            };
            for v in &scaled {
                out.write_all(&v.to_le_bytes())?;
            }
        }
        Features::Sparse(x) => {
            for start in &x.indptr {
                out.write_all(&(*start as u64).to_le_bytes())?;
            }
            for column in &x.indices {
                out.write_all(&column.to_le_bytes())?;
            }
            for v in &x.values {
                out.write_all(&v.to_le_bytes())?;
            }
        }
    }
    for label in labels {
        let sign: f64 = if label % 2 == 0 { 1.0 } else { -1.0 };
        out.write_all(&sign.to_le_bytes())?;
    }
    out.flush()?;
    Ok(())
}
