//! The cost of a training: epochs, and the cost of an epoch of one network relative to another.

use models::neural::residual::Architecture;

/// Multiplications of the convolutions for one image of `size` × `size` pixels of three channels, forward.
/// The linear layer and elementwise operations are left out.
#[must_use]
pub fn multiplications(network: &Architecture, size: usize) -> f64 {
    let [first, second, third] = network.widths.map(|w| w as f64);
    let blocks = network.blocks() as f64;
    let area = |halvings: u32| {
        let side = size >> halvings;
        (side * side) as f64
    };
    let groups = [(first, first, area(0)), (first, second, area(1)), (second, third, area(2))];
    let group = |(before, own, area): (f64, f64, f64)| {
        9.0 * area * (before * own + (2.0 * blocks - 1.0) * own * own)
    };
    9.0 * area(0) * 3.0 * first + groups.into_iter().map(group).sum::<f64>()
}

/// The cost of an epoch of `one`, in epochs of `unit`.
#[must_use]
pub fn relative(one: &Architecture, unit: &Architecture, size: usize) -> f64 {
    multiplications(one, size) / multiplications(unit, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplications_are_those_of_the_layers() {
        let network = |depth| Architecture { depth, widths: [16, 32, 64], classes: 10 };
        // 8 layers at 32: 3→16 at 1024 pixels; 16→16 twice; 16→32, 32→32 at 256; 32→64, 64→64 at 64.
        let pairs = [(1024, 3 * 16), (1024, 2 * 256), (256, 512 + 1024), (64, 2048 + 4096)];
        let by_hand: i32 = pairs.iter().map(|(area, products)| 9 * area * products).sum();
        assert_eq!(multiplications(&network(8), 32), f64::from(by_hand));
        // Sixteen more blocks in each group cost the same each; published: 0.125e9 for 56 layers.
        let whole = multiplications(&network(56), 32);
        assert!((1.24e8..1.26e8).contains(&whole), "{whole}");
        let share = relative(&network(8), &network(56), 32);
        assert!((0.09..0.11).contains(&share), "{share}");
    }
}
