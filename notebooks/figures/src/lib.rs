//! Figures as SVG: axes, drawings, panels with a legend, level lines. A drawing has no colours of its own. Its parts have
//! classes, and the style sheet of the page says what they look like ([`theme`]): figures follow the page's light and
//! dark looks and its print. What a pointer that rests on a series shows is its `<title>`.
//!
//! Both the notebooks' prelude and the site draw with this crate; it knows no artifact and no paper.

pub mod axis;
pub mod drawing;
pub mod layer;
pub mod levels;
pub mod panels;
pub mod style;
pub mod theme;
pub mod words;

pub use axis::{Axis, Scale, range};
pub use drawing::{Drawing, mark};
