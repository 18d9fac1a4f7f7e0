//! Colours: red, green and blue to hue, saturation and value and back, and changes of the colours of a whole
//! image. All numbers are shares in \[0, 1\]; an image is three planes of one size, red, green and blue, one
//! after another.

/// Perceived brightness of a colour: the luma of ITU-R BT.601, which Pillow uses for grey.
pub fn grey([r, g, b]: [f32; 3]) -> f32 {
    0.299 * r + 0.587 * g + 0.114 * b
}

/// Hue (a share of the circle, red at 0, green at 1/3), saturation and value. Greys have hue 0.
pub fn to_hsv([r, g, b]: [f32; 3]) -> [f32; 3] {
    let value = r.max(g).max(b);
    let spread = value - r.min(g).min(b);
    if spread <= 0.0 {
        return [0.0, 0.0, value];
    }
    let sixths = if value == r {
        (g - b) / spread
    } else if value == g {
        2.0 + (b - r) / spread
    } else {
        4.0 + (r - g) / spread
    };
    let hue = if sixths < 0.0 { sixths + 6.0 } else { sixths } / 6.0;
    [hue, spread / value, value]
}

/// Red, green and blue of a hue in \[0, 1\], a saturation and a value. Along the circle of hues each channel
/// rises, stays constant, falls and stays constant.
pub fn from_hsv([hue, saturation, value]: [f32; 3]) -> [f32; 3] {
    let at = 6.0 * hue;
    let pure = [(at - 3.0).abs() - 1.0, 2.0 - (at - 2.0).abs(), 2.0 - (at - 4.0).abs()];
    pure.map(|pure| value * (1.0 - saturation * (1.0 - pure.clamp(0.0, 1.0))))
}

/// Rotates all hues by a share of the circle in \[−1, 1\].
pub(super) fn turn(image: &mut [f32], by: f32) {
    each(image, |rgb| {
        let [hue, saturation, value] = to_hsv(rgb);
        let turned = hue + by;
        let within = if turned < 0.0 {
            turned + 1.0
        } else if turned > 1.0 {
            turned - 1.0
        } else {
            turned
        };
        from_hsv([within, saturation, value])
    });
}

/// Multiplies distances from black.
pub(super) fn brighten(image: &mut [f32], by: f32) {
    for value in image {
        *value = (*value * by).clamp(0.0, 1.0);
    }
}

/// Multiplies distances from the mean grey of the image.
pub(super) fn contrast(image: &mut [f32], by: f32) {
    let mut sum = 0.0;
    each(image, |rgb| {
        sum += f64::from(grey(rgb));
        rgb
    });
    let mean = (sum / (image.len() / 3) as f64) as f32;
    for value in image {
        *value = blend(*value, mean, by);
    }
}

/// Multiplies the distances of each pixel from its own grey.
pub(super) fn saturate(image: &mut [f32], by: f32) {
    each(image, |rgb| {
        let grey = grey(rgb);
        rgb.map(|value| blend(value, grey, by))
    });
}

fn blend(value: f32, base: f32, by: f32) -> f32 {
    (by * value + (1.0 - by) * base).clamp(0.0, 1.0)
}

