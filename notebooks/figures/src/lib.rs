//! Figures as SVG: axes, drawings, panels with a legend, level lines. A drawing has no colours of its own:
//! its parts have classes, whose appearance is defined by the style sheet of the page ([`theme`]), so that
//! figures follow the page's light and dark themes and its print style. The tooltip of a series is its
//! `<title>`.
//!
//! Both the notebooks' prelude and the site draw with this crate, which is independent of artifacts and
//! papers.

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
