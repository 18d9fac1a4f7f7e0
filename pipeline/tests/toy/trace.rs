//! Which process computes what, and when: two lines per computation in the file that `TOY_TRACE` names. It is outside
//! the store, so that tests need not rely on what the engine says about itself. While a file of that name with
//! `.hold` appended exists, computations neither begin nor end.

use std::{env, fs::OpenOptions, io::Write, path::PathBuf, process, thread::sleep, time::Duration};

use pipeline::stage::Context;

/// Writes `start NAME PID` when made and `end NAME PID` when dropped.
pub struct Trace(String);

impl Trace {
    pub fn start(cx: &Context) -> Self {
        let trace = Self(format!("{} {}\n", cx.name(), process::id()));
        trace.write("start");
        trace
    }

    /// One write per line, so that lines of several processes are not mixed.
    fn write(&self, what: &str) {
        let Some(path) = env::var_os("TOY_TRACE").map(PathBuf::from) else { return };
        while path.with_extension("hold").exists() {
            sleep(Duration::from_millis(1));
        }
        let file = OpenOptions::new().append(true).create(true).open(path);
        // A confined stage must not write there; tests that need the trace notice that it is missing.
        drop(file.and_then(|mut file| file.write_all(format!("{what} {}", self.0).as_bytes())));
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.write("end");
    }
}
