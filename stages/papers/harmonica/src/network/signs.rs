//! Converts assignments of ±1 variables to text and to configurations of a tuner, and back.

use models::neural::residual::COUNT;
use numerics::space::{Domain, Parameter, Space};

/// One sign per variable, `-` where `minus` is true.
#[must_use]
pub fn text(minus: &[bool]) -> String {
    minus.iter().map(|&minus| if minus { '-' } else { '+' }).collect()
}

/// The assignment that [`text`] has written; `None` for any other text.
#[must_use]
pub fn read(text: &str) -> Option<Vec<bool>> {
    let sign = |c| match c {
        '-' => Some(true),
        '+' => Some(false),
        _ => None,
    };
    text.chars().map(sign).collect::<Option<Vec<_>>>().filter(|minus| minus.len() == COUNT)
}

/// The first `variables` of the variables, each with the choices +1 and −1.
///
/// # Errors
/// If there is no variable.
pub fn space(variables: usize) -> Result<Space, numerics::space::Error> {
    let parameter = |i: usize| Parameter {
        name: format!("x{:02}", i + 1),
        domain: Domain::Categorical { choices: 2 },
    };
    Space::new((0..variables).map(parameter).collect())
}

/// The assignment of a configuration in such a space; missing variables are +1.
#[must_use]
pub fn of_config(config: &[f64]) -> Vec<bool> {
    let mut minus: Vec<bool> = config.iter().map(|&choice| choice == 1.0).collect();
    minus.resize(COUNT, false);
    minus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_written() {
        let minus: Vec<bool> = (0..COUNT).map(|i| i % 3 == 1).collect();
        assert!(text(&minus).starts_with("+-++-+"));
        assert_eq!(read(&text(&minus)), Some(minus));
        assert!(read("+-").is_none() && read(&"x".repeat(COUNT)).is_none());
    }

    #[test]
    fn the_second_choice_is_minus_one() {
        let space = space(3).unwrap();
        let config = space.from_unit(&[0.2, 0.9, 0.5]);
        assert_eq!(of_config(&config)[..4], [false, true, true, false]);
    }
}
