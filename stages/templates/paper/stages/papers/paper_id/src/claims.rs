//! What the paper's claims compare.

use kit::claims::lowest::Compares;

/// "This method ends at lower losses than that one": for claims of another form, implement `Criteria`.
#[derive(Clone)]
pub struct PaperIdClaims;

impl Compares for PaperIdClaims {
    const CLAIMS: &'static str = "paper_id/claims";
    const CALIBRATION: &'static str = "paper_id/calibration";
    const MODULE: &'static str = module_path!();

    fn compares(id: &str) -> Option<[&'static str; 2]> {
        match id {
            "C1" => Some(["tpe", "random"]),
            _ => None,
        }
    }
}
