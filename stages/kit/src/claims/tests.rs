//! Tests verdicts from findings, and the tables of both.

use stats::bootstrap::Estimate;

use super::*;

/// A claim without any optional field.
pub(super) fn claim() -> Claim {
    toml::from_str(
        "id = 'A'\nitem = ''\nstatement = ''\npaper-value = ''\ncriterion = ''\nprofile = ''",
    )
    .unwrap()
}

fn found(in_paper: bool, answer: Answer) -> (Finding, Answer) {
    let estimate = Estimate { value: 1.0, low: 0.0, high: 2.0, n: 3 };
    let finding = match answer {
        Answer::Untested => Finding::missing("there", "not here"),
        _ => Finding::new("there", estimate, String::new()),
    };
    (finding.in_paper(in_paper), answer)
}

fn verdict(found: &[(Finding, Answer)], scaled_down: bool) -> Verdict {
    judge(Rule::Each, found, scaled_down, None).0
}

#[test]
fn the_papers_own_places_decide() {
    let [yes, no, open, missing] =
        [Answer::Yes, Answer::No, Answer::Open, Answer::Untested].map(|a| found(true, a));
    let elsewhere = found(false, Answer::No);
    let whole = |found: &[(Finding, Answer)]| verdict(found, false);
    assert_eq!(whole(&[yes.clone(), yes.clone()]), Verdict::Replicated);
    assert_eq!(whole(&[yes.clone(), elsewhere.clone()]), Verdict::Replicated);
    assert_eq!(whole(&[yes.clone(), no.clone()]), Verdict::Partly);
    assert_eq!(whole(&[yes.clone(), missing.clone()]), Verdict::Inconclusive);
    assert_eq!(whole(&[no.clone(), missing.clone()]), Verdict::Inconclusive, "it may hold there");
    assert_eq!(whole(&[no.clone(), no.clone()]), Verdict::Contradicted);
    assert_eq!(whole(&[open]), Verdict::Inconclusive);
    assert_eq!(whole(std::slice::from_ref(&missing)), Verdict::NotTestable);
    // Stand-ins are not the paper's places: they give a direction at most.
    assert_eq!(whole(&[missing.clone(), elsewhere]), Verdict::PointsTheOtherWay);
    assert_eq!(whole(&[missing, found(false, Answer::Yes)]), Verdict::PointsThePapersWay);
    // So does evidence below the paper's size.
    assert_eq!(verdict(&[yes.clone(), yes.clone()], true), Verdict::PointsThePapersWay);
    assert_eq!(verdict(std::slice::from_ref(&no), true), Verdict::PointsTheOtherWay);
    assert_eq!(verdict(&[yes, no], true), Verdict::CannotTell);
}

#[test]
fn findings_of_the_papers_size_decide_where_they_can() {
    let small = |answer| {
        let (finding, answer) = found(true, answer);
        (finding.scaled_down(true), answer)
    };
    let both = |whole, other| judge(Rule::All, &[found(true, whole), small(other)], false, None).0;
    assert_eq!(both(Answer::No, Answer::Yes), Verdict::Contradicted, "one part is missed");
    assert_eq!(both(Answer::No, Answer::Open), Verdict::Contradicted);
    assert_eq!(both(Answer::Yes, Answer::Yes), Verdict::PointsThePapersWay);
    assert_eq!(both(Answer::Yes, Answer::No), Verdict::PointsTheOtherWay);
    assert_eq!(both(Answer::Open, Answer::Yes), Verdict::CannotTell);
}

#[test]
fn what_is_not_testable_says_why() {
    let missing = found(true, Answer::Untested);
    let (verdict, reason) = judge(Rule::All, &[missing.clone(), missing], false, None);
    assert_eq!((verdict, reason.as_str()), (Verdict::NotTestable, "not here"));
    assert!(!judge(Rule::All, &[], true, None).1.is_empty());
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
    let mut claim = claim();
    claim.published = vec![number(Some("there"), 100.0), number(None, 2.0)];
    let estimate = Estimate { value: 1.0, low: 0.0, high: 2.0, n: 3 };
    let findings = ["there", "elsewhere"].map(|place| {
        Finding::new(place, estimate, String::new()).within(finding::Region::above(0.5))
    });
    let judged = Judged::new(&claim, (Rule::Each, findings.into()), true, None);
    assert_eq!(judged.verdict, Verdict::CannotTell, "the interval holds both");
    let rows: Vec<_> = tables::FoundRow::all(&judged).collect();
    assert_eq!([rows[0].published, rows[1].published], [Some(100.0), Some(2.0)]);
    assert!(rows[0].published_at_least && !rows[1].published_at_least);
    assert!(rows.iter().all(|row| row.published_kind == "ratio"));
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

#[test]
fn every_claim_of_the_papers_says_what_would_be_so_if_it_were_false() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    for paper in ["harmonica", "hoag", "hypertune", "smoothie", "stn", "tpe"] {
        for claim in read(&configs.join(format!("{paper}.claims.toml"))).unwrap() {
            let Some(worlds) = claim.calibration else { panic!("{}", claim.id) };
            assert_ne!(worlds.if_true, worlds.if_false, "{}", claim.id);
        }
    }
}
