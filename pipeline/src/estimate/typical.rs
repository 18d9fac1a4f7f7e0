//! What stages took elsewhere: rates that a program ships, for kinds of which a store has no records yet. They give a
//! first run its time left; its own measurements soon replace them.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{
    fit::Fit,
    rate::{Group, Rate},
};
use crate::work::Size;

/// Standard deviation of the logarithm by which another machine may differ: a factor of two.
const ELSEWHERE: f64 = std::f64::consts::LN_2;

/// The rates of one group, as one line of JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Typical {
    /// The group that these rates are for.
    #[serde(flatten)]
    pub group: Group,
    /// CPU seconds.
    pub cpu: Fit,
    /// Elapsed seconds.
    pub wall: Fit,
    /// Bytes of all outputs per operation.
    pub bytes: f64,
    /// For each output the rows per operation, and the columns.
    pub outputs: BTreeMap<String, [f64; 2]>,
}

/// The rates that a program ships.
#[derive(Default)]
pub struct Brought(HashMap<Group, Typical>);

impl Brought {
    /// Reads lines of [`Typical`]; an invalid line is skipped, since estimates are not results.
    pub(crate) fn add(&mut self, lines: &str) {
        let all = lines.lines().filter_map(|line| serde_json::from_str::<Typical>(line).ok());
        self.0.extend(all.map(|typical| (typical.group.clone(), typical)));
    }

    /// The rate of a group on a machine that is slower by the factor `slowness`, with this start-up time.
    pub(super) fn rate(&self, group: &Group, slowness: f64, start_s: f64) -> Option<Rate> {
        let Typical { cpu, wall, bytes, .. } = self.0.get(group)?;
        let (cpu, wall) = (cpu.elsewhere(slowness, ELSEWHERE), wall.elsewhere(slowness, ELSEWHERE));
        Some(Rate { cpu, wall, start_s, bytes: *bytes, here: false })
    }

    /// The factor by which this machine is slower, from rates of its own; 1 if there are too few of them.
    pub(super) fn slowness<'a>(&self, own: impl Iterator<Item = (&'a Group, Fit)>) -> f64 {
        let ratio =
            |(group, fit): (&Group, Fit)| Some(fit.constant_s / self.0.get(group)?.cpu.constant_s);
        let mut ratios: Vec<f64> = own.filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        if ratios.len() < ENOUGH { 1.0 } else { ratios[ratios.len() / 2] }
    }

    /// The size of an output of a stage with this much work.
    pub(super) fn written(&self, group: &Group, output: &str, work: f64) -> Option<Size> {
        let [rows, columns] = *self.0.get(group)?.outputs.get(output)?;
        Some(Size { rows: rows * work, columns })
    }
}

/// The least number of groups that show how fast a machine is.
const ENOUGH: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fit::Observation;

    fn group(kind: &str) -> Group {
        Group { kind: kind.to_owned(), variant: String::new(), gpu: false }
    }

    fn fit(constant_s: f64) -> Fit {
        let all =
            [100.0, 200.0, 400.0].map(|work| Observation { work, seconds: constant_s * work });
        Fit::of(&all).expect("fits")
    }

    fn line(kind: &str) -> String {
        let outputs = BTreeMap::from([("main".to_owned(), [0.5, 3.0])]);
        let typical =
            Typical { group: group(kind), cpu: fit(0.01), wall: fit(0.02), bytes: 8.0, outputs };
        serde_json::to_string(&typical).expect("is JSON")
    }

    #[test]
    fn a_line_gives_a_rate_and_sizes_and_garbage_gives_none() {
        let mut brought = Brought::default();
        brought.add(&format!("{}\nno line\n\n{}", line("a"), line("b")));
        let rate = brought.rate(&group("a"), 3.0, 0.1).expect("is there");
        assert!((rate.cpu.constant_s - 0.03).abs() < 1e-12 && !rate.here);
        assert!((rate.wall.constant_s - 0.06).abs() < 1e-12);
        // For another machine it is less certain: a factor of three and more either way.
        let found = rate.cpu.seconds(200.0, 200.0);
        assert!(found.high > 3.0 * found.middle, "{found:?}");
        let size = brought.written(&group("b"), "main", 40.0).expect("is there");
        assert_eq!((size.rows, size.columns), (20.0, 3.0));
        assert!(brought.rate(&group("c"), 1.0, 0.0).is_none());
    }

    #[test]
    fn several_kinds_tell_how_fast_a_machine_is() {
        let (mut brought, names) = (Brought::default(), ["a", "b", "c", "d", "e"]);
        for name in names {
            brought.add(&line(name));
        }
        let groups = names.map(group);
        let own = |n: usize| groups[..n].iter().map(|group| (group, fit(0.04)));
        assert!((brought.slowness(own(5)) - 4.0).abs() < 1e-9);
        assert!((brought.slowness(own(4)) - 1.0).abs() < 1e-9, "too few");
    }
}
