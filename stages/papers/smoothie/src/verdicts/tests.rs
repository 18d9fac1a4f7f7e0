//! Tests of verdicts, of simulated evidence and of places that are lacking.

use kit::claims::rule::{Joined, Tally};
use rand_chacha::rand_core::SeedableRng as _;
use stats::bootstrap::Estimate;

use super::{
    evidence::{Epochs, Outcome},
    *,
};
use crate::{
    pools::{Key, Member},
    protocol::Formula,
    results::Results,
    tables::{ended::Ended, label::Label, standings::Standing},
};

fn place(task: &str, in_paper: bool, scaled_down: bool) -> Place {
    let (task, family, published) = (task.to_owned(), "warnings".to_owned(), None);
    let epochs = Epochs::of(50, 10, 100);
    Place { task, family, in_paper, software: true, published, epochs, scaled_down }
}

#[test]
fn claims_about_wins_concern_a_family_and_the_theorems_none() {
    let concern = |id: &str, family: &str| concern(&[id.to_owned()], family);
    assert!(concern("S1", "warnings") && !concern("S1", "defects"));
    assert!(concern("S4", "defects") && concern("S8", "defects"));
    assert!(!concern("S10", "warnings") && !super::concern(&[], "warnings"));
}

#[test]
fn a_claim_is_scaled_down_by_the_places_that_it_rests_on() {
    let found =
        |place: &str| Finding::new(place, Estimate::exact(1.0, 5), String::new()).met(Some(true));
    let places = [place("ant", true, true), place("derby", true, false)];
    let down = |id: &str, finding: Finding| scaled_down(id, &[finding], &places);
    assert!(down("S1", found("ant")) && !down("S1", found("derby")));
    assert!(down("S7", found("ant, BOHB")) && !down("S7", found("derby, BOHB")));
    // Of all data sets together one is enough, unless it is outside the paper.
    assert!(down("S6", found("all data sets")));
    let outside = [place("ant", false, true), place("derby", true, false)];
    assert!(!scaled_down("S6", &[found("all data sets")], &outside));
    assert!(!down("S1", found("ant").in_paper(false)));
    assert!(!down("S1", Finding::missing("ant", "no data")));
    assert!(!down("S10", found("Theorem 1")));
}

#[test]
fn what_a_claim_rests_on_is_of_its_protocol() {
    assert_eq!(rests_on("S6", "honest"), [POOLS.at("honest").role()]);
    assert_eq!(rests_on("S8", "code").len(), 3);
    assert!(rests_on("S1", "code").contains(&ENDED.at("code").role()));
    for id in ["S10", "S12"] {
        assert!(!depends_on_protocol(id));
        assert_eq!(rests_on(id, "honest"), rests_on(id, "code"));
    }
}

/// Twenty of the paper's data sets, `set-0` to `set-19`, of which every other is of software, and one that is not
/// the paper's; where `lacking` is set, two more, of which nothing was measured.
fn evidence(lacking: bool, scaled_down: bool) -> Evidence {
    let mut places = vec![place("jira-cloudstack-2", false, false)];
    for i in 0..20 {
        let own = place(&format!("set-{i}"), true, scaled_down);
        places.push(Place { software: i % 2 == 0, ..own });
    }
    if lacking {
        places.extend(["chromium-2", "eclipse-2"].map(|task| place(task, true, scaled_down)));
    }
    Evidence::without_tables(&places, Formula::Theorem)
}

/// Whether the criterion is met, by the answers of all findings.
fn ends(id: &str, evidence: &Evidence) -> (Joined, Vec<Finding>) {
    let (rule, findings) = find(id, evidence, &mut ChaCha12Rng::seed_from_u64(7)).unwrap();
    let tally = Tally::of(findings.iter().map(|finding| finding.answer(None)));
    let small = super::scaled_down(id, &findings, &evidence.places);
    (if small { rule.lean(tally) } else { rule.join(tally) }, findings)
}

