//! The table that a run shows on a terminal: its progress, rate, time left, memory and failures, and below that the
//! running stages, longest-running first.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{span::left, trouble};
use crate::{
    cli::Tone,
    event::{Event, Listener},
    machine,
};

/// At most this many running stages have a line; the others are counted.
const LINES: usize = 10;
/// How often the displayed times are updated.
const TICK: Duration = Duration::from_secs(1);
/// The rate of a run that is younger than this means nothing.
const YOUNG: Duration = Duration::from_secs(5);
const HEAD: &str = "{elapsed_precise} {bar:24} {pos} of {len} stages{msg} · {memory} MiB";
const LINE: &str = "  {elapsed:>4}  {wide_msg}";

/// What a run is doing, according to its events.
struct State {
    began: Instant,
    /// Stages and when they started.
    running: BTreeMap<String, Instant>,
    computed: usize,
    failed: usize,
    left: Option<String>,
}

impl State {
    fn new() -> Self {
        let (running, began) = (BTreeMap::new(), Instant::now());
        Self { began, running, computed: 0, failed: 0, left: None }
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Start { stage, .. } => {
                self.running.insert(stage.clone(), Instant::now());
            }
            Event::Done { stage, .. } => {
                self.running.remove(stage);
                self.computed += 1;
            }
            Event::Failed { stage, again, .. } => {
                self.running.remove(stage);
                self.failed += usize::from(!again);
            }
            Event::Unavailable { stage, .. } | Event::Pulled { stage } => {
                self.running.remove(stage);
            }
            Event::Progress { .. } => self.left = left(event),
            _ => {}
        }
    }

    /// The text after the number of stages.
    fn told(&self, age: Duration) -> String {
        let mut text = format!(" · {} running", self.running.len());
        if age >= YOUNG && self.computed > 0 {
            let minute = self.computed as f64 * 60.0 / age.as_secs_f64();
            text += &match minute {
                minute if minute >= 120.0 => format!(" · {:.0} per second", minute / 60.0),
                minute if minute >= 2.0 => format!(" · {minute:.0} per minute"),
                minute => format!(" · {:.0} per hour", minute * 60.0),
            };
        }
        if let Some(left) = &self.left {
            text += &format!(" · {left}");
        }
        if self.failed > 0 {
            text += &format!(" · {}", Tone::Bad.paint(&format!("{} failed", self.failed)));
        }
        text
    }

    /// The running stages, longest-running first, and how many more there are.
    fn longest(&self) -> (Vec<(&str, Instant)>, usize) {
        let mut stages: Vec<_> = self.running.iter().map(|(name, at)| (&**name, *at)).collect();
        stages.sort_by_key(|(_, at)| *at);
        let more = stages.len().saturating_sub(LINES);
        stages.truncate(LINES);
        (stages, more)
    }
}

/// The table, once there is something to do.
#[derive(Default)]
pub(super) struct Live(Option<Shown>);

struct Shown {
    screen: MultiProgress,
    head: ProgressBar,
    lines: Vec<ProgressBar>,
    state: State,
}

fn style(template: &str) -> ProgressStyle {
    // Reading the memory of all processes takes a moment, so only the head does it, once per tick.
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("memory", |_: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            // Formatting into a string does not fail.
            let _ = write!(text, "{}", machine::resident_mib());
        })
}

impl Shown {
    fn new(wanted: usize, fresh: usize) -> Self {
        let screen = MultiProgress::new();
        let head = screen.add(ProgressBar::new(wanted as u64).with_position(fresh as u64));
        head.set_style(style(HEAD));
        head.enable_steady_tick(TICK);
        Self { screen, head, lines: Vec::new(), state: State::new() }
    }

    fn hear(&mut self, event: &Event) {
        self.state.hear(event);
        if let Event::Progress { settled, .. } = event {
            self.head.set_position(*settled as u64);
        }
        if let Some(line) = trouble(event) {
            // A terminal that has gone away must not stop the run.
            drop(self.screen.println(line));
        }
        self.head.set_message(self.state.told(self.state.began.elapsed()));
        self.draw();
    }

    fn draw(&mut self) {
        let (stages, more) = self.state.longest();
        let wanted = stages.len() + usize::from(more > 0);
        while self.lines.len() < wanted {
            let line = self.screen.add(ProgressBar::new_spinner());
            line.set_style(style(LINE));
            line.enable_steady_tick(TICK);
            self.lines.push(line);
        }
        for line in self.lines.drain(wanted..) {
            line.finish_and_clear();
            self.screen.remove(&line);
        }
        for (line, (name, since)) in self.lines.iter().zip(&stages) {
            if line.message() != *name {
                line.set_elapsed(since.elapsed());
                line.set_message((*name).to_owned());
            }
        }
        if let Some(last) = self.lines.last().filter(|_| more > 0) {
            last.set_message(format!("and {more} more"));
        }
    }
}

impl Listener for Live {
    fn hear(&mut self, event: &Event) {
        if let Event::Begin { wanted, fresh } = event
            && wanted > fresh
        {
            self.0 = Some(Shown::new(*wanted, *fresh));
        }
        if let Some(shown) = &mut self.0 {
            shown.hear(event);
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        for line in self.lines.iter().chain([&self.head]) {
            line.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Reason;

    fn start(stage: &str) -> Event {
        Event::Start { stage: stage.to_owned(), why: Reason::New }
    }

    #[test]
    fn it_tells_what_runs_the_rate_the_time_left_and_failures() {
        let mut state = State::new();
        for i in 0..13 {
            state.hear(&start(&format!("x/{i}")));
        }
        state.hear(&Event::Done { stage: "x/0".into(), wall_s: 1.0 });
        let failed = |again| Event::Failed { stage: "x/1".into(), message: String::new(), again };
        state.hear(&failed(true));
        state.hear(&start("x/1"));
        state.hear(&failed(false));
        let (eta_s, between_s) = (Some(300.0), Some((180.0, 600.0)));
        let (settled, wanted, running, unknown) = (2, 13, 11, 0);
        state.hear(&Event::Progress { settled, wanted, running, eta_s, between_s, unknown });
        let told = anstream::adapter::strip_str(&state.told(Duration::from_secs(30))).to_string();
        assert_eq!(told, " · 11 running · 2 per minute · 3 to 10 minutes left · 1 failed");
        let young = state.told(Duration::from_secs(1));
        assert!(!young.contains("per minute"), "{young}");
        let (shown, more) = state.longest();
        assert_eq!((shown[0].0, shown.len(), more), ("x/2", LINES, 1));
    }
}
