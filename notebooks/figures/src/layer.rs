//! The layers of a panel. Points are in the units of its axes.

use crate::{
    axis::{Axis, Point, Scale},
    drawing::{Drawing, mark_of},
    levels::{self, Levels},
    style::LOOKS,
    words::number,
};

/// The look of a series with its name, which is shown where a pointer rests on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The index of the style.
    pub series: usize,
    /// The name.
    pub name: String,
}

/// How marks are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Their size relative to the usual one.
    pub scale: f64,
    /// Whether they are translucent.
    pub faint: bool,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// A line through points.
    Line(Look, Vec<Point>),
    /// The area between two lines: x, low, high.
    Band(Look, Vec<(f64, f64, f64)>),
    /// Marks at points.
    Marks(Look, Size, Vec<Point>),
    /// A ring around a point.
    Ring(Look, Point),
    /// A star: the minimum of level lines, or of a line.
    Best(Point),
    /// A dashed line between two points.
    At(Point, Point),
    /// A thick line between two points that belongs to no series.
    Bar(Point, Point),
    /// Level lines of a function of two numbers.
    Levels(Levels),
}

impl Layer {
    /// All its points.
    pub(crate) fn points(&self) -> Vec<Point> {
        match self {
            Self::Line(_, points) | Self::Marks(_, _, points) => points.clone(),
            Self::Band(_, band) => {
                band.iter().flat_map(|&(x, low, high)| [(x, low), (x, high)]).collect()
            }
            Self::Ring(_, at) | Self::Best(at) => vec![*at],
            Self::At(from, to) | Self::Bar(from, to) => vec![*from, *to],
            Self::Levels(levels) => levels.corners(),
        }
    }

    /// Draws it between the axes `x` and `y` with these scales. Points that these cannot show are left out.
    pub(crate) fn draw(&self, drawing: &mut Drawing, (x, y): (&Axis, &Axis), scales: [Scale; 2]) {
        let held = |(a, b): &Point| scales[0].holds(*a) && scales[1].holds(*b);
        let place = |(a, b): Point| (x.place(a), y.place(b));
        let class = |name: &str, look: &Look| format!("{name} s{}", look.series % LOOKS);
        match self {
            Self::Line(look, points) => {
                let points: Vec<_> = points.iter().copied().filter(held).map(place).collect();
                drawing.open("").title(&look.name);
                drawing.path(&class("curve", look), &points).close();
            }
            Self::Band(look, band) => {
                let low = band.iter().map(|&(x, low, _)| (x, low));
                let high = band.iter().rev().map(|&(x, _, high)| (x, high));
                let points: Vec<_> = low.chain(high).filter(held).map(place).collect();
                drawing.area(&class("band", look), &points);
            }
            Self::Marks(look, size, points) => {
                drawing.open(if size.faint { "class=\"faint\"" } else { "" }).title(&look.name);
                for &point in points.iter().filter(|point| held(point)) {
                    let shape = mark_of(look.series, place(point), size.scale);
                    let told = format!("{}: {}, {}", look.name, number(point.0), number(point.1));
                    if size.faint {
                        drawing.shape(&shape)
                    } else {
                        drawing.told(&shape, &told)
                    };
                }
                drawing.close();
            }
            Self::Ring(look, at) => {
                drawing.ring(&class("ring", look), place(*at), 6.0);
            }
            Self::Best(at) => {
                let (a, b) = place(*at);
                let corner = |i: u32| {
                    let radius = if i.is_multiple_of(2) { 6.5 } else { 2.7 };
                    let turn = f64::from(i) * std::f64::consts::PI / 5.0;
                    (a + radius * turn.sin(), b - radius * turn.cos())
                };
                let corners: Vec<_> = (0..10).map(corner).collect();
                drawing.open("").title(&format!("{}, {}", number(at.0), number(at.1)));
                drawing.area("best", &corners).close();
            }
            Self::At(from, to) => {
                drawing.line("at", place(*from), place(*to));
            }
            Self::Bar(from, to) => {
                drawing.line("bar", place(*from), place(*to));
            }
            Self::Levels(levels) => levels::draw(levels, drawing, x, y),
        }
    }
}