/// Fills in what a claim rests on, for the tasks that are measured.
fn measure(evidence: &mut Evidence, fill: impl Fn(&mut Evidence, &Place, usize)) {
    let measured = |place: &&Place| !["chromium-2", "eclipse-2"].contains(&place.task.as_str());
    let places: Vec<Place> = evidence.places.iter().filter(measured).cloned().collect();
    for (i, place) in places.iter().enumerate() {
        fill(evidence, place, i);
    }
}

/// The same evidence of one claim: all data sets of the paper, two of them lacking, and two lacking of smaller
/// ones.
fn cases(fill: impl Fn(&mut Evidence, &Place, usize)) -> [Evidence; 3] {
    [(false, false), (true, false), (true, true)].map(|(lacking, scaled_down)| {
        let mut evidence = evidence(lacking, scaled_down);
        measure(&mut evidence, &fill);
        evidence
    })
}

/// A claim that all data sets decide is open if two of them are lacking; then smaller ones give a direction.
fn needs_all(id: &str, cases: &[Evidence; 3], joined: Joined) {
    let [whole, lacking, small] = cases;
    let (found, findings) = ends(id, whole);
    assert_eq!(found, joined, "{id}: {findings:?}");
    assert!(findings.iter().all(|f| f.estimate.is_some()), "{id}");
    for (evidence, joined) in [(lacking, Joined::Open), (small, joined)] {
        let (found, findings) = ends(id, evidence);
        assert_eq!(found, joined, "{id}: {findings:?}");
        let absent = findings.last().unwrap();
        assert_eq!((absent.place.as_str(), absent.in_paper), ("chromium-2, eclipse-2", true));
        let told = "20 of the paper's 22 data sets";
        let all = findings[..findings.len() - 1].iter();
        assert!(all.clone().all(|f| f.place == told || f.text.contains(told)), "{findings:?}");
        assert!(absent.text.contains("chromium-2 9.4, eclipse-2 14.9"), "{}", absent.text);
    }
}

#[test]
fn smoothness_of_some_data_sets_does_not_compare_software_with_others() {
    let pools = |evidence: &mut Evidence, place: &Place, i: usize| {
        let [family, task, learner] =
            [&place.family, &place.task, &"FF".to_owned()].map(Clone::clone);
        let beta = if place.software { 1.0 } else { 5.0 } + 0.01 * i as f64;
        let key = Key { family, task, learner, repeat: 0 };
        evidence.pools.by_key.insert(key, vec![Member::new(beta, 0.5)]);
    };
    needs_all("S6", &cases(pools), Joined::Met);
    let against = |evidence: &mut Evidence, place: &Place, i: usize| {
        pools(evidence, &Place { software: !place.software, ..place.clone() }, i);
    };
    needs_all("S6", &cases(against), Joined::Missed);
}

#[test]
fn the_trend_of_some_data_sets_is_not_that_of_all() {
    // SMOOTHIE is as good as or better than BOHB the more often, the larger β is.
    let rises = |evidence: &mut Evidence, place: &Place, i: usize| {
        let key = Key {
            family: place.family.clone(),
            task: place.task.clone(),
            learner: "FF".to_owned(),
            repeat: 0,
        };
        evidence.pools.by_key.insert(key, vec![Member::new(i as f64, 0.5)]);
        let [word, learner, rival] = ["tie", "FF", "bohb-5"].map(str::to_owned);
        let (groups, all_tie) = ([vec![rival.clone()], Vec::new()], true);
        let outcome = Outcome { word, learner, rival, groups, all_tie };
        evidence.outcomes.insert(place.task.clone(), outcome);
    };
    let mut cases = cases(rises);
    for evidence in &mut cases {
        let mut runs = Vec::new();
        for (i, place) in evidence.places.iter().enumerate() {
            if ["chromium-2", "eclipse-2"].contains(&place.task.as_str()) {
                continue;
            }
            for repeat in 0..20 {
                let better = repeat < i as u32;
                runs.push(run(place, "smoothie", repeat, if better { 0.75 } else { 0.25 }));
                runs.push(run(place, "bohb-5", repeat, 0.5));
            }
        }
        evidence.results = Results::from(runs);
    }
    needs_all("S8", &cases, Joined::Missed);
}

