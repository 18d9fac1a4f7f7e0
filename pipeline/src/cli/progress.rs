//! Listeners of the command line: a table of what is running on a terminal, a line per minute in a file, or JSON
//! events.

mod live;
mod span;

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use self::{live::Live, span::left};
use super::run_args::LogFormat;
use crate::event::{Event, Listener};

/// The listener of a run; with `plain`, it writes lines on a terminal, too.
pub(super) fn listener(format: LogFormat, plain: bool) -> Box<dyn Listener> {
    match format {
        LogFormat::Json => Box::new(json),
        LogFormat::Text if std::io::stderr().is_terminal() && !plain => Box::new(Live::default()),
        LogFormat::Text => Box::new(Lines { said: Instant::now() }),
    }
}

fn json(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        // A reader that has gone away must not stop the run.
        drop(writeln!(std::io::stdout().lock(), "{line}"));
    }
}

/// How long a log stays silent while nothing goes wrong.
const SILENCE: Duration = Duration::from_mins(1);

/// What a later reader of the log wants to know: problems at once, and the progress now and then.
struct Lines {
    said: Instant,
}

impl Listener for Lines {
    fn hear(&mut self, event: &Event) {
        let line = if let Some(far) = far(event) {
            if self.said.elapsed() < SILENCE {
                return;
            }
            self.said = Instant::now();
            Some(far)
        } else {
            trouble(event)
        };
        if let Some(line) = line {
            drop(writeln!(std::io::stderr().lock(), "{line}"));
        }
    }
}

/// The progress of a run, in words.
fn far(event: &Event) -> Option<String> {
    let Event::Progress { settled, wanted, .. } = event else { return None };
    let left = left(event).filter(|_| settled < wanted);
    let left = left.map(|left| format!(", {left}"));
    Some(format!("{settled} of {wanted} stages{}", left.unwrap_or_default()))
}

fn trouble(event: &Event) -> Option<String> {
    match event {
        Event::Failed { stage, again: true, .. } => {
            Some(format!("failed, is tried again: {stage}"))
        }
        Event::Failed { stage, .. } => Some(format!("failed: {stage}")),
        Event::Held { stage, by } => Some(format!("waiting for {stage}, which {by} computes")),
        Event::Cluster { message } | Event::Remote { message } | Event::Sandbox { message } => {
            Some(message.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_says_how_far_it_is() {
        let event = |seconds: Option<f64>, unknown| Event::Progress {
            settled: 3,
            wanted: 7,
            running: 2,
            eta_s: seconds,
            between_s: seconds.map(|s| (s / 2.0, s * 2.0)),
            unknown,
        };
        assert_eq!(far(&event(None, 4)).unwrap(), "3 of 7 stages, time left not known yet");
        assert_eq!(far(&event(Some(300.0), 0)).unwrap(), "3 of 7 stages, 3 to 10 minutes left");
        assert_eq!(far(&event(Some(300.0), 1)).unwrap(), "3 of 7 stages, at least 3 minutes left");
        assert_eq!(far(&Event::Held { stage: "a".into(), by: "b".into() }), None);
    }
}
