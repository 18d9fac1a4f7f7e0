//! Figure 2 and claim S12: the loss around a trained network, before and after tuning, on the plane
//! of the two largest principal components of its training path.
//!
//! The paper does not say how its surface was drawn; this is the construction of \[Li2018a\] section 7.

use kit::{
    port::{Many, Out},
    row::Row,
};
use models::neural::feedforward::Network;
use ndarray::{Array2, ArrayView1, Axis};
use ndarray_linalg::{Eigh as _, UPLO};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    cut::Field,
    evaluator::Evaluator,
    learn,
    protocol::Defects,
    rules::Rules,
    space::{Choice, Model, Search, Treatment, parse},
    tables::{label::Label, landscape::Curved, trials::Entry},
};

/// Surfaces of one task.
#[derive(Serialize, Deserialize)]
pub struct Landscape {
    /// The label of its rows.
    pub label: Label,
    /// The space that was searched.
    pub search: Search,
    /// How a configuration is trained.
    pub rules: Rules,
    /// How defect data are treated; `None` for other data.
    pub defects: Option<Defects>,
    /// Number of points of the surface in each direction.
    pub points: usize,
    /// Half width of the surface, in root mean squares of the path along each direction.
    pub radius: f64,
    /// Number of repeats.
    pub repeats: u32,
}

/// A point of a surface.
#[derive(Row)]
pub struct Point {
    /// after tuning
    tuned: bool,
    /// along the first component
    i: usize,
    /// along the second component
    j: usize,
    /// mean cross-entropy of the training rows
    loss: f64,
}

impl Landscape {
    /// The runs whose choices are examined.
    pub const RUNS: Many<Entry> = Many::new("run ");
    /// The curvature of the surfaces.
    pub const MAIN: Out<Curved> = Out::table("main");
    /// The surfaces of the first repeat.
    pub const SURFACE: Out<Point> = Out::table("surface");
}

impl Stage for Landscape {
    const KIND: &'static str = "smoothie/landscape";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::SURFACE.output()];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let field = Field::read(cx, self.defects)?;
        let (mut curved, mut points) = (Vec::new(), Vec::new());
        for (repeat, choice) in self.choices(cx)? {
            let evaluator = field.evaluator(repeat)?;
            for (tuned, choice) in [(false, self.untuned()), (true, choice)] {
                let mut rng = cx.rng(&format!("train {repeat}"))?;
                if let Some(loss) = self.surface(&evaluator, choice, &mut rng) {
                    let (label, curvature) = (self.label.clone(), curvature(&loss));
                    curved.push(Curved { label, repeat, tuned, curvature });
                    // The figure shows the first repeat.
                    let shown = loss.indexed_iter().filter(|_| repeat == 0);
                    points.extend(shown.map(|((i, j), &loss)| Point { tuned, i, j, loss }));
                }
            }
        }
        Self::MAIN.write(cx, &curved)?;
        Self::SURFACE.write(cx, &points)
    }
}

impl Landscape {
    /// A default network: unchanged rows, the fewest layers and the middle width.
    fn untuned(&self) -> Choice {
        let [fewest, most] = self.search.units;
        let model = match self.search.learner {
            crate::space::Learner::Bayesmark => Model::Adam {
                units: 100,
                alpha: 1e-4,
                batch: 200,
                rate: 1e-3,
                beta1: 0.9,
                beta2: 0.999,
                epsilon: 1e-8,
            },
            _ => Model::FeedForward {
                layers: self.search.layers[0] as usize,
                units: ((fewest + most) / 2) as usize,
            },
        };
        Choice { treatment: Treatment::NONE, model }
    }

    /// The choices of the runs, by repeat.
    fn choices(&self, cx: &Context) -> Result<Vec<(u32, Choice)>, Stop> {
        let space = self.search.space().map_err(|e| Stop::Failed(e.to_string()))?;
        let mut choices = Vec::new();
        let rows = Self::RUNS.read(cx)?.into_iter().flat_map(|(_, rows)| rows);
        for row in rows.filter(|row| row.chosen && row.repeat < self.repeats) {
            let config = parse(&space, &row.config)
                .ok_or_else(|| Stop::Failed(format!("`{}` is no configuration", row.config)))?;
            choices.push((row.repeat, self.search.choice(&space, &config)));
        }
        choices.sort_by_key(|c| c.0);
        Ok(choices)
    }

