//! Verdicts from findings, and the tables of both.

use super::*;

fn finding(in_paper: bool, holds: Option<bool>, tested: bool) -> Finding {
    let estimate = Estimate { value: 1.0, low: 0.0, high: 2.0, n: 3 };
    let missing = Finding::missing("there", "not here");
    Finding { in_paper, holds, estimate: tested.then_some(estimate), ..missing }
}

fn verdict(findings: &[Finding]) -> Verdict {
    judge_each(findings).0
}

#[test]
fn the_papers_own_places_decide() {
    let (yes, no) = (finding(true, Some(true), true), finding(true, Some(false), true));
    let missing = finding(true, None, false);
    let elsewhere = finding(false, Some(false), true);
    assert_eq!(verdict(&[yes.clone(), yes.clone()]), Verdict::Replicated);
    assert_eq!(verdict(&[yes.clone(), elsewhere.clone()]), Verdict::Replicated);
    assert_eq!(verdict(&[yes.clone(), no.clone()]), Verdict::Partly);
    assert_eq!(verdict(&[yes, missing.clone()]), Verdict::Partly);
    assert_eq!(verdict(&[no, missing.clone()]), Verdict::NotReplicated);
    assert_eq!(verdict(&[finding(true, None, true)]), Verdict::Inconclusive);
    assert_eq!(verdict(std::slice::from_ref(&missing)), Verdict::NotTestable);
    assert_eq!(verdict(&[missing, elsewhere]), Verdict::NotReplicated);
    // Stand-ins alone never make a claim of the paper replicated in full.
    assert_eq!(verdict(&[finding(false, Some(true), true)]), Verdict::Partly);
}

#[test]
fn findings_carry_the_papers_number() {
    let number = |place: Option<&str>, value: f64| Published {
        place: place.map(str::to_owned),
        value,
        at_least: place.is_some(),
        kind: published::Kind::Ratio,
        unit: "time".to_owned(),
    };
    let mut claim: Claim = toml::from_str(
        "id = 'A'\nitem = ''\nstatement = ''\npaper-value = ''\ncriterion = ''\nprofile = ''",
    )
    .unwrap();
    claim.published = vec![number(Some("there"), 100.0), number(None, 2.0)];
    let elsewhere = Finding { place: "elsewhere".to_owned(), ..finding(true, None, true) };
    let judged = Judged {
        claim,
        rules: String::new(),
        headline: true,
        scaled_down: false,
        verdict: Verdict::Inconclusive,
        reason: String::new(),
        findings: vec![finding(true, Some(true), true), elsewhere],
        evidence: String::new(),
    };
    let table = findings_table(&[judged]).unwrap();
    let rows = crate::table::Rows(&table);
    assert_eq!(rows.real("published").unwrap(), [100.0, 2.0]);
    assert_eq!(rows.flag("published_at_least").unwrap(), [true, false]);
    assert_eq!(rows.text("published_kind").unwrap(), ["ratio", "ratio"]);
}

#[test]
fn a_claims_file_is_refused_by_claim_where_its_number_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("toy.claims.toml");
    let file = |value: &str| {
        format!(
            "[[claim]]\nid = 'A'\nitem = ''\nstatement = ''\npaper-value = ''\ncriterion = ''\n\
             profile = ''\npublished = [{{ value = {value}, kind = 'level', unit = 'error' }}]\n"
        )
    };
    std::fs::write(&path, file("0.5")).unwrap();
    assert_eq!(read(&path).unwrap()[0].published[0].value, 0.5);
    std::fs::write(&path, file("nan")).unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("toy.claims.toml: claim A") && message.contains("NaN"), "{message}");
}
