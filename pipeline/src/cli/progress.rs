//! Listeners of the command line: a progress bar on a terminal, JSON events, or silence.

use std::{
    io::{IsTerminal, Write},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::args::LogFormat;
use crate::event::{Event, Listener};

pub(super) fn listener(format: LogFormat) -> Box<dyn Listener> {
    match format {
        LogFormat::Json => Box::new(json),
        LogFormat::Text if std::io::stderr().is_terminal() => Box::new(Bar::default()),
        LogFormat::Text => Box::new(quiet),
    }
}

fn json(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        // A reader that went away is not the run's trouble.
        drop(writeln!(std::io::stdout().lock(), "{line}"));
    }
}

/// Only trouble that someone who watches a log would want to know at once.
fn quiet(event: &Event) {
    if let Some(line) = trouble(event) {
        drop(writeln!(std::io::stderr().lock(), "{line}"));
    }
}

fn trouble(event: &Event) -> Option<String> {
    match event {
        Event::Failed { stage, again: true, .. } => {
            Some(format!("failed, is tried again: {stage}"))
        }
        Event::Failed { stage, .. } => Some(format!("failed: {stage}")),
        Event::Held { stage, by } => Some(format!("waiting for {stage}, which {by} computes")),
        Event::Cluster { message } | Event::Remote { message } => Some(message.clone()),
        _ => None,
    }
}

#[derive(Default)]
struct Bar {
    bar: Option<ProgressBar>,
    eta_s: Option<f64>,
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
            Event::Progress { settled, eta_s, .. } => {
                bar.set_position(*settled as u64);
                self.eta_s = *eta_s;
            }
            other => {
                if let Some(line) = trouble(other) {
                    bar.println(line);
                }
            }
        }
        if let Some(eta) = self.eta_s.and_then(|s| Duration::try_from_secs_f64(s).ok()) {
            bar.set_prefix(format!("ETA {}", indicatif::HumanDuration(eta)));
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