/// Replaces every pixel.
fn each(image: &mut [f32], mut change: impl FnMut([f32; 3]) -> [f32; 3]) {
    let plane = image.len() / 3;
    let (red, others) = image.split_at_mut(plane);
    let (green, blue) = others.split_at_mut(plane);
    for ((r, g), b) in red.iter_mut().zip(green).zip(blue) {
        [*r, *g, *b] = change([*r, *g, *b]);
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// The rounding error of a few operations in single precision on numbers up to 6.
    const CLOSE: f32 = 2e-6;

    fn close(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < CLOSE)
    }

    /// Colours of all sectors of the circle, their edges and greys among them.
    fn colours() -> Vec<[f32; 3]> {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut colours: Vec<[f32; 3]> = (0..500).map(|_| rng.random()).collect();
        let level = |i: usize| (i % 5) as f32 / 4.0;
        colours.extend((0..125).map(|i| [level(i), level(i / 5), level(i / 25)]));
        colours
    }

    #[test]
    fn hues_are_those_of_an_independent_conversion() {
        // By `colorsys.rgb_to_hsv` of Python's standard library.
        let known = [
            ([1.0, 0.0, 0.0], [0.0, 1.0, 1.0]),
            ([1.0, 1.0, 0.0], [1.0 / 6.0, 1.0, 1.0]),
            ([0.0, 1.0, 0.0], [1.0 / 3.0, 1.0, 1.0]),
            ([0.0, 0.0, 1.0], [2.0 / 3.0, 1.0, 1.0]),
            ([1.0, 0.0, 1.0], [5.0 / 6.0, 1.0, 1.0]),
            ([0.2, 0.4, 0.4], [0.5, 0.5, 0.4]),
            ([0.9, 0.3, 0.4], [0.972_222_2, 0.666_666_7, 0.9]),
            ([0.25, 0.7, 0.1], [0.291_666_7, 0.857_142_9, 0.7]),
            ([0.35, 0.15, 0.8], [0.717_948_7, 0.8125, 0.8]),
            ([0.5, 0.5, 0.5], [0.0, 0.0, 0.5]),
            ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ];
        for (rgb, hsv) in known {
            assert!(close(to_hsv(rgb), hsv), "{rgb:?}: {:?}, not {hsv:?}", to_hsv(rgb));
            assert!(close(from_hsv(hsv), rgb), "{hsv:?}: {:?}, not {rgb:?}", from_hsv(hsv));
        }
    }

    #[test]
    fn there_and_back_is_the_same_colour() {
        for rgb in colours() {
            let hsv = to_hsv(rgb);
            assert!(hsv.iter().all(|share| (0.0..=1.0).contains(share)), "{hsv:?}");
            assert!(close(from_hsv(hsv), rgb), "{rgb:?}: {:?}", from_hsv(hsv));
        }
        assert!(close(from_hsv([1.0, 0.5, 0.8]), from_hsv([0.0, 0.5, 0.8])));
    }

    #[test]
    fn a_third_of_the_circle_moves_each_channel_to_the_next() {
        for [r, g, b] in colours() {
            for (by, expected) in [(1.0 / 3.0, [b, r, g]), (-1.0 / 3.0, [g, b, r])] {
                let mut image = [r, g, b];
                turn(&mut image, by);
                assert!(close(image, expected), "{:?} by {by}: {image:?}", [r, g, b]);
            }
            let mut image = [r, g, b];
            turn(&mut image, 0.5);
            turn(&mut image, -0.5);
            assert!(close(image, [r, g, b]));
        }
    }

    #[test]
    fn changes_are_what_a_hand_computes() {
        // Two pixels, (0.4, 0.2, 0.6) and (0.8, 0.6, 1.0): greys 0.3054 and 0.7054.
        let image = [0.4, 0.8, 0.2, 0.6, 0.6, 1.0];
        let after = |change: fn(&mut [f32], f32), by: f32| {
            let mut image = image;
            change(&mut image, by);
            image
        };
        let like = |a: [f32; 6], b: [f32; 6]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < CLOSE);
        assert!(like(after(brighten, 1.5), [0.6, 1.0, 0.3, 0.9, 0.9, 1.0]));
        assert!(like(after(brighten, 0.5), [0.2, 0.4, 0.1, 0.3, 0.3, 0.5]));
        // Around the mean grey of 0.5054.
        let halved = [0.4527, 0.6527, 0.3527, 0.5527, 0.5527, 0.7527];
        assert!(like(after(contrast, 0.5), halved));
        let doubled = [0.2946, 1.0, 0.0, 0.6946, 0.6946, 1.0];
        assert!(like(after(contrast, 2.0), doubled));
        let halved = [0.3527, 0.7527, 0.2527, 0.6527, 0.4527, 0.8527];
        assert!(like(after(saturate, 0.5), halved));
        let none = [0.3054, 0.7054, 0.3054, 0.7054, 0.3054, 0.7054];
        assert!(like(after(saturate, 0.0), none));
    }
}
