//! What a run gets from a remote and gives to it, on threads of its own. If the remote cannot be reached, the run
//! warns once and does not use it again: it computes everything itself.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use super::message::{Fetched, Message};
use crate::{
    digest::Digest,
    error::Error,
    event::Event,
    graph::Node,
    remote::{Pulled, Remote},
    stage::Output,
    store::{Store, record::Record},
};

/// Threads that wait for the remote in parallel.
const THREADS: usize = 8;

/// The exchange with a remote.
pub(super) struct Exchange {
    orders: Option<Sender<Order>>,
    threads: Vec<JoinHandle<()>>,
    stopped: Arc<AtomicBool>,
    remote: Arc<Remote>,
    /// Results that the remote has in an invalid form: these are replaced.
    unsound: Arc<Mutex<Vec<Digest>>>,
    refused: Arc<Mutex<Refused>>,
}

/// How many results were refused because nobody who is trusted has signed them, by who has.
type Refused = BTreeMap<String, usize>;

enum Order {
    Pull { token: usize, key: Digest, name: String, outputs: &'static [Output], dir: PathBuf },
    Push(Box<Record>),
}

/// What the threads share.
struct Shared {
    remote: Arc<Remote>,
    store: Arc<Store>,
    sender: Sender<Message>,
    orders: Mutex<Receiver<Order>>,
    stopped: Arc<AtomicBool>,
    unsound: Arc<Mutex<Vec<Digest>>>,
    refused: Arc<Mutex<Refused>>,
}

impl Exchange {
    pub(super) fn new(remote: Arc<Remote>, store: Arc<Store>, sender: Sender<Message>) -> Self {
        remote.cancel(false);
        let (send, orders) = channel();
        let (stopped, unsound) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let refused: Arc<Mutex<Refused>> = Arc::default();
        let own = Arc::clone(&remote);
        let shared = Arc::new(Shared {
            remote,
            store,
            sender,
            orders: Mutex::new(orders),
            stopped: Arc::clone(&stopped),
            unsound: Arc::clone(&unsound),
            refused: Arc::clone(&refused),
        });
        let start = |_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.serve())
        };
        let threads = (0..THREADS).map(start).collect();
        Self { orders: Some(send), threads, stopped, remote: own, unsound, refused }
    }

    /// Asks for the result of a key; the answer comes as a message.
    pub(super) fn pull(
        &self,
        token: usize,
        key: Digest,
        name: &str,
        outputs: &'static [Output],
        dir: PathBuf,
    ) {
        self.order(Order::Pull { token, key, name: name.to_owned(), outputs, dir });
    }

    /// Pushes a result.
    pub(super) fn push(&self, record: Record) {
        self.order(Order::Push(Box::new(record)));
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            drop(orders.send(order)); // the threads live as long as this end
        }
    }

    /// Pushes nothing more, and waits for nothing.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.remote.cancel(true);
    }

    /// Whether a stage's result may come from the remote.
    pub(super) fn may_have(&self, node: &Node) -> bool {
        self.remote.may_give(node)
    }

    /// Waits until everything is pushed, and reports what was refused. Results that the remote had in an invalid form
    /// and that were not computed again stay as they are.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.orders = None;
        for thread in self.threads.drain(..) {
            drop(thread.join()); // one that panicked has reported it
        }
        lock(&self.unsound).clear();
        let refused = std::mem::take(&mut *lock(&self.refused));
        let all: usize = refused.values().sum();
        let parts: Vec<_> = refused.iter().map(|(whose, n)| format!("{n} {whose}")).collect();
        let parts = parts.join(", ");
        (all > 0)
            .then(|| format!("{all} results of the remote were refused, as if absent: {parts}"))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn serve(&self) {
        loop {
            let order = lock(&self.orders).recv();
            match order {
                Err(_) => return,
                Ok(Order::Pull { token, key, name, outputs, dir }) => {
                    // In a separate folder: a result that turns out to be unusable must not be where a stage writes.
                    let dir = dir.join("pulled");
                    let fetched = self.pull(key, &name, outputs, &dir);
                    drop(self.sender.send(Message::Fetched(token, fetched)));
                }
                Ok(Order::Push(record)) => self.push(&record),
            }
        }
    }

    fn pull(&self, key: Digest, name: &str, outputs: &[Output], dir: &std::path::Path) -> Fetched {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        match self.remote.pull(&self.store, key, name, outputs, dir) {
            Ok(Pulled::Here(record, produced)) => Some((record, produced)),
            Ok(Pulled::Absent) => None,
            Ok(Pulled::Unsound(why)) => {
                lock(&self.unsound).push(key);
                self.warn(format!("{why}; it is computed here"));
                None
            }
            Ok(Pulled::Untrusted(whose)) => {
                lock(&self.unsound).push(key);
                *lock(&self.refused).entry(whose).or_default() += 1;
                None
            }
            Err(e) => {
                self.lose(&e);
                None
            }
        }
    }

    fn push(&self, record: &Record) {
        let unsound = lock(&self.unsound);
        let replace = unsound.contains(&record.key);
        drop(unsound);
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        if let Err(e) = self.remote.push(&self.store, record, replace) {
            self.lose(&e);
        }
    }

    /// Stops using the remote from now on; the listener hears it once.
    fn lose(&self, error: &Error) {
        if !self.stopped.swap(true, Ordering::Relaxed) {
            self.warn(format!("{error}; this run goes on without it"));
        }
    }

    fn warn(&self, message: String) {
        drop(self.sender.send(Message::Said(Event::Remote { message })));
    }
}
