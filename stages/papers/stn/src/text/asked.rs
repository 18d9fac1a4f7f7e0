//! The table of a search's suggestions: configurations by name, and their numbers of epochs.

use pipeline::stage::Stop;

use crate::tables::asked::AskedValue;

/// A configuration to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Number within the search.
    pub number: u32,
    /// Number of epochs.
    pub epochs: u32,
    /// Hyper-parameters with their values.
    pub values: Vec<(String, f64)>,
}

impl Asked {
    /// The value of a hyper-parameter.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// One row per configuration and hyper-parameter.
#[must_use]
pub fn rows(all: &[Asked]) -> Vec<AskedValue> {
    let of = |(row, asked): (usize, &Asked)| {
        let Asked { number, epochs, .. } = *asked;
        let value = move |(name, value): &(String, f64)| AskedValue {
            row,
            number,
            epochs,
            name: name.clone(),
            value: *value,
        };
        asked.values.iter().map(value).collect::<Vec<_>>()
    };
    all.iter().enumerate().flat_map(of).collect()
}

/// The configurations of [`rows`].
///
/// # Errors
/// If the first row does not belong to the first configuration.
pub fn read(rows: Vec<AskedValue>) -> Result<Vec<Asked>, Stop> {
    let mut all: Vec<Asked> = Vec::new();
    for AskedValue { row, number, epochs, name, value } in rows {
        if row == all.len() {
            all.push(Asked { number, epochs, values: Vec::new() });
        }
        let last = all.last_mut().ok_or_else(|| Stop::Failed("rows begin after 0".to_owned()))?;
        last.values.push((name, value));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_come_back() {
        let one = |number, value| Asked {
            number,
            epochs: 4,
            values: vec![("a".to_owned(), value), ("b".to_owned(), 2.0)],
        };
        let all = vec![one(3, 0.1), one(4, 0.2)];
        let back = read(rows(&all)).unwrap();
        assert_eq!(back, all);
        assert_eq!((back[1].value("a"), back[1].value("c")), (Some(0.2), None));
    }
}
