//! A child process that answers lines with lines, within a limit of time.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use crate::{
    error::{Error, Result, Words},
    message::{LONGEST, Reply, Request, cut},
};

/// Lines of standard error that are kept, each cut.
const WORDS: usize = 10;

/// A started optimiser.
pub struct Process {
    child: Child,
    /// None once it was told to stop.
    input: Option<ChildStdin>,
    /// Its answers, each a line without its end; longer ones are cut where they become too long.
    answers: Receiver<Vec<u8>>,
    words: Arc<Mutex<VecDeque<String>>>,
    limit: Duration,
}

impl Process {
    /// Starts `command`, which gets so long for each answer.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, limit: Duration) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().map_err(|source| Error::Start { program, source })?;
        let input = child.stdin.take();
        let (sender, answers) = sync_channel(1);
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                // Ends with the pipe, or when nobody listens any more.
                while let Some(line) = line(&mut output) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(errors) = child.stderr.take() {
            let kept = Arc::clone(&words);
            thread::spawn(move || {
                let mut errors = BufReader::new(errors);
                while let Some(line) = line(&mut errors) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    if kept.len() == WORDS {
                        kept.pop_front();
                    }
                    kept.push_back(cut(&String::from_utf8_lossy(&line)));
                }
            });
        }
        Ok(Self { child, input, answers, words, limit })
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// When the process ends, the answer is late or is none of the protocol, or the optimiser refuses.
    pub fn ask(&mut self, request: &Request<'_>) -> Result<Reply> {
        let name = request.name();
        // Where the pipe is closed, the process has ended or is about to: what it said before counts.
        let sent = self.send(request);
        let line = match self.answers.recv_timeout(self.limit) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) if sent.is_ok() => {
                return Err(Error::Late { request: name, limit: self.limit, words: self.end() });
            }
            Err(_) => {
                let words = self.end();
                let status = match self.child.wait() {
                    Ok(status) => status.to_string(),
                    Err(error) => error.to_string(),
                };
                return Err(Error::Ended { status, request: name, words });
            }
        };
        match Reply::parse(&line) {
            Ok(Reply::Error { message }) => {
                Err(Error::Refused { request: name, message: cut(&message), words: self.end() })
            }
            Ok(reply) => Ok(reply),
            Err(what) => Err(self.wrong(name, what, &String::from_utf8_lossy(&line))),
        }
    }

    /// The error for an answer that is well formed and out of place; the process is ended.
    pub fn wrong(&mut self, request: &'static str, what: String, line: &str) -> Error {
        Error::Answer { request, what, line: cut(line), words: self.end() }
    }

    fn send(&mut self, request: &Request<'_>) -> std::io::Result<()> {
        let Some(input) = &mut self.input else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        input.write_all(&line)?;
        input.flush()
    }

    /// Ends the process where it has not ended itself, and gives its last words.
    fn end(&mut self) -> Words {
        self.input = None;
        // What it writes as it ends is worth a moment.
        for _ in 0..20 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        drop(self.child.kill()); // it may have ended
        drop(self.child.wait());
        thread::sleep(Duration::from_millis(5)); // for the thread that reads its words
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        Words(words.iter().map(String::as_str).collect::<Vec<_>>().join("\n"))
    }
}

impl Drop for Process {
    /// Says `stop`, gives the process a moment, and ends it.
    fn drop(&mut self) {
        drop(self.send(&Request::Stop)); // it may have ended
        self.end();
    }
}

/// The next line without its end, of at most [`LONGEST`] + 1 bytes; what is longer is skipped to its end.
fn line(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    from.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line).ok()?;
    match line.last()? {
        b'\n' => drop(line.pop()),
        _ if line.len() > LONGEST => skip(from)?,
        _ => {}
    }
    Some(line)
}

/// Reads on to the end of the line, without keeping it.
fn skip(from: &mut impl BufRead) -> Option<()> {
    loop {
        let buffer = from.fill_buf().ok()?;
        if buffer.is_empty() {
            return Some(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let read = end.map_or(buffer.len(), |at| at + 1);
        from.consume(read);
        if end.is_some() {
            return Some(());
        }
    }
}
