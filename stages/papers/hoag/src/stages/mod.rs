//! The stages of HOAG, one a file, so that a change of one method's code reruns that method alone.

pub mod claims;
pub mod curves;
pub mod exact;
pub mod gradient_error;
pub mod grid_run;
pub mod hoag_run;
pub mod iterdiff_run;
pub mod landscape;
pub mod random_run;
pub mod smbo_run;
pub mod split;
pub mod stationarity;
