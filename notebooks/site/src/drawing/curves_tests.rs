use super::*;

#[test]
fn the_best_so_far_never_gets_worse_and_begins_where_all_runs_have_a_value() {
    let runs = vec![vec![(1.0, 5.0), (2.0, 7.0), (4.0, 1.0)], vec![(2.0, f64::NAN), (3.0, 3.0)]];
    let medians = |course| -> Vec<(f64, f64)> {
        steps(runs.clone(), course).iter().map(|(at, [_, m, _])| (*at, *m)).collect()
    };
    assert_eq!(medians(Course::Found), [(3.0, 4.0), (4.0, 2.0)]);
    // What would be chosen can get worse: 7 after 5.
    assert_eq!(medians(Course::Chosen), [(3.0, 5.0), (4.0, 2.0)]);
}

#[test]
fn quartiles_lie_between_neighbours() {
    assert_eq!([0.25, 0.5, 0.75].map(|q| quantile(&[1.0, 2.0, 3.0, 4.0], q)), [1.75, 2.5, 3.25]);
    assert_eq!(quantile(&[7.0], 0.75), 7.0);
}

fn panel(problem: &str, curves: &[(&str, &[(f64, f64)])]) -> Panel {
    // Values without a logarithm.
    let source = crate::sources::CURVES.iter().find(|c| c.across == Scale::Linear && !c.more);
    let steps = |points: &[(f64, f64)]| points.iter().map(|(at, v)| (*at, [*v; 3])).collect();
    let curves = curves.iter().map(|(method, points)| ((*method).to_owned(), steps(points)));
    Panel { source: source.unwrap(), problem: problem.to_owned(), curves: curves.collect() }
}

#[test]
fn a_method_that_has_not_begun_ranks_last() {
    let panels = [
        panel("p", &[("early", &[(0.0, 5.0), (1.0, 4.0)]), ("late", &[(0.5, 1.0)])]),
        panel("q", &[("early", &[(0.0, 5.0), (1.0, 4.0)]), ("late", &[(1.0, 1.0)])]),
    ];
    let race = race(&panels).unwrap();
    let (early, late) = (&race.ranks["early"], &race.ranks["late"]);
    assert_eq!((early[0], late[0]), (1.0, 2.0));
    let middle = early.len() / 2;
    assert_eq!((early[middle], late[middle]), (1.5, 1.5));
    assert_eq!((early.last(), late.last()), (Some(&2.0), Some(&1.0)));
}

#[test]
fn where_more_is_better_the_highest_counts_and_is_shown() {
    let source = crate::sources::CURVES.iter().find(|c| c.more).unwrap();
    // As `panels` stores them: negated.
    let steps = steps(vec![vec![(0.0, -0.5), (1.0, -0.25), (2.0, -0.75)]], Course::Found);
    let curves = [("a".to_owned(), steps)].into_iter().collect();
    let panel = Panel { source, problem: "p".to_owned(), curves };
    assert_eq!(panel.last("a"), 0.75);
    let svg = panel.draw(&methods(std::slice::from_ref(&panel))).unwrap();
    assert!(svg.contains(": a 0.75.") && svg.contains(">0.7<"), "{svg}");
}
