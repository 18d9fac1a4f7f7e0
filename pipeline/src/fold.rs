//! Folds sweeps for people, so that thousands of stages stay readable: `hoag/digits/grid/split=3` and its siblings
//! become `hoag/digits/grid/split=*`; and arranges the resulting blocks in layers.

use std::collections::BTreeSet;

/// The name with the value of every `key=value` part replaced by `*`.
///
/// ```
/// assert_eq!(pipeline::fold::folded("hoag/digits/grid/split=3"), "hoag/digits/grid/split=*");
/// ```
#[must_use]
pub fn folded(name: &str) -> String {
    let part = |part: &str| match part.split_once('=') {
        Some((key, _)) => format!("{key}=*"),
        None => part.to_owned(),
    };
    name.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// From, to: the numbers of two blocks.
pub type Arrow = (usize, usize);

/// Blocks in layers, with what is read to the left of what reads it. Folding may create a cycle, for example when a
/// search proceeds in rounds: an arrow that would close a cycle is left out, so that there is a first layer.
pub struct Layers {
    /// The layer of each block, from 0.
    pub of: Vec<usize>,
    /// The arrows that lead to a later layer.
    pub arrows: BTreeSet<Arrow>,
    /// The same arrows, by block.
    out: Vec<Vec<usize>>,
}

impl Layers {
    /// Arranges `blocks` blocks in layers. The last arrow of a cycle, in the order of the block numbers, is left out:
    /// if the blocks are numbered in the order in which their first stages run, that is the arrow that leads back.
    #[must_use]
    pub fn new(blocks: usize, arrows: &BTreeSet<Arrow>) -> Self {
        let mut layers =
            Self { of: vec![0; blocks], arrows: BTreeSet::new(), out: vec![Vec::new(); blocks] };
        for &(from, to) in arrows {
            if !layers.reaches(to, from) {
                layers.out[from].push(to);
                layers.arrows.insert((from, to));
            }
        }
        let mut moved = true;
        while moved {
            moved = false;
            for &(from, to) in &layers.arrows {
                if layers.of[to] <= layers.of[from] {
                    layers.of[to] = layers.of[from] + 1;
                    moved = true;
                }
            }
        }
        layers
    }

    /// The arrows that no path over other blocks implies: the others only obscure these in a picture.
    #[must_use]
    pub fn reduced(&self) -> BTreeSet<Arrow> {
        let implied = |&&(from, to): &&Arrow| {
            self.out[from].iter().any(|via| *via != to && self.reaches(*via, to))
        };
        self.arrows.iter().filter(|arrow| !implied(arrow)).copied().collect()
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let (mut seen, mut open) = (vec![false; self.out.len()], vec![from]);
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&self.out[at]);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_folded_into_a_circle_take_one_layer_each_kind() {
        // data → train → suggest → train …, and claims that read both.
        let layers = Layers::new(4, &BTreeSet::from([(0, 1), (1, 2), (2, 1), (1, 3), (2, 3)]));
        assert_eq!(layers.of, [0, 1, 2, 3]);
        assert_eq!(layers.arrows, BTreeSet::from([(0, 1), (1, 2), (1, 3), (2, 3)]));
        assert_eq!(layers.reduced(), BTreeSet::from([(0, 1), (1, 2), (2, 3)]));
    }

    #[test]
    fn only_values_are_folded() {
        assert_eq!(folded("toy/a/split=3/x@y"), "toy/a/split=*/x@y");
    }
}
