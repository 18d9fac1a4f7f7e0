//! The stages of HOAG, one per file, so that a change to one method's code reruns only that method.

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
