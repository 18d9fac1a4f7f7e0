//! Reads the svmlight (LIBSVM) text format, `label index:value …` with ascending indices from 1, and
//! real-sim, which comes in it, compressed with bzip2.

use std::io::Read;
use std::path::Path;

use bzip2::read::MultiBzDecoder;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Sparse, Target};
use super::numbers::{number, text};

/// Number of columns of real-sim: the largest index in the file.
const REAL_SIM_COLUMNS: usize = 20_958;

/// real-sim, 72 309 × 20 958, class 0 simulated (label −1) and 1 real (label +1).
///
/// DIFFERS: \[Pedregosa2016\] gives 73 218 rows; the published file has 72 309.
///
/// # Errors
/// If the file is malformed.
pub fn real_sim(files: &Files) -> Result<Loaded, LoadError> {
    let (file, bytes) = files.read("real-sim.bz2")?;
    let mut content = Vec::new();
    MultiBzDecoder::new(bytes.as_slice())
        .read_to_end(&mut content)
        .map_err(|error| LoadError::whole(file, format!("cannot undo bzip2: {error}")))?;
    let (x, labels) = parse(file, text(file, &content)?, REAL_SIM_COLUMNS)?;
    let class = |(row, label): (usize, f64)| match label {
        -1.0 => Ok(0),
        1.0 => Ok(1),
        other => Err(LoadError::field(file, row + 1, 1, format!("label `{other}` is not ±1"))),
    };
    Ok(Loaded {
        x: Features::Sparse(x),
        y: Target::Classes {
            labels: labels.into_iter().enumerate().map(class).collect::<Result<_, _>>()?,
            names: vec!["simulated".into(), "real".into()],
        },
        feature_names: (1..=REAL_SIM_COLUMNS).map(|index| index.to_string()).collect(),
    })
}

/// Reads rows and their labels; `columns` is the number of features. Stored zeros are dropped.
///
/// # Errors
/// If a field is not `index:value`, an index is out of range or not ascending, or a value is not finite.
pub fn parse(file: &Path, text: &str, columns: usize) -> Result<(Sparse, Vec<f64>), LoadError> {
    let mut x =
        Sparse { rows: 0, cols: columns, indptr: vec![0], indices: Vec::new(), values: Vec::new() };
    let mut labels = Vec::new();
    for (at, line) in text.trim_end().lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut fields = line.split_whitespace().enumerate();
        let label = fields.next().map_or("", |(_, field)| field);
        labels.push(number(file, at + 1, 1, label)?);
        let mut last = 0;
        for (column, field) in fields {
            let fault = |what| LoadError::field(file, at + 1, column + 1, what);
            let (index, value) = field
                .split_once(':')
                .and_then(|(index, value)| Some((index.parse::<usize>().ok()?, value)))
                .ok_or_else(|| fault(format!("`{field}` is not index:value")))?;
            if index <= last || index > columns {
                let what = format!("index {index} is not ascending from 1 to {columns}");
                return Err(fault(what));
            }
            last = index;
            let value = number(file, at + 1, column + 1, value)?;
            if value != 0.0 {
                x.indices.push((index - 1) as u32);
                x.values.push(value);
            }
        }
        x.indptr.push(x.indices.len());
        x.rows += 1;
    }
    Ok((x, labels))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::super::super::files::Fetched;
    use super::super::super::pin::Pin;
    use super::*;

    fn read(text: &str) -> Result<(Sparse, Vec<f64>), String> {
        parse(Path::new("t"), text, 4).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_read() {
        let (x, labels) = read("+1 1:0.5 4:2 # note\n-1\n-1 2:-1e-3 3:0\n").unwrap();
        assert_eq!(labels, [1.0, -1.0, -1.0]);
        assert_eq!((x.rows, x.cols), (3, 4));
        assert_eq!(x.indptr, [0, 2, 2, 3]);
        assert_eq!(x.indices, [0, 3, 1]);
        assert_eq!(x.values, [0.5, 2.0, -1e-3]);
    }

    #[test]
    fn faults_name_line_and_column() {
        assert_eq!(
            read("1 1:1\n1 2:nan\n").unwrap_err(),
            "t, line 2, column 2: `nan` is not finite"
        );
        assert!(read("1 2:1 2:1").unwrap_err().contains("line 1, column 3: index 2"));
        assert!(read("1 5:1").unwrap_err().contains("not ascending from 1 to 4"));
        assert!(read("1 0:1").is_err());
        assert!(read("1 x").unwrap_err().contains("`x` is not index:value"));
        assert!(read("1\n\n1\n").is_err(), "a line without a label");
    }

    #[test]
    fn real_sim_is_read_through_bzip2() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("real-sim.bz2");
        let read = |text: &str| {
            let mut packed = Vec::new();
            let fast = bzip2::Compression::fast();
            bzip2::read::BzEncoder::new(text.as_bytes(), fast).read_to_end(&mut packed).unwrap();
            fs::write(&path, packed).unwrap();
            let file = Fetched { path: path.clone(), pin: Pin::Sha256("") };
            real_sim(&Files { id: "real-sim", by_role: BTreeMap::from([("real-sim.bz2", file)]) })
        };
        let data = read("-1 3:0.5\n1 20958:1\n").unwrap();
        assert_eq!(data.fault(), None);
        assert_eq!(data.x.shape(), (2, REAL_SIM_COLUMNS));
        assert!(matches!(data.y, Target::Classes { labels, .. } if labels == [0, 1]));
        let error = read("-1 3:0.5\n0 1:1\n").unwrap_err().to_string();
        assert!(error.ends_with("real-sim.bz2, line 2, column 1: label `0` is not ±1"), "{error}");
    }
}
