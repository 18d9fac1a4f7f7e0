//! Watches the attempts on the cluster: endings in the folder, and the cluster's queue for those that will leave
//! none.

use std::{
    sync::mpsc::{TryRecvError, channel},
    time::{Duration, Instant},
};

use super::{
    Slurm,
    commands::{self, View},
    folder::Outcome,
};
use crate::{
    event::Event,
    run::{
        job::{Ending, Job},
        message::Message,
    },
    store::Produced,
};

impl Slurm {
    /// Collects the endings that have arrived.
    pub(super) fn look(&mut self) {
        self.looked = Instant::now();
        for name in self.folder.ended() {
            let Some(flight) = self.flights.get_mut(&name) else { continue };
            if std::mem::replace(&mut flight.over, true) {
                continue;
            }
            let (token, job) = (flight.token, flight.job.clone());
            match self.folder.take(&name) {
                Ok(Outcome { ending, dir }) => {
                    drop(self.collector.send((token, Job { dir, ..job }, ending)));
                }
                Err(e) => self.end(token, Ending::Failed(e.to_string())),
            }
        }
    }

    /// Queries the cluster's queue, on a thread since the answer may take long.
    pub(super) fn poll(&mut self) {
        let answer = if let Some((begun, answer)) = &self.polling {
            match answer.try_recv() {
                Ok(view) => (*begun, view),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.polling = None;
                    return;
                }
            }
        } else {
            let out = self.flights.values().any(|flight| flight.out.is_some() && !flight.over);
            let pause = Duration::from_secs_f64(self.settings.poll_seconds);
            if out && self.polled.elapsed() >= pause {
                self.polled = Instant::now();
                let (sender, receiver) = channel();
                std::thread::spawn(move || drop(sender.send(commands::queue())));
                self.polling = Some((self.polled, receiver));
            }
            return;
        };
        self.polling = None;
        match answer {
            (begun, Ok(view)) => {
                self.silent = false;
                // What ended before that query has left its ending by now.
                self.look();
                self.miss(begun, &view);
            }
            (_, Err(e)) => {
                // Nothing is known, so nothing counts as lost.
                if !std::mem::replace(&mut self.silent, true) {
                    self.say(Event::Cluster { message: format!("{e}; waiting for it") });
                }
            }
        }
    }

    /// Finds attempts whose task is over without an ending.
    fn miss(&mut self, begun: Instant, view: &View) {
        let mut again = Vec::new();
        for (name, flight) in &mut self.flights {
            let Some(verdict) = flight.judge(name, begun, view, &self.folder, &self.settings)
            else {
                continue;
            };
            match verdict {
                Ok(why) => again.push((name.clone(), flight.job.name.clone(), why)),
                Err(why) => {
                    flight.over = true;
                    let ended = (Ending::Failed(why), Produced::default());
                    drop(self.site.sender.send(Message::Ended(flight.token, Ok(ended))));
                }
            }
        }
        for (name, stage, why) in again {
            self.say(Event::Cluster { message: format!("{stage} goes out again: {why}") });
            self.wait(name);
        }
    }
}
