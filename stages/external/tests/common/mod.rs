//! What the tests search.

use numerics::space::{Domain, Parameter, Space};

/// A parameter of each kind.
pub fn space() -> Space {
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    Space::new(vec![
        parameter("rate", Domain::Float { low: 1e-3, high: 1.0, log: true }),
        parameter("units", Domain::Int { low: 1, high: 8, log: false }),
        parameter("kind", Domain::Categorical { choices: 3 }),
    ])
    .expect("a space")
}
