//! HTML in the form of the kernel's display protocol.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};

use crate::{error::Result, raster::Raster};

/// A piece of HTML that a cell shows when it is the cell's last expression.
#[derive(Debug, Clone)]
pub struct Html(pub String);

impl Html {
    /// The same, collapsed under `summary`.
    #[must_use]
    pub fn folded(self, summary: &str) -> Self {
        let (summary, own) = (escape(summary), self.0);
        Self(format!("<details><summary>{summary}</summary>{own}</details>"))
    }

    /// This followed by `other`. A notice at the end of this is not repeated.
    #[must_use]
    pub fn then(self, other: &Self) -> Self {
        let notice = other.0.starts_with("<div class=\"absent\">");
        if notice && self.0.ends_with(&other.0) { self } else { Self(self.0 + &other.0) }
    }

    /// Called by the kernel for the value of a cell.
    pub fn evcxr_display(&self) {
        // A closed pipe means that the kernel is gone, so that the error is ignored.
        let _ = writeln!(
            std::io::stdout().lock(),
            "EVCXR_BEGIN_CONTENT text/html\n{}\nEVCXR_END_CONTENT",
            self.0
        );
    }
}

// Figures and the site have a different `number`: there a number has typographic signs, here it is plain text
// that can be copied.
pub use figures::words::{escape, interval, number};

/// An image element for `svg`. It shows pixels, which look the same everywhere and are shown where a
/// notebook's SVG is not; `data-page` holds the drawing, by which `scripts/notebook.py` replaces the pixels
/// on a page, also as an image, so that its ids and styles cannot collide with those of the page.
///
/// # Errors
/// If `svg` is not a drawing.
pub fn image(svg: &str, alt: &str) -> Result<String> {
    let drawing = BASE64.encode(svg);
    let page = format!(
        r#"<img alt="{}" src="data:image/svg+xml;base64,{drawing}" style="max-width:100%;height:auto">"#,
        escape(alt)
    );
    figure(svg, &page, alt)
}

/// An image element with the pixels of `svg`, which `scripts/notebook.py` replaces by `page` on a page.
///
/// # Errors
/// If `svg` is not a drawing.
pub(crate) fn figure(svg: &str, page: &str, alt: &str) -> Result<String> {
    let Raster { width, height, png } = Raster::of(svg)?;
    let [page, png] = [page.as_bytes(), &png].map(|data| BASE64.encode(data));
    Ok(format!(
        r#"<img alt="{}" src="data:image/png;base64,{png}" width="{width}" height="{height}" style="max-width:100%;height:auto" data-page="{page}">"#,
        escape(alt)
    ))
}

/// The line under a table or figure that names the artifact.
#[must_use]
pub fn provenance(stage: &str, key: &str) -> String {
    if key.is_empty() {
        return format!(r#"<small class="key">{}</small>"#, escape(stage));
    }
    let short: String = key.chars().take(16).collect();
    format!(
        r#"<small class="key">artifact {} · key <code title="{}">{}</code></small>"#,
        escape(stage),
        escape(key),
        escape(&short)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_shows_pixels_and_holds_the_drawing() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>"#;
        let image = image(svg, "a \"toy\"").unwrap();
        assert!(image.contains(r#"alt="a &quot;toy&quot;" src="data:image/png;base64,"#));
        assert!(image.contains(r#" width="30" height="20" "#));
        let page = image.split("data-page=\"").nth(1).unwrap().split('"').next().unwrap();
        let page = String::from_utf8(BASE64.decode(page).unwrap()).unwrap();
        let drawing = format!("src=\"data:image/svg+xml;base64,{}\"", BASE64.encode(svg));
        assert!(page.contains(&drawing) && page.contains("a &quot;toy&quot;"), "{page}");
    }
}
