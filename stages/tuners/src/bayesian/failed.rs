//! Losses of failed trials. A model is fitted to numbers: there they count as the worst loss seen, so that the search
//! moves away from them.

/// The losses in order, with the highest of the others in place of those that are not finite; `None` if none is finite.
pub(super) fn as_worst(losses: impl IntoIterator<Item = f64>) -> Option<Vec<f64>> {
    let mut losses: Vec<f64> = losses.into_iter().collect();
    let worst = losses.iter().copied().filter(|v| v.is_finite()).reduce(f64::max)?;
    for loss in losses.iter_mut().filter(|v| !v.is_finite()) {
        *loss = worst;
    }
    Some(losses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_trials_have_the_worst_loss_of_the_others() {
        let losses = [f64::NAN, -3.0, f64::INFINITY, 2.0, f64::NEG_INFINITY];
        assert_eq!(as_worst(losses), Some(vec![2.0, -3.0, 2.0, 2.0, 2.0]));
        assert_eq!(as_worst([f64::NAN, f64::INFINITY]), None);
        assert_eq!(as_worst([]), None);
    }
}