    /// Loss on a grid around the trained weights; `None` if the training diverges or its path does not have
    /// two directions.
    fn surface(
        &self,
        evaluator: &Evaluator,
        choice: Choice,
        rng: &mut rand_chacha::ChaCha12Rng,
    ) -> Option<Array2<f64>> {
        let train = evaluator.prepare(choice.treatment, &self.rules, rng).train;
        let path = learn::path(choice.model, &train, &self.rules, rng)?;
        let last = path.weights.row(path.weights.nrows() - 1).to_owned();
        let (first, second) = components(&path.weights, last.view())?;
        let at = |i: usize| {
            let half = (self.points - 1) as f64 / 2.0;
            self.radius * (i as f64 - half) / half
        };
        let mut gradient = vec![0.0; last.len()];
        let loss = Array2::from_shape_fn((self.points, self.points), |(i, j)| {
            let moved = &last + &(&first * at(i)) + &(&second * at(j));
            Network::with_parameters(path.shape.clone(), moved.to_vec())
                .loss_gradient(&path.rows, &mut gradient)
        });
        loss.iter().all(|v| v.is_finite()).then_some(loss)
    }
}

/// The two largest principal components of a path (one point per row) around its end, each as long as
/// the root mean square of the path along it.
fn components(
    path: &Array2<f64>,
    end: ArrayView1<'_, f64>,
) -> Option<(ndarray::Array1<f64>, ndarray::Array1<f64>)> {
    let centred = path - &end.insert_axis(Axis(0));
    let n = centred.nrows() as f64;
    // Of the two Gram matrices, the one with as many rows as the path is the smaller one.
    let (values, vectors) = centred.dot(&centred.t()).eigh(UPLO::Lower).ok()?;
    let component = |from_top: usize| {
        let i = values.len().checked_sub(from_top)?;
        let extended = values[i] > 1e-12 * values[values.len() - 1];
        if !extended {
            return None;
        }
        // Length √λ along the unit vector; the root mean square is √(λ/n).
        Some(centred.t().dot(&vectors.column(i)) / n.sqrt())
    };
    Some((component(1)?, component(2)?))
}

/// Mean |second difference| over the inner points of a grid, both directions, in units of the step.
fn curvature(loss: &Array2<f64>) -> f64 {
    let (rows, columns) = loss.dim();
    let (mut sum, mut n) = (0.0, 0_u32);
    for i in 1..rows.saturating_sub(1) {
        for j in 1..columns.saturating_sub(1) {
            let centre = 2.0 * loss[[i, j]];
            sum += (loss[[i + 1, j]] - centre + loss[[i - 1, j]]).abs();
            sum += (loss[[i, j + 1]] - centre + loss[[i, j - 1]]).abs();
            n += 2;
        }
    }
    sum / f64::from(n.max(1))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn components_of_a_path_in_a_plane() {
        // Mostly along (1, 0, 0), less along (0, 1, 0), never along the third axis.
        let path = array![[4.0, 0.0, 7.0], [-4.0, 1.0, 7.0], [0.0, -1.0, 7.0], [0.0, 0.0, 7.0]];
        let (first, second) = components(&path, path.row(3)).unwrap();
        assert!(first[0].abs() > 2.0 && second[1].abs() > 0.5);
        assert!(first[2].abs() < 1e-12 && second[2].abs() < 1e-12);
        let rms = |axis: usize| (path.column(axis).iter().map(|v| v * v).sum::<f64>() / 4.0).sqrt();
        let length = |v: &ndarray::Array1<f64>| v.dot(v).sqrt();
        assert!((length(&first) - rms(0)).abs() < 0.1 && (length(&second) - rms(1)).abs() < 0.1);
        let line = array![[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]];
        assert!(components(&line, line.row(2)).is_none());
    }

    #[test]
    fn curvature_of_a_paraboloid() {
        let bowl = Array2::from_shape_fn((5, 5), |(i, j)| (i * i) as f64 + 3.0 * (j * j) as f64);
        assert!((curvature(&bowl) - 4.0).abs() < 1e-12);
    }
}
