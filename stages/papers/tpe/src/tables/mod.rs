//! The rows of tables, apart from the stages that write them, so that readers do not depend on these.

pub mod ablated;
pub mod importance;
pub mod ranked;
pub mod run;
pub mod spent;
