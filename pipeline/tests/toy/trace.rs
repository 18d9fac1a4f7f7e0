//! Who computes what, and when: two lines a computation in the file that `TOY_TRACE` names. It lies
//! outside the store, so that tests need not believe the engine about itself. While there is a file
//! of that name with `.hold` added, computations neither begin nor end.

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

    /// One write a line: lines of several processes never mix.
    fn write(&self, what: &str) {
        let Some(path) = env::var_os("TOY_TRACE").map(PathBuf::from) else { return };
        while path.with_extension("hold").exists() {
            sleep(Duration::from_millis(1));
        }
        let file = OpenOptions::new().append(true).create(true).open(path);
        // A confined stage must not write there; who needs the trace notices that it is missing.
        drop(file.and_then(|mut file| file.write_all(format!("{what} {}", self.0).as_bytes())));
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.write("end");
    }
}
