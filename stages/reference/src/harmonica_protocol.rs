//! Parses the sentences in which a file of sparse recovery describes its samples: a generator of ±1
//! variables, a polynomial with its noise, the basis.

use models::polynomial::sparse_parity::{Polynomial, Term};

use super::{Error, node::Node};

/// The content of a file's protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// Samples, one `bool` per variable, where `true` is −1.
    pub samples: Vec<Vec<bool>>,
    /// States of the generator, the first drawn first.
    pub states: Vec<u64>,
    /// f at every sample.
    pub y: Vec<f64>,
    /// Number of variables.
    pub variables: usize,
    /// Largest degree of the basis.
    pub degree: usize,
    /// Number of columns according to the file.
    pub columns: usize,
    /// Number of terms selected.
    pub features: usize,
}

fn shape(node: &Node<'_>, expected: &'static str) -> Error {
    Error::Shape { at: node.at.clone(), expected }
}

/// The number right after a mark.
fn after<T: std::str::FromStr>(text: &str, mark: &str) -> Option<T> {
    let rest = text.split_once(mark)?.1.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// A part of a formula.
#[derive(Debug, Clone, PartialEq)]
enum Part<'a> {
    Sign(f64),
    /// Without a sign, such as `2`, `0.05` and `5e-2`.
    Number(f64),
    /// A name with its index: `x12` or `noise_i`.
    Name(&'a str),
}

/// The parts of a formula, without the signs of products, brackets and spaces.
fn parts(text: &str) -> Option<Vec<Part<'_>>> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let run = |within: &dyn Fn(char) -> bool| rest.find(|c| !within(c)).unwrap_or(rest.len());
        let mut length = first.len_utf8();
        match first {
            '+' => found.push(Part::Sign(1.0)),
            '-' | '\u{2212}' => found.push(Part::Sign(-1.0)),
            '0'..='9' | '.' => {
                length = run(&|c| c.is_ascii_digit() || c == '.');
                // An exponent, unless `e` begins a name.
                if let Some(after) = rest[length..].strip_prefix(['e', 'E']) {
                    let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
                    let count = digits.chars().take_while(char::is_ascii_digit).count();
                    if count > 0 {
                        length = rest.len() - digits.len() + count;
                    }
                }
                found.push(Part::Number(rest[..length].parse().ok()?));
            }
            _ if first.is_alphabetic() => {
                length = run(&|c| c.is_alphanumeric() || c == '_');
                found.push(Part::Name(&rest[..length]));
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    Some(found)
}

/// All unsigned numbers in a formula.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let number = |part| if let Part::Number(number) = part { Some(number) } else { None };
    Some(parts(text)?.into_iter().filter_map(number).collect())
}

/// The sum of products in a formula, in its order, and whether noise is added.
fn polynomial(text: &str) -> Option<(Polynomial, bool)> {
    let mut polynomial = Polynomial::default();
    let (mut noisy, mut weight) = (false, Some(1.0));
    for part in parts(text)? {
        // A sign begins a product, whose weight can be left out.
        match part {
            Part::Sign(sign) => weight = Some(sign),
            Part::Name(name) if name.starts_with("noise") => noisy = true,
            Part::Number(factor) => match weight.take() {
                Some(sign) => {
                    polynomial.terms.push(Term { monomial: Vec::new(), weight: sign * factor });
                }
                None => polynomial.terms.last_mut()?.weight *= factor,
            },
            Part::Name(name) => {
                if let Some(weight) = weight.take() {
                    polynomial.terms.push(Term { monomial: Vec::new(), weight });
                }
                let index = name.strip_prefix('x')?.trim_start_matches('_').parse().ok()?;
                polynomial.terms.last_mut()?.monomial.push(index);
            }
        }
    }
    Some((polynomial, noisy))
}

impl Protocol {
    /// Reads the sentences `lcg`, `f`, `columns` and `selection`, and draws the samples.
    ///
    /// # Errors
    /// If one is missing or differs from this format.
    pub fn new(protocol: &Node<'_>) -> Result<Self, Error> {
        let lcg = protocol.need("lcg")?;
        let text = lcg.text()?;
        let generator = || {
            Some((
                after::<u64>(text, "(")?,
                after::<u64>(text, "*s +")?,
                after::<u64>(text, "seed s=")?,
                after::<usize>(text, "i=0..")?.checked_add(1)?,
                after::<usize>(text, "j=0..")?.checked_add(1)?,
            ))
        };
        let expected =
            "`s <- (a*s + c) mod 2^64, seed s=…`, `i=0..` and `j=0..` with their last index";
        let (multiplier, increment, mut state, rows, variables) =
            generator().ok_or_else(|| shape(&lcg, expected))?;
        if rows.saturating_mul(variables) > 1 << 24 {
            return Err(shape(&lcg, "at most 2^24 draws"));
        }
        let mut states = Vec::with_capacity(rows * variables);
        for _ in 0..rows * variables {
            state = state.wrapping_mul(multiplier).wrapping_add(increment);
            states.push(state);
        }
        let row = |states: &[u64]| states.iter().map(|s| s >> 63 == 1).collect();
        let samples: Vec<Vec<bool>> = states.chunks(variables).map(row).collect();

        let f = protocol.need("f")?;
        let y = values(f.text()?, &samples).ok_or_else(|| {
            shape(&f, "`y_i = sum of `w xA xB` + noise_i ; noise_i = a*(((b*i+c) mod d)/e - g)`")
        })?;
        let columns = protocol.need("columns")?;
        let said = columns.text()?;
        let degree = || {
            let list = said.split_once("then degree ")?.1;
            let end = list.find(|c: char| !c.is_ascii_digit() && c != ',')?;
            list[..end].split(',').next_back()?.parse().ok()
        };
        let degree =
            degree().ok_or_else(|| shape(&columns, "`then degree 1,2,…` up to the largest"))?;
        let count =
            after(said, "").ok_or_else(|| shape(&columns, "the number of columns first"))?;
        let selection = protocol.need("selection")?;
        let features = after(selection.text()?, "top ")
            .ok_or_else(|| shape(&selection, "`top` and a number"))?;
        Ok(Self { samples, states, y, variables, degree, columns: count, features })
    }
}

/// f at every sample, summed in the order of the text.
fn values(text: &str, samples: &[Vec<bool>]) -> Option<Vec<f64>> {
    let (sum, noise) = match text.split_once(';') {
        Some((sum, noise)) => (sum, Some(noise)),
        None => (text, None),
    };
    let (polynomial, noisy) = polynomial(sum.split_once('=')?.1)?;
    let width = samples.iter().map(Vec::len).min().unwrap_or(0);
    if polynomial.terms.iter().flat_map(|term| &term.monomial).any(|v| *v >= width) {
        return None;
    }
    let noise = if noisy {
        // Only the part before the range of i.
        let formula = noise?.split_once('=')?.1.split(',').next()?;
        let [size, slope, offset, modulus, scale, shift] = numbers(formula)?.try_into().ok()?;
        Some(move |i: usize| {
            size * ((slope * i as f64 + offset).rem_euclid(modulus) / scale - shift)
        })
    } else {
        None
    };
    let value = |(i, row): (usize, &Vec<bool>)| {
        let exact = polynomial.value(row);
        noise.as_ref().map_or(exact, |noise| exact + noise(i))
    };
    Some(samples.iter().enumerate().map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_read_in_more_than_one_spelling() {
        let samples = vec![vec![false, true, false], vec![true, true, false]];
        let plain =
            "y_i = 0.25 + 2.0 x0 x1 - 1.0 x2 + noise_i ; noise_i = 0.05*(((3*i+1) mod 7)/2 - 1), i";
        let expected = values(plain, &samples).unwrap();
        assert_eq!(expected, [-2.75 - 0.025, 1.25 + 0.05]);
        for (from, to) in [
            ("2.0 x0 x1", "2.0*x0*x1"),
            ("2.0 x0 x1", "2*x_0 x_1"),
            ("- 1.0 x2", "- x2"),
            ("- 1.0 x2", "-1.0*x2"),
            ("0.05*", "5e-2*"),
            ("0.05*", "5E-02 * "),
        ] {
            let other = plain.replace(from, to);
            assert_eq!(values(&other, &samples).as_ref(), Some(&expected), "{other}");
        }
        for other in ["y = 2.0 z0", "y = 2.0 x9", "2.0 x0"] {
            assert!(values(other, &samples).is_none(), "{other}");
        }
    }
}
