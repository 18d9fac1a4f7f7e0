//! Figures of the pages: what they show, and how it is drawn as SVG.

pub mod critical;
pub mod curves;
pub mod dag;
pub mod forest;
pub mod frame;
pub mod picture;
pub mod ranks;
