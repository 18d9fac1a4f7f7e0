//! How the numbers of a section are compared.

use crate::{
    Error,
    case::{Case, Node},
};

/// Tolerance of estimates and quantiles.
pub(super) const ABSOLUTE: f64 = 1e-10;

/// Compares one number, or an array of as many.
pub(super) fn one_or_all(
    expected: &Node<'_>,
    ours: &[f64],
    tolerance: f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    if !expected.value.is_array() {
        let own = ours.first().copied().unwrap_or(f64::NAN);
        cases.push(Case::extended(expected.at.clone(), own, expected.extended()?, tolerance));
        return Ok(());
    }
    let listed = expected.items()?;
    if listed.len() != ours.len() {
        let at = format!("{} (number of values)", expected.at);
        cases.push(Case::absolute(at, ours.len() as f64, listed.len() as f64, 0.0));
        return Ok(());
    }
    for (node, own) in listed.iter().zip(ours) {
        cases.push(Case::extended(node.at.clone(), *own, node.extended()?, tolerance));
    }
    Ok(())
}