fn run(place: &Place, method: &str, repeat: u32, score: f64) -> Ended {
    let (family, task) = (place.family.clone(), place.task.clone());
    Ended {
        label: Label { family, task, method: method.to_owned(), learner: "FF".to_owned() },
        repeat,
        selection: score,
        score,
        accuracy: f64::NAN,
        f1: f64::NAN,
        pd: f64::NAN,
        pf: f64::NAN,
        precision: f64::NAN,
        constant: false,
    }
}

#[test]
fn the_leads_on_some_data_sets_are_not_those_on_all() {
    let leads = |any: f64, low: f64| {
        move |evidence: &mut Evidence, place: &Place, i: usize| {
            let far = 1.0 + 0.01 * i as f64;
            let scores = [("highest", 0.0), ("random", -any * far), ("lowest", -low * far)];
            let cells = scores.map(|(rule, score)| {
                (("FF".to_owned(), 50, 10, rule.to_owned()), vec![0.5 + score])
            });
            evidence.sensitivity.insert(place.task.clone(), cells.into());
        }
    };
    needs_all("S11", &cases(leads(0.1, 0.2)), Joined::Met);
    needs_all("S11", &cases(leads(0.1, -0.2)), Joined::Missed);
}

#[test]
fn surfaces_of_some_data_sets_are_not_those_of_all_in_simulations_either() {
    let curved = |after: f64| {
        move |evidence: &mut Evidence, place: &Place, _: usize| {
            evidence.curvatures.insert(place.task.clone(), vec![(1.0, after); 20]);
        }
    };
    needs_all("S12", &cases(curved(0.5)), Joined::Met);
    // As curved is not flatter.
    needs_all("S12", &cases(curved(1.0)), Joined::Missed);
    let [whole, lacking, _] = &cases(curved(0.5));
    for world in kit::claims::calibration::World::BOTH {
        let mut rng = ChaCha12Rng::seed_from_u64(8);
        let mut drawn = |evidence| simulated::simulate("S12", evidence, world, &mut rng).unwrap();
        assert_eq!(drawn(whole).len(), 1);
        let findings = drawn(lacking);
        assert_eq!(findings[1], find("S12", lacking, &mut rng).unwrap().1[1]);
    }
}

/// The cells of Figure 8 at N1 = 20 and 30 with N2 = 5, and at 20 and 40 with 10, on a data set.
fn cells(chosen: f64, other: f64) -> impl Fn(&mut Evidence, &Place, usize) {
    move |evidence: &mut Evidence, place: &Place, i: usize| {
        let more = 0.001 * i as f64;
        let all = [(20, 5, 0.5), (30, 5, chosen + more), (20, 10, 0.5), (40, 10, other - more)];
        let cell = |(n1, n2, score)| (("FF".to_owned(), n1, n2, "highest".to_owned()), vec![score]);
        evidence.sensitivity.insert(place.task.clone(), all.map(cell).into());
    }
}

#[test]
fn the_trade_needs_all_warnings() {
    // All of these are warnings.
    let [whole, lacking, small] = &cases(cells(0.75, 0.5));
    let (joined, findings) = ends("S9", whole);
    assert_eq!((joined, findings.len()), (Joined::Met, 1));
    assert!(findings[0].text.ends_with("over all data sets of warnings"), "{}", findings[0].text);
    let (joined, findings) = ends("S9", lacking);
    assert_eq!((joined, findings.len()), (Joined::Open, 2));
    let told = "over 20 of the paper's 22 data sets of warnings";
    assert!(findings[0].text.ends_with(told), "{}", findings[0].text);
    assert_eq!(ends("S9", small).0, Joined::Met);
}

