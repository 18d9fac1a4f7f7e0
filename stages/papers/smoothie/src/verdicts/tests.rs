//! Tests of verdicts, of simulated evidence and of places that are lacking.

use kit::claims::rule::{Joined, Tally};
use rand_chacha::rand_core::SeedableRng as _;
use stats::bootstrap::Estimate;

use super::{evidence::Outcome, *};
use crate::{
    pools::{Key, Member},
    protocol::Formula,
    results::Results,
    tables::{ended::Ended, label::Label},
};

fn place(task: &str, in_paper: bool, scaled_down: bool) -> Place {
    let (task, family, published) = (task.to_owned(), "warnings".to_owned(), None);
    Place { task, family, in_paper, software: true, published, scaled_down }
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
    assert_eq!(rests_on("S8", "code").len(), 4);
    assert!(rests_on("S1", "code").contains(&OUTCOMES.at("code").role()));
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
        let groups = [vec![rival.clone()], Vec::new()];
        evidence.outcomes.insert(place.task.clone(), Outcome { word, learner, rival, groups });
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
