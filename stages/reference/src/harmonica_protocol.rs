//! Parses the sentences in which a file of sparse recovery describes its samples: a generator of ±1
//! variables, a polynomial with its noise, the basis.

use models::polynomial::sparse_parity::{Polynomial, Term};

use super::{Error, case::Node};

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

/// All unsigned numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    parts.filter_map(|part| part.parse().ok()).collect()
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
    let mut polynomial = Polynomial::default();
    let (mut noisy, mut sign) = (false, 1.0);
    for word in sum.split_once('=')?.1.split_whitespace() {
        if let Some(variable) = word.strip_prefix('x') {
            let variable: usize = variable.parse().ok()?;
            if samples.iter().any(|row| row.len() <= variable) {
                return None;
            }
            polynomial.terms.last_mut()?.monomial.push(variable);
        } else if word.starts_with("noise") {
            noisy = true;
        } else if word == "+" || word == "-" {
            sign = if word == "-" { -1.0 } else { 1.0 };
        } else {
            let weight = sign * word.parse::<f64>().ok()?;
            polynomial.terms.push(Term { monomial: Vec::new(), weight });
        }
    }
    let noise = if noisy {
        // Only the part before the range of i.
        let formula = noise?.split_once('=')?.1.split(',').next()?;
        let [size, slope, offset, modulus, scale, shift] = numbers(formula).try_into().ok()?;
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
