//! Figures of the pages: their content, and their drawing as SVG.

pub mod critical;
pub mod curves;
pub mod dag;
pub mod forest;
pub mod frame;
pub mod method;
pub mod picture;
pub mod ranks;
pub mod trace;
