//! Workers that stay alive. A program that is slow to start serves one stage after another: a thread owns a process,
//! sends it folders of jobs over a socket and waits for its answer. Independent of what the stages are.

use std::{
    io::{Read, Write},
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, net::UnixStream},
    },
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use super::{
    job::{Ending, Job},
    message::Message,
    worker::{self, Gpus},
};
use crate::{
    error::{Error, Result},
    store::Store,
};

/// The workers that wait for a job.
#[derive(Default)]
pub(super) struct Crew(Vec<Hand>);

/// A thread with its process, which starts with the first job and again after it has died.
pub(super) struct Hand {
    post: Post,
    jobs: Sender<(usize, Job)>,
    thread: JoinHandle<()>,
}

/// The properties that a process was started with: another post needs another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Post {
    pub(super) program: PathBuf,
    pub(super) threads: usize,
    pub(super) gpus: Vec<usize>,
}

impl Crew {
    /// A worker for this post.
    pub(super) fn hire(
        &mut self,
        post: Post,
        sender: &Sender<Message>,
        store: &Arc<Store>,
    ) -> Hand {
        if let Some(at) = self.0.iter().position(|hand| hand.post == post) {
            return self.0.swap_remove(at);
        }
        let (jobs, orders) = channel();
        let (own, sender, store) = (post.clone(), sender.clone(), Arc::clone(store));
        // A plain thread, since the kernel ties the process's life to the thread that started it.
        let thread = thread::spawn(move || serve(&own, &orders, &sender, &store));
        Hand { post, jobs, thread }
    }

    /// Takes back a worker that has finished; at most `most` wait, since a waiting process holds memory.
    pub(super) fn take_back(&mut self, hand: Hand, most: usize) {
        self.0.push(hand);
        if self.0.len() > most {
            self.0.remove(0);
        }
    }

    /// Ends the waiting workers and waits until they have ended: nothing outlives a run.
    pub(super) fn dismiss(&mut self) {
        let threads: Vec<_> = self.0.drain(..).map(|hand| hand.thread).collect();
        for thread in threads {
            // A thread that panicked has lost its process, too.
            drop(thread.join());
        }
    }
}

impl Hand {
    /// Gives it a job; the job's end comes as a message.
    pub(super) fn start(&self, token: usize, job: Job) {
        // The thread lives as long as this end of the channel.
        drop(self.jobs.send((token, job)));
    }
}

/// A process and the connection to it.
struct Process {
    child: Child,
    line: UnixStream,
}

impl Process {
    fn start(post: &Post) -> Result<Self> {
        let io = |e: &std::io::Error| Error::io("start a worker of", &post.program, e);
        let (line, theirs) = UnixStream::pair().map_err(|e| io(&e))?;
        let mut command = worker::command(&post.program, post.threads, Gpus::These(&post.gpus));
        command.arg("serve-stages").arg(std::process::id().to_string());
        command.stdin(OwnedFd::from(theirs));
        Ok(Self { child: command.spawn().map_err(|e| io(&e))?, line })
    }

    fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Has the job in `dir` carried out; `None` if the process ended while doing so.
    fn perform(&mut self, dir: &Path) -> Option<()> {
        self.line.write_all(dir.as_os_str().as_bytes()).ok()?;
        self.line.write_all(b"\0").ok()?;
        self.line.read_exact(&mut [0]).ok()
    }
}

fn serve(post: &Post, orders: &Receiver<(usize, Job)>, sender: &Sender<Message>, store: &Store) {
    let mut process = None;
    for (token, job) in orders {
        let ending = attend(post, &mut process, &job, |pid| {
            drop(sender.send(Message::Spawned(token, pid)));
        });
        let result = ending.and_then(|ending| store.collect(&job, ending));
        if sender.send(Message::Ended(token, result)).is_err() {
            break;
        }
    }
    if let Some(Process { mut child, line }) = process {
        // Closing the connection tells it to exit.
        drop(line);
        drop(child.wait());
    }
}

fn attend(
    post: &Post,
    process: &mut Option<Process>,
    job: &Job,
    spawned: impl FnOnce(u32),
) -> Result<Ending> {
    job.save()?;
    let old = process.take().and_then(|mut old| old.alive().then_some(old));
    let mut present = old.map_or_else(|| Process::start(post), Ok)?;
    spawned(present.child.id());
    let status = match present.perform(&job.dir) {
        Some(()) => {
            *process = Some(present);
            ExitStatus::default()
        }
        None => present.child.wait().map_err(|e| Error::io("wait for", &post.program, &e))?,
    };
    Ok(worker::ending(job, status))
}
