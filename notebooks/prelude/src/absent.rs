//! Notices in place of what cannot be shown because a stage cannot be computed here: they name the stage, the
//! reason and the remedy.

use pipeline::absence::{Absence, Cause, causes};

use crate::html::{Html, escape};

/// Number of causes that are shown in full; the others are collapsed.
const TOLD: usize = 3;

/// The notice in place of `what`, which has nothing to show because `causes` are missing. `whole`: there is
/// no result at all, not even one without rows.
#[must_use]
pub(crate) fn notice(what: &str, whole: bool, causes: &[Absence]) -> Html {
    let what = escape(what);
    let said = if whole {
        format!("<b>{what}</b> cannot be shown here, for want of:")
    } else {
        format!("There is nothing to show of <b>{what}</b>, which was computed without:")
    };
    Html(format!("<div class=\"absent\"><p>{said}</p>{}</div>", list(causes)))
}

/// A line for each different reason, with the stage that gave it.
pub(crate) fn list(absences: &[Absence]) -> String {
    let lines: Vec<String> = causes(absences).iter().map(line).collect();
    let (told, folded) = lines.split_at(lines.len().min(TOLD));
    let list = |lines: &[String]| format!("<ul>{}</ul>", lines.concat());
    if folded.is_empty() {
        return list(told);
    }
    let more = folded.len();
    format!("{}<details><summary>and {more} more</summary>{}</details>", list(told), list(folded))
}

/// The stage's message and the remedy; the list of what was tried is collapsed.
fn line(cause: &Cause) -> String {
    let Cause { stage, others, head, remedy, tried } = cause;
    let others = if *others == 0 { String::new() } else { format!(" and {others} more") };
    let remedy = remedy.as_ref().map_or_else(String::new, |text| format!("<br>{}", escape(text)));
    let tried = if tried.is_empty() {
        String::new()
    } else {
        format!("<details><summary>what was tried</summary><pre>{}</pre></details>", escape(tried))
    };
    format!("<li><code>{}</code>{others}: {}{remedy}{tried}</li>", escape(stage), escape(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(stage: &str, why: &str) -> Absence {
        Absence { stage: stage.to_owned(), why: why.to_owned() }
    }

    #[test]
    fn stage_reason_and_remedy_are_told_and_what_was_tried_is_folded() {
        let why = "data set `toy` is unavailable\n  mirror: not <there>\nremedy: get it";
        let html = notice("Figure 1", true, &[cause("toy/data", why)]).0;
        let told =
            "<code>toy/data</code>: data set `toy` is unavailable<br>remedy: get it<details>";
        assert!(html.starts_with("<div class=\"absent\"><p><b>Figure 1</b> cannot"), "{html}");
        assert!(html.contains(told) && html.contains("<pre>  mirror: not &lt;there&gt;"), "{html}");
    }

    #[test]
    fn one_reason_is_told_once_and_many_are_folded() {
        let mut causes = vec![cause("toy/a", "no GPU"), cause("toy/b", "no GPU")];
        let html = notice("x", false, &causes).0;
        assert!(html.contains("<code>toy/a</code> and 1 more: no GPU</li></ul></div>"), "{html}");
        causes.extend((0..5).map(|i| cause("toy/c", &format!("reason {i}"))));
        assert!(notice("x", false, &causes).0.contains("<summary>and 3 more</summary>"));
    }
}
