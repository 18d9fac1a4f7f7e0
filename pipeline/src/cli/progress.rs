//! Listeners of the command line: a progress bar on a terminal, a line a minute in a file, or JSON
//! events.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use super::run_args::LogFormat;
use crate::event::{Event, Listener};

pub(super) fn listener(format: LogFormat) -> Box<dyn Listener> {
    match format {
        LogFormat::Json => Box::new(json),
        LogFormat::Text if std::io::stderr().is_terminal() => Box::new(Bar::default()),
        LogFormat::Text => Box::new(Lines { said: Instant::now() }),
    }
}

fn json(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        // A reader that went away is not the run's trouble.
        drop(writeln!(std::io::stdout().lock(), "{line}"));
    }
}

/// How long a log is silent about what goes well.
const SILENCE: Duration = Duration::from_mins(1);

/// What someone who reads a log later would want to know: trouble at once, and now and then how far it is.
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

/// How far a run is, in words.
fn far(event: &Event) -> Option<String> {
    let Event::Progress { settled, wanted, eta_s, unknown, .. } = event else { return None };
    let left = left(*eta_s, *unknown).filter(|_| settled < wanted);
    let left = left.map(|left| format!(", {left}"));
    Some(format!("{settled} of {wanted} stages{}", left.unwrap_or_default()))
}

/// The time left, in words; what is not known is not made up.
fn left(eta_s: Option<f64>, unknown: usize) -> Option<String> {
    let left = match eta_s {
        None if unknown == 0 => return None,
        None => return Some("time left not known yet".to_owned()),
        Some(s) => Duration::try_from_secs_f64(s).ok()?,
    };
    let left = indicatif::HumanDuration(left);
    Some(match unknown {
        0 => format!("about {left} left"),
        _ => format!("at least {left} left"),
    })
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

#[derive(Default)]
struct Bar {
    bar: Option<ProgressBar>,
    left: Option<String>,
    last: String,
}

impl Listener for Bar {
    fn hear(&mut self, event: &Event) {
        if let Event::Begin { wanted, fresh } = event
            && wanted > fresh
        {
            let bar = ProgressBar::new(*wanted as u64).with_position(*fresh as u64);
            let style = ProgressStyle::with_template(
                "{elapsed_precise} {bar:30} {pos}/{len} {prefix} {wide_msg}",
            );
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
            self.bar = Some(bar);
        }
        let Some(bar) = &self.bar else { return };
        match event {
            Event::Start { stage, .. } => self.last.clone_from(stage),
            Event::Progress { settled, eta_s, unknown, .. } => {
                bar.set_position(*settled as u64);
                self.left = left(*eta_s, *unknown);
            }
            other => {
                if let Some(line) = trouble(other) {
                    bar.println(line);
                }
            }
        }
        if let Some(left) = &self.left {
            bar.set_prefix(left.clone());
        }
        bar.set_message(self.last.clone());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_says_how_far_it_is() {
        let event =
            |eta_s, unknown| Event::Progress { settled: 3, wanted: 7, running: 2, eta_s, unknown };
        assert_eq!(far(&event(None, 4)).unwrap(), "3 of 7 stages, time left not known yet");
        assert_eq!(far(&event(Some(125.0), 0)).unwrap(), "3 of 7 stages, about 2 minutes left");
        assert_eq!(far(&event(Some(125.0), 1)).unwrap(), "3 of 7 stages, at least 2 minutes left");
        assert_eq!(far(&Event::Held { stage: "a".into(), by: "b".into() }), None);
    }
}
