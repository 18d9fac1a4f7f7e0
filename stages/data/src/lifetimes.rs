//! Turns times into classes: how the lifetime of issues is binned.
//!
//! DIFFERS: \[Yedida2024\] speaks of bins of equal frequency (§5.5) and then gives fixed edges (§6),
//! of which "0 to 1, 2 to 5, 5 to 100 days" name 5 days twice. The authors' code has the edges 2
//! and 6: below 2, below 6, the rest. For two classes the text has another threshold for each
//! project ([`paper_threshold`]); the code compares names that never match and so takes 6 for all
//! ([`CODE_THRESHOLD`]).

use super::classified::ClassifiedError;
use super::loaded::{Loaded, Target};

/// Edges of three classes, days: below 2, below 6, the rest.
pub const THREE: [f64; 2] = [2.0, 6.0];
/// Threshold between two classes in the authors' code, days.
pub const CODE_THRESHOLD: f64 = 6.0;

/// Threshold between two classes in the paper's text, days, by the id of the data set; `None` for
/// data that the paper does not have.
#[must_use]
pub fn paper_threshold(id: &str) -> Option<f64> {
    match id {
        "issue-lifetime-firefox" => Some(4.0),
        "issue-lifetime-chromium" => Some(5.0),
        "issue-lifetime-eclipse" => Some(6.0),
        _ => None,
    }
}

/// Why a target could not be binned.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BinError {
    /// Edges must be finite and ascending, and there must be at least one.
    #[error("edges must be finite, ascending and at least one")]
    Edges,
    /// A group of classes is empty, or the groups do not cover all classes.
    #[error("groups must be ascending class counts that leave no group empty, below {classes}")]
    Groups {
        /// Number of classes.
        classes: usize,
    },
    /// The target is not of the kind that can be binned.
    #[error(transparent)]
    Target(#[from] ClassifiedError),
    /// The target has classes already.
    #[error("the target has classes already; a real number is needed")]
    Classes,
}

/// Classes for a real target: class i contains the times from edge i − 1 on and below edge i.
///
/// # Errors
/// If the target has classes already, or the edges are not ascending.
pub fn binned(data: Loaded, edges: &[f64]) -> Result<Loaded, BinError> {
    let ascending = edges.is_sorted_by(|a, b| a < b) && edges.iter().all(|edge| edge.is_finite());
    if edges.is_empty() || !ascending {
        return Err(BinError::Edges);
    }
    let Target::Real(values) = &data.y else { return Err(BinError::Classes) };
    let labels = values.iter().map(|value| edges.partition_point(|edge| edge <= value) as u32);
    let names = (0..=edges.len()).map(|class| match class {
        0 => format!("below {}", edges[0]),
        last if last == edges.len() => format!("{} and more", edges[last - 1]),
        class => format!("{} to {}", edges[class - 1], edges[class]),
    });
    let y = Target::Classes { labels: labels.collect(), names: names.collect() };
    Ok(Loaded { y, ..data })
}

/// The two classes of the authors' code: class 1 is below `threshold`, class 0 the rest.
///
/// # Errors
/// If the target has classes already, or the threshold is not finite.
pub fn below(data: Loaded, threshold: f64) -> Result<Loaded, BinError> {
    let mut data = binned(data, &[threshold])?;
    if let Target::Classes { labels, names } = &mut data.y {
        for label in labels.iter_mut() {
            *label = 1 - *label;
        }
        names.reverse();
    }
    Ok(data)
}

/// Joins neighbouring classes: group i consists of the classes from `starts[i − 1]` on and before
/// `starts[i]`. For data whose times are classes already.
///
/// # Errors
/// If the target has no classes, or a group would be empty.
pub fn merged(data: Loaded, starts: &[u32]) -> Result<Loaded, BinError> {
    let Target::Classes { labels, names } = &data.y else {
        return Err(ClassifiedError::Real.into());
    };
    let classes = names.len();
    let inside = |&start: &u32| start > 0 && (start as usize) < classes;
    if !starts.is_sorted_by(|a, b| a < b) || !starts.iter().all(inside) {
        return Err(BinError::Groups { classes });
    }
    let group = |class: u32| starts.partition_point(|&start| start <= class) as u32;
    let mut joined: Vec<String> = Vec::new();
    for (class, name) in names.iter().enumerate() {
        match joined.get_mut(group(class as u32) as usize) {
            Some(group) => *group = format!("{group}, {name}"),
            None => joined.push(name.clone()),
        }
    }
    let labels = labels.iter().map(|&label| group(label)).collect();
    Ok(Loaded { y: Target::Classes { labels, names: joined }, ..data })
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::super::loaded::Features;
    use super::*;

    fn days(y: Target) -> Loaded {
        let x = Features::Dense(Array2::zeros((y.len(), 1)));
        Loaded { x, y, feature_names: vec!["s1".into()] }
    }

    fn classes(data: &Loaded) -> (Vec<u32>, Vec<String>) {
        match &data.y {
            Target::Classes { labels, names } => (labels.clone(), names.clone()),
            Target::Real(_) => panic!("expected classes"),
        }
    }

    #[test]
    fn edges_belong_to_the_class_above() {
        let real = || days(Target::Real(vec![0.0, 1.9, 2.0, 5.0, 6.0, 100.0]));
        let (labels, names) = classes(&binned(real(), &THREE).unwrap());
        assert_eq!(labels, [0, 0, 1, 1, 2, 2]);
        assert_eq!(names, ["below 2", "2 to 6", "6 and more"]);
        let (labels, names) = classes(&below(real(), 5.0).unwrap());
        assert_eq!(labels, [1, 1, 1, 0, 0, 0]);
        assert_eq!(names, ["5 and more", "below 5"]);
    }

    #[test]
    fn every_project_has_its_threshold() {
        let of = |project| paper_threshold(&format!("issue-lifetime-{project}"));
        assert_eq!(["firefox", "chromium", "eclipse"].map(of), [Some(4.0), Some(5.0), Some(6.0)]);
        assert_eq!(of("jira-camel"), None);
    }

    #[test]
    fn neighbouring_classes_are_joined() {
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let data = || days(Target::Classes { labels: vec![3, 0, 1, 2], names: names.clone() });
        let (labels, joined) = classes(&merged(data(), &[1, 3]).unwrap());
        assert_eq!(labels, [2, 0, 1, 1]);
        assert_eq!(joined, ["a", "b, c", "d"]);
        for starts in [&[0][..], &[4], &[2, 2], &[3, 1]] {
            assert_eq!(merged(data(), starts), Err(BinError::Groups { classes: 4 }));
        }
        assert!(merged(days(Target::Real(vec![1.0])), &[1]).is_err());
    }

    #[test]
    fn edges_that_are_none_are_refused() {
        for edges in [&[][..], &[f64::NAN], &[2.0, 2.0], &[6.0, 2.0], &[f64::INFINITY]] {
            assert_eq!(binned(days(Target::Real(vec![1.0])), edges), Err(BinError::Edges));
        }
        let data = days(Target::Classes { labels: vec![0], names: vec!["a".into()] });
        assert_eq!(binned(data, &THREE), Err(BinError::Classes));
    }
}
