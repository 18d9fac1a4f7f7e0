//! Unifies names of methods that end in a budget, such as `random-10`. Budgets differ between problems, so
//! that the same method has different names; it is identified by the order of its budgets instead. (The site,
//! which is built on no crate of stages, names the methods of curves in the same way.)

use std::collections::{BTreeMap, BTreeSet};

/// The stem of a name and the number that it ends in.
fn parts(name: &str) -> Option<(&str, u64)> {
    // The budget can precede another word: `bohb-10 FF`.
    let (first, _) = name.split_once(' ').unwrap_or((name, ""));
    let (stem, number) = first.rsplit_once('-')?;
    Some((stem, number.parse().ok()?))
}

/// Names on one problem → names common to all problems.
#[must_use]
pub(super) fn common<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, String> {
    let names: BTreeSet<&str> = names.collect();
    let mut budgets: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (stem, budget) in names.iter().filter_map(|name| parts(name)) {
        budgets.entry(stem).or_default().insert(budget);
    }
    let common = |name: &str| {
        let Some((stem, budget)) = parts(name) else { return name.to_owned() };
        let rest = name.split_once(' ').map_or_else(String::new, |(_, rest)| format!(" {rest}"));
        let all = &budgets[stem];
        match all.iter().position(|b| *b == budget) {
            Some(0) if all.len() > 1 => format!("{stem} (least budget){rest}"),
            Some(i) if all.len() > 1 && i + 1 == all.len() => {
                format!("{stem} (most budget){rest}")
            }
            Some(i) if all.len() > 1 => format!("{stem} (budget {}){rest}", i + 1),
            _ => format!("{stem}{rest}"),
        }
    };
    names.iter().map(|name| ((*name).to_owned(), common(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_has_one_name_whatever_its_budgets_are() {
        let small = common(["bohb-5 FF", "bohb-30 FF", "random-5 FF", "smoothie NB"].into_iter());
        let large = common(["bohb-10 FF", "bohb-50 FF", "random-10 FF", "smoothie NB"].into_iter());
        let names = |of: &BTreeMap<String, String>| of.values().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(&small), names(&large));
        assert_eq!(small["bohb-5 FF"], "bohb (least budget) FF");
        assert_eq!(small["bohb-30 FF"], "bohb (most budget) FF");
        assert_eq!(large["random-10 FF"], "random FF");
        assert_eq!(large["smoothie NB"], "smoothie NB");
    }
}