#[test]
fn the_trade_is_answered_on_the_papers_seven_warnings_and_not_on_fewer() {
    let ends_on = |n: usize, chosen: f64, other: f64| {
        let mut evidence = evidence(false, false);
        // The first place is not the paper's.
        evidence.places.truncate(n + 1);
        measure(&mut evidence, cells(chosen, other));
        ends("S9", &evidence).0
    };
    assert_eq!(ends_on(7, 0.75, 0.5), Joined::Met);
    assert_eq!(ends_on(7, 0.5, 0.75), Joined::Missed);
    assert_eq!(ends_on(7, 0.5, 0.532), Joined::Open, "the interval holds 0.05");
    for (chosen, other) in [(0.75, 0.5), (0.5, 0.75)] {
        assert_eq!(ends_on(6, chosen, other), Joined::Open, "{chosen}, {other}");
    }
}

/// Twenty runs of a method with a learner on a data set, of these selection and test scores.
fn runs(
    place: &Place,
    (method, learner): (&str, &str),
    [selection, score]: [f64; 2],
) -> Vec<Ended> {
    let one = |repeat: u32| {
        let scattered = score + 0.001 * f64::from(repeat * 7 % 20);
        let mut ended = Ended { selection, ..run(place, method, repeat, scattered) };
        ended.label.learner = learner.to_owned();
        ended
    };
    (0..20).map(one).collect()
}

#[test]
fn treatments_are_ranked_by_what_the_runs_ended_with() {
    let mut evidence = evidence(false, false);
    let place = evidence.places[1].clone();
    // By selection LR represents SMOOTHIE, so that the BOHB that tunes networks is not compared.
    let all = [
        runs(&place, ("bohb-5", "FF"), [0.5, 0.9]),
        runs(&place, ("bohb-5", "LR"), [0.5, 0.5]),
        runs(&place, ("smoothie", "FF"), [0.6, 0.3]),
        runs(&place, ("smoothie", "LR"), [0.7, 0.5]),
        runs(&place, ("svm", "FF"), [0.5, 0.2]),
    ];
    evidence.results = Results::from(all.concat());
    evidence.outcomes(Vec::new());
    let found = &evidence.outcomes[&place.task];
    assert_eq!((found.word.as_str(), found.learner.as_str()), ("tie", "LR"));
    assert_eq!((found.rival.as_str(), found.all_tie), ("bohb-5", false));
    assert_eq!(found.groups[0], ["bohb-5", "smoothie LR"]);
    assert_eq!(found.groups[1], ["smoothie FF", "svm"]);
}

#[test]
fn where_scores_are_normalised_the_standings_rank() {
    let mut evidence = evidence(false, false);
    let place = evidence.places[1].clone();
    // The raw scores alone would have SMOOTHIE ahead.
    let all =
        [runs(&place, ("bohb-5", "FF"), [0.5, 0.4]), runs(&place, ("smoothie", "FF"), [0.5, 0.9])];
    evidence.results = Results::from(all.concat());
    let standing = |method: &str, first: bool, outcome: &str| {
        let [family, task] = [&place.family, &place.task].map(Clone::clone);
        let [method, learner] = [method, "FF"].map(str::to_owned);
        Standing {
            treatment: method.clone(),
            label: Label { family, task, method, learner },
            n: 20,
            median: 0.5,
            mean: 0.5,
            accuracy: 0.5,
            f1: 0.5,
            pd: 0.5,
            pf: 0.5,
            precision: 0.5,
            bayesmark: Some(50.0),
            constant: 0.0,
            first,
            p: 1.0,
            representative: false,
            outcome: outcome.to_owned(),
        }
    };
    let rows = [standing("bohb-5", true, "loss"), standing("smoothie", false, "tie")];
    evidence.outcomes(rows.into());
    let found = &evidence.outcomes[&place.task];
    assert_eq!((found.word.as_str(), found.rival.as_str()), ("loss", "bohb-5"));
    assert_eq!(found.groups, [vec!["bohb-5".to_owned()], vec!["smoothie FF".to_owned()]]);
    assert!(!found.all_tie);
}
