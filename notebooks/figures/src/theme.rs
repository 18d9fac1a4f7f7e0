//! The appearance of the classes in drawings: as a part of a page's style sheet, and within a standalone
//! drawing.

/// The colours of drawings by name, each on light and on dark paper. Those of series have a contrast of at
/// least 3.
const COLOURS: &str = include_str!("../assets/colours.css");
/// The rules, which name colours as `var(--NAME)`.
const RULES: &str = include_str!("../assets/figures.css");
/// The layout of the panels and the legend of a figure on a page.
const PLACES: &str = include_str!("../assets/panels.css");

/// The part of a page's style sheet that figures need: colours and rules. A page can override the colours.
#[must_use]
pub fn sheet() -> String {
    [COLOURS, RULES, PLACES].concat()
}

/// The colours: name, on light paper, on dark paper.
fn colours() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> + Clone {
    let declared = COLOURS.split("--").skip(1);
    declared.filter_map(|text| {
        let (name, values) = text.split_once(": light-dark(")?;
        let (light, rest) = values.split_once(", ")?;
        Some((name, light, rest.split_once(')')?.0))
    })
}

/// A finished standalone drawing: with the rules inside, in the colours for light paper.
#[must_use]
pub fn alone(svg: &str) -> String {
    alone_with(svg, "")
}

/// The same with rules of the page's own.
#[must_use]
pub fn alone_with(svg: &str, own: &str) -> String {
    let mut rules = RULES.to_owned() + own;
    for (name, light, _) in colours() {
        rules = rules.replace(&format!("var(--{name})"), light);
    }
    let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    svg.replacen('>', &format!("><style>{rules}</style>"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_that_a_rule_names_is_known_and_a_drawing_alone_needs_none() {
        let alone = alone("<svg class=\"x\"><path/></svg>");
        assert!(alone.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"x\"><style>"));
        assert!(alone.ends_with("</style><path/></svg>"));
        assert!(!alone.contains("var("), "{alone}");
        let sheet = sheet();
        for name in RULES.split("var(--").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(sheet.contains(&format!("--{name}: light-dark(")), "{name}");
        }
    }

    /// The contrast of two colours, \[WCAG 2.2\].
    fn contrast(a: &str, b: &str) -> f64 {
        let linear = |hex: &str| {
            let value = f64::from(u8::from_str_radix(hex, 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let light = |c: &str| {
            0.2126 * linear(&c[1..3]) + 0.7152 * linear(&c[3..5]) + 0.0722 * linear(&c[5..7])
        };
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn series_stand_out_from_both_papers() {
        let (_, light, dark) = colours().find(|(name, ..)| *name == "paper").unwrap();
        let series = colours().filter(|(name, ..)| name.starts_with('s'));
        assert_eq!(series.clone().count(), 9, "eight series and the soft ink");
        for (name, on_light, on_dark) in series {
            assert!(contrast(on_light, light) >= 3.0, "{name}");
            assert!(contrast(on_dark, dark) >= 3.0, "{name}");
        }
    }
}
