//! Prepares the raw rows of a data set as a reference file describes it, and splits them into thirds. It
//! parses the phrases in which files describe a preparation.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use models::bilevel::labelled::{Labelled, Thirds};
use ndarray::{Array2, Axis};
use numerics::linalg::design::Design;

use crate::{DataSource, Error};

/// The raw rows of a data set in their original order.
#[derive(Debug, Clone, PartialEq)]
pub struct RefData {
    /// Features (n×p).
    pub features: Array2<f64>,
    /// Class numbers from 0, or real targets (length n).
    pub targets: Vec<f64>,
}

/// The raw data sets of a source, each fetched once.
pub struct RawSets<'a> {
    source: &'a DataSource<'a>,
    fetched: RefCell<BTreeMap<String, Rc<RefData>>>,
}

impl<'a> RawSets<'a> {
    /// Those that `source` gives.
    pub fn new(source: &'a DataSource<'a>) -> Self {
        Self { source, fetched: RefCell::default() }
    }

    /// The raw rows of a data set.
    ///
    /// # Errors
    /// If the source does not have it.
    pub fn get(&self, name: &str) -> Result<Rc<RefData>, Error> {
        if let Some(found) = self.fetched.borrow().get(name) {
            return Ok(Rc::clone(found));
        }
        let fetched =
            (self.source)(name).map_err(|reason| Error::Data { name: name.to_owned(), reason })?;
        let fetched = Rc::new(fetched);
        self.fetched.borrow_mut().insert(name.to_owned(), Rc::clone(&fetched));
        Ok(fetched)
    }
}

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scaling {
    /// Mean 0 and population standard deviation 1 over all rows; constant columns become 0.
    Standardise,
    /// Divided by a number.
    Divide(f64),
    /// Unchanged.
    None,
}

/// How targets become ±1 or real numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Labels {
    /// +1 for one class, −1 for the others.
    OneClass(f64),
    /// +1 for even class numbers, −1 for odd.
    Even,
    /// Standardised real targets.
    Real,
}

/// A preparation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preparation {
    /// The scaling of the features.
    pub scaling: Scaling,
    /// The conversion of the targets.
    pub labels: Labels,
}

impl Preparation {
    /// Reads the sentence in which a file's protocol describes a data set, such as "columns standardised …,
    /// b=+1 for target 1" or "features / 16, b=+1 if the digit is even". The defaults, also for a data set
    /// without a sentence, are standardised features and +1 for class 1.
    pub fn from_sentence(sentence: &str) -> Self {
        let text = sentence.to_lowercase();
        let after = |mark: &str| {
            let rest = text.split_once(mark)?.1.trim_start();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse::<f64>().ok()
        };
        let divisor = after("features /").or_else(|| after("features/"));
        let raw = ["no scaling", "not standardised", "raw features", "unscaled"];
        let scaling = match divisor {
            Some(d) if d > 0.0 => Scaling::Divide(d),
            _ if raw.iter().any(|r| text.contains(r)) => Scaling::None,
            _ => Scaling::Standardise,
        };
        let class = [
            "+1 for target",
            "+1 for class",
            "+1 if target ==",
            "+1 if class ==",
            "+1 if target",
            "+1 if class",
        ]
        .iter()
        .find_map(|mark| after(mark));
        let labels = if text.contains("y standardised") {
            Labels::Real
        } else if text.contains("even") {
            Labels::Even
        } else {
            Labels::OneClass(class.unwrap_or(1.0))
        };
        Self { scaling, labels }
    }

    /// Applies the preparation.
    ///
    /// # Errors
    /// If the data are empty or not finite.
    pub fn apply(&self, raw: &RefData) -> Result<Labelled, String> {
        let features = match self.scaling {
            Scaling::Standardise => standardise(&raw.features),
            Scaling::Divide(d) => &raw.features / d,
            Scaling::None => raw.features.clone(),
        };
        let sign = |yes: bool| if yes { 1.0 } else { -1.0 };
        let targets = match self.labels {
            Labels::OneClass(c) => raw.targets.iter().map(|&t| sign(t == c)).collect(),
            Labels::Even => raw.targets.iter().map(|&t| sign(t % 2.0 == 0.0)).collect(),
            Labels::Real => {
                let column = Array2::from_shape_fn((raw.targets.len(), 1), |(i, _)| raw.targets[i]);
                standardise(&column).iter().copied().collect()
            }
        };
        Labelled::new(Design::dense(features), targets).map_err(|e| e.to_string())
    }

    /// Applies the scaling and keeps class numbers as targets.
    ///
    /// # Errors
    /// As [`Preparation::apply`].
    pub fn apply_multiclass(&self, raw: &RefData) -> Result<Labelled, String> {
        let scaled = self.apply(raw)?;
        Labelled::new(scaled.features, raw.targets.clone()).map_err(|e| e.to_string())
    }
}

/// Row i belongs to part i mod 3: train, test, validation.
pub fn thirds(data: &Labelled) -> Thirds {
    Thirds::by_part(data, |i| i % 3)
}

/// Columns with mean 0 and population standard deviation 1.
fn standardise(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows().max(1) as f64;
    let mean = a.sum_axis(Axis(0)) / n;
    let centred = a - &mean;
    // A second centring removes the rounding of the mean.
    let rest = centred.sum_axis(Axis(0)) / n;
    let deviation = (&centred - &rest).mapv(|v| v * v).sum_axis(Axis(0)).mapv(|v| (v / n).sqrt());
    let safe = deviation.mapv(|d| if d > 0.0 { d } else { 1.0 });
    centred / safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_give_preparations() {
        let read = Preparation::from_sentence;
        assert_eq!(
            read("columns standardised, b=+1 for target 0 (x), -1 for target 1"),
            Preparation { scaling: Scaling::Standardise, labels: Labels::OneClass(0.0) }
        );
        assert_eq!(
            read("load_digits, features / 16 (no centring), b=+1 if the digit is even else -1"),
            Preparation { scaling: Scaling::Divide(16.0), labels: Labels::Even }
        );
        assert_eq!(read("columns standardised, y standardised the same way").labels, Labels::Real);
        assert_eq!(
            read(""),
            Preparation { scaling: Scaling::Standardise, labels: Labels::OneClass(1.0) }
        );
    }

    #[test]
    fn standardised_columns_have_mean_zero_and_deviation_one() {
        let a = ndarray::array![[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]];
        let s = standardise(&a);
        assert!(s.column(0).sum().abs() < 1e-15);
        assert!((s.column(0).dot(&s.column(0)) - 3.0).abs() < 1e-14);
        assert!(s.column(1).iter().all(|v| *v == 0.0));
    }
}
