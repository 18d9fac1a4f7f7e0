//! Data for the golden tests: the small scikit-learn tables from the mirror folder.

use std::io::Read as _;
use std::path::PathBuf;

use ndarray::Array2;
use stages::reference::prepare::RefData;

/// The raw rows of a scikit-learn data set, from `$RETUNE_DATA_MIRROR/sklearn`.
pub fn sklearn(name: &str) -> Result<RefData, String> {
    let mirror = std::env::var_os("RETUNE_DATA_MIRROR")
        .ok_or("set RETUNE_DATA_MIRROR to a folder that holds sklearn/*.csv")?;
    let folder = PathBuf::from(mirror).join("sklearn");
    let read = |file: &str| -> Result<String, String> {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut text = String::new();
        let done = if file.ends_with(".gz") {
            flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text)
        } else {
            (&bytes[..]).read_to_string(&mut text)
        };
        done.map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(text)
    };
    let table = |text: &str, skip: usize| -> Vec<Vec<f64>> {
        let number = |v: &str| v.trim().parse::<f64>().ok();
        let row = |l: &str| l.split([',', ' ']).filter_map(number).collect::<Vec<f64>>();
        text.lines().skip(skip).map(row).filter(|r| !r.is_empty()).collect()
    };
    let (rows, targets) = match name {
        "diabetes" => {
            let x = table(&read("diabetes_data_raw.csv.gz")?, 0);
            let y = table(&read("diabetes_target.csv.gz")?, 0);
            (x, y.into_iter().map(|r| r[0]).collect())
        }
        _ => {
            let files =
                [format!("{name}.csv.gz"), format!("{name}.csv"), format!("{name}_data.csv")];
            let found = files.iter().find(|f| folder.join(f).exists());
            let file = found.ok_or(format!("no {files:?} in {}", folder.display()))?;
            let skip = usize::from(!file.ends_with(".gz"));
            let mut x = table(&read(file)?, skip);
            let y: Vec<f64> = x.iter_mut().filter_map(Vec::pop).collect();
            (x, y)
        }
    };
    let columns = rows.first().map_or(0, Vec::len);
    let shape = (rows.len(), columns);
    let flat: Vec<f64> = rows.into_iter().flatten().collect();
    let features = Array2::from_shape_vec(shape, flat).map_err(|e| e.to_string())?;
    Ok(RefData { features, targets })
}
