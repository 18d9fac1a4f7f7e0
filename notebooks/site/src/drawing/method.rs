//! The methods of a figure: named and drawn as in the notebooks.

use figures::style;

/// A method in a figure.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name in the artifacts.
    pub id: String,
    /// Its name in legends.
    pub name: String,
    /// The index of its style.
    pub look: usize,
}

impl Method {
    /// The class of its lines.
    #[must_use]
    pub fn line(&self) -> String {
        format!("line s{}", self.look)
    }

    /// The class of its bands.
    #[must_use]
    pub fn band(&self) -> String {
        format!("band s{}", self.look)
    }

    /// Its style, drawn in 28 by 14: a piece of its line with its mark.
    #[must_use]
    pub fn sample(&self) -> String {
        let line = format!("<path class=\"{}\" d=\"M0,7 H28\"/>", self.line());
        line + &figures::mark(self.look, (14.0, 7.0))
    }
}

/// These methods, each once, in the order of legends.
pub fn methods<'a>(ids: impl IntoIterator<Item = &'a String>) -> Vec<Method> {
    let mut ids: Vec<&String> = ids.into_iter().collect();
    ids.sort_by_key(|id| (style::rank(id), *id));
    ids.dedup();
    let method = |(position, id): (usize, &String)| Method {
        id: id.clone(),
        name: style::label(id),
        look: style::of(id, position),
    };
    ids.into_iter().enumerate().map(method).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_method_keeps_its_look_whatever_stands_beside_it() {
        let ids = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let (few, many) = (ids(&["toy", "smbo"]), ids(&["random", "aaa", "smbo", "smbo"]));
        let (few, many) = (methods(&few), methods(&many));
        assert_eq!(few[0].name, "SMBO (GP, EI)");
        assert_eq!((&few[0].id, few[0].look), (&many[0].id, many[0].look));
        let all: Vec<&str> = many.iter().map(|method| method.id.as_str()).collect();
        assert_eq!(all, ["smbo", "random", "aaa"]);
        assert!(
            few[0].sample().contains("class=\"line s4\"") && few[0].sample().contains("mark s4")
        );
    }
}
