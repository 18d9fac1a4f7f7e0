//! Chooses the course of a hyper-parameter from earlier trainings: the best fixed value, the last value of a
//! course, or the best value epoch by epoch (\[MacKay2019\] appendix F).

use kit::port::{In, Many, Out};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::tables::{schedule::Point, trace::Epoch};

/// The choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The fixed value with the lowest validation loss of all epochs.
    Best,
    /// For each epoch, the fixed value with the lowest validation loss at its end.
    Greedy,
    /// The last values of a course.
    Last,
}

/// The stage that chooses.
#[derive(Serialize, Deserialize)]
pub struct Choose {
    /// The rule of choice.
    pub choice: Choice,
    /// The hyper-parameter that was fixed.
    pub name: String,
    /// The values at which it was fixed.
    pub values: Vec<f64>,
}

/// The last part of the role of the epochs at the value with this number.
#[must_use]
pub fn of_value(number: usize) -> String {
    format!("{number:03}")
}

impl Choose {
    /// The epochs at fixed values.
    pub const EPOCHS: Many<Epoch> = Many::new("value ");
    /// The course that ended.
    pub const COURSE: In<Point> = In::new("course");
    /// The chosen course of the hyper-parameter.
    pub const MAIN: Out<Point> = Out::table("main");
}

/// Training batches up to the end of each epoch, and its validation loss.
type Epochs = Vec<(u64, f64)>;

impl Stage for Choose {
    const KIND: &'static str = "stn/text/choose";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let points = match self.choice {
            Choice::Last => last(&Self::COURSE.read(cx)?),
            Choice::Best => self.best(&self.epochs(cx)?)?,
            Choice::Greedy => self.greedy(&self.epochs(cx)?)?,
        };
        Self::MAIN.write(cx, &points)
    }
}

impl Choose {
    fn epochs(&self, cx: &Context) -> Result<Vec<Epochs>, Stop> {
        let read = |number: usize| {
            let epochs = Self::EPOCHS.at(of_value(number)).read(cx)?;
            Ok(epochs.iter().map(|row| (row.ended.batches, row.ended.valid_loss)).collect())
        };
        (0..self.values.len()).map(read).collect()
    }

    fn point(&self, batches: u64, value: f64) -> Point {
        Point { name: self.name.clone(), batches, value }
    }

    fn best(&self, all: &[Epochs]) -> Result<Vec<Point>, Stop> {
        let least = |epochs: &Epochs| epochs.iter().map(|e| e.1).fold(f64::INFINITY, f64::min);
        let found = least_of(all.iter().map(least));
        Ok(vec![self.point(0, self.values[found.ok_or_else(none)?])])
    }

    /// Each epoch is trained at the value that was best at its end; trainings that have ended no longer
    /// count.
    fn greedy(&self, all: &[Epochs]) -> Result<Vec<Point>, Stop> {
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        let mut points = Vec::new();
        let mut begins = 0;
        for epoch in 0..longest {
            let at = |epochs: &Epochs| epochs.get(epoch).map_or(f64::INFINITY, |e| e.1);
            let found = least_of(all.iter().map(at)).ok_or_else(none)?;
            points.push(self.point(begins, self.values[found]));
            begins = all[found][epoch].0;
        }
        if points.is_empty() { Err(none()) } else { Ok(points) }
    }
}

fn none() -> Stop {
    Stop::Failed("no training at a fixed value came to an epoch's end".to_owned())
}

/// The index of the smallest finite number, the first of equals.
fn least_of(values: impl Iterator<Item = f64>) -> Option<usize> {
    let all = values.enumerate().filter(|(_, value)| value.is_finite());
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
}

/// The final value of each hyper-parameter.
fn last(points: &[Point]) -> Vec<Point> {
    let mut ends: Vec<Point> = Vec::new();
    for point in points {
        ends.retain(|end| end.name != point.name);
        ends.push(Point { batches: 0, ..point.clone() });
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose() -> Choose {
        Choose { choice: Choice::Best, name: "p".to_owned(), values: vec![0.1, 0.5, 0.9] }
    }

    fn told() -> Vec<Epochs> {
        let epochs = |losses: &[f64]| (1..).map(|i| 10 * i).zip(losses.iter().copied()).collect();
        vec![epochs(&[3.0, 2.5, 2.9, 3.5]), epochs(&[4.0, 2.6, 2.0, 2.2]), epochs(&[5.0, f64::NAN])]
    }

    #[test]
    fn the_best_value_and_the_best_at_each_epoch() {
        let values = |points: Vec<Point>| {
            points.into_iter().map(|p| (p.batches, p.value)).collect::<Vec<_>>()
        };
        assert_eq!(values(choose().best(&told()).unwrap()), [(0, 0.5)]);
        let greedy = values(choose().greedy(&told()).unwrap());
        assert_eq!(greedy, [(0, 0.1), (10, 0.1), (20, 0.5), (30, 0.5)]);
        let nothing = vec![Vec::new(); 3];
        assert!(choose().best(&nothing).is_err() && choose().greedy(&nothing).is_err());
    }

    #[test]
    fn the_end_of_a_course() {
        let point = |name: &str, batches, value| Point { name: name.to_owned(), batches, value };
        let all = [point("a", 0, 0.1), point("b", 0, 0.2), point("a", 5, 0.3), point("b", 5, 0.4)];
        assert_eq!(last(&all), [point("a", 0, 0.3), point("b", 0, 0.4)]);
    }
}
