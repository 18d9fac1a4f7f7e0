//! Checks the sections of the aggregates format about tests: equivalence, signed ranks, adjusted p values.

use stats::{
    adjust,
    alternative::Alternative,
    equivalence::{self as tost, Equivalence},
    rank_tests::wilcoxon::{SignedRanks, Zeros},
};

use super::compare::{ABSOLUTE, one_or_all};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Tolerance of p values.
const P: f64 = 1e-12;
/// Up to this many differences with ties or zeros, other programs enumerate all signs.
const ENUMERATED: usize = 13;
/// Up to this many without ties and zeros, they use the table.
const TABLE: usize = 50;

/// Two one-sided tests of two samples.
pub(super) fn equivalence(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let (x, y) = (item.need("x")?.each(Node::extended)?, item.need("y")?.each(Node::extended)?);
    let (low, high) = (item.need("low")?.number()?, item.need("high")?.number()?);
    for (key, node) in item.need("expected")?.members()? {
        let of: fn(&[f64], &[f64], f64, f64) -> Equivalence = match key {
            "independent_pooled" => tost::pooled_equivalence,
            "independent_unequal" => tost::equivalence,
            "paired" => tost::paired_equivalence,
            _ => {
                cases.push(Case::not_understood(node.at));
                continue;
            }
        };
        if node.value.is_null() {
            continue;
        }
        let found = as_statsmodels(of(&x, &y, low, high));
        for (part, node) in node.members()? {
            let (ours, tolerance) = match part {
                "p" => (found.p(), P),
                "p_lower" => (found.p_low, P),
                "p_upper" => (found.p_high, P),
                "t_lower" => (found.t_low, ABSOLUTE),
                "t_upper" => (found.t_high, ABSOLUTE),
                "df" => (found.df, ABSOLUTE),
                _ => {
                    cases.push(Case::ignored(node.at));
                    continue;
                }
            };
            one_or_all(&node, &[ours], tolerance, cases);
        }
    }
    Ok(())
}

/// The package computes p from t and the degrees of freedom alone: where they are not defined, p is not, though
/// a difference that is known without error decides.
fn as_statsmodels(found: Equivalence) -> Equivalence {
    let p = |t: f64, p: f64| if t.is_nan() || found.df.is_nan() { f64::NAN } else { p };
    Equivalence {
        p_low: p(found.t_low, found.p_low),
        p_high: p(found.t_high, found.p_high),
        ..found
    }
}

/// The signed-rank test with each rule for zeros.
pub(super) fn wilcoxon(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let differences = item.need("differences")?.each(Node::extended)?;
    for (key, node) in item.need("expected")?.members()? {
        let zeros = match key {
            "wilcox" => Zeros::Dropped,
            "pratt" => Zeros::Ranked,
            "zsplit" => Zeros::Split,
            _ => {
                cases.push(Case::not_understood(node.at));
                continue;
            }
        };
        let test = SignedRanks::with(&differences, zeros);
        for (part, node) in node.given()? {
            match part {
                "r_plus" => one_or_all(&node, &[test.plus], ABSOLUTE, cases),
                "r_minus" => one_or_all(&node, &[test.minus], ABSOLUTE, cases),
                _ => keep(tails(part, &node, &test, &differences, cases), cases),
            }
        }
    }
    Ok(())
}

/// How a p value is computed.
#[derive(Clone, Copy)]
enum By {
    Table,
    Normal { continuity: bool },
    Signs,
}

fn tails(
    method: &str,
    expected: &Node<'_>,
    test: &SignedRanks,
    differences: &[f64],
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let by = match method {
        "exact_no_tie_table" => By::Table,
        "asymptotic" => By::Normal { continuity: false },
        "asymptotic_corrected" => By::Normal { continuity: true },
        "sign_flip_enumeration" => By::Signs,
        "scipy_auto" => automatic(differences),
        _ => {
            cases.push(Case::not_understood(expected.at.clone()));
            return Ok(());
        }
    };
    // The table is long: both tails are taken from one.
    let table = matches!(by, By::Table).then(|| test.table_tails());
    let p = |alternative: Alternative| match by {
        By::Table => table.map_or(f64::NAN, |(upper, lower)| alternative.p(upper, lower)),
        By::Normal { continuity } => test.asymptotic_p(alternative, continuity),
        // If there is nothing to flip, the only assignment of signs is as extreme as itself.
        By::Signs if test.n == 0 => 1.0,
        By::Signs => test.exact_p(alternative),
    };
    for (key, node) in expected.members()? {
        let (ours, tolerance) = match key {
            "p_two_sided" => (p(Alternative::TwoSided), P),
            "p_greater" => (p(Alternative::Greater), P),
            "p_less" => (p(Alternative::Less), P),
            "z_greater" => (test.z(matches!(by, By::Normal { continuity: true })), ABSOLUTE),
            "statistic" if test.plus.is_nan() => (f64::NAN, 0.0),
            "statistic" => (test.plus.min(test.minus), ABSOLUTE),
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        one_or_all(&node, &[ours], tolerance, cases);
    }
    Ok(())
}

/// The method that scipy chooses.
fn automatic(differences: &[f64]) -> By {
    let mut sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let tied = sizes.windows(2).any(|pair| pair[0] == pair[1]) || sizes.contains(&0.0);
    match (tied, differences.len()) {
        (false, n) if n <= TABLE => By::Table,
        (true, n) if n <= ENUMERATED => By::Signs,
        _ => By::Normal { continuity: false },
    }
}

/// Holm's adjustment.
pub(super) fn holm(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let p = item.need("p")?.each(Node::extended)?;
    let adjusted = adjust::holm(&p);
    for (key, node) in item.need("expected")?.members()? {
        match key {
            "adjusted" => one_or_all(&node, &adjusted, P, cases),
            _ => match key
                .strip_prefix("reject_")
                .and_then(|text| text.replacen('_', ".", 1).parse::<f64>().ok())
            {
                Some(alpha) => {
                    let ours = adjusted.iter().map(|p| f64::from(u8::from(*p <= alpha)));
                    let pairs = ours.zip(node.listed(cases));
                    cases.extend(pairs.map(|(own, listed)| listed.absolute(own, 0.0)));
                }
                None => cases.push(Case::not_understood(node.at)),
            },
        }
    }
    Ok(())
}
