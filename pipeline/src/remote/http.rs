//! A shelf that is a folder on a web server, read with `curl`. It is read-only, and anyone may read it.

use std::process::{Command, Output};

use super::Shelf;
use crate::error::{Error, Exit, Result};

/// A folder on a web server.
pub(super) struct Http {
    base: String,
}

impl Http {
    /// The folder at `url`, which begins with `https://` or `http://`.
    pub(super) fn new(url: &str) -> Self {
        Self { base: url.trim_end_matches('/').to_owned() }
    }

    /// The server's answer; `None` if it has no file of this name.
    fn ask(&self, name: &str, flags: &[&str]) -> Result<Option<Output>> {
        let url = format!("{}/{name}", self.base);
        let refused = |why: &str| {
            Error::new(Exit::Store, format!("{url} cannot be read: {why}"))
                .help("look at the address given to --remote, and at the network")
        };
        // The status goes to standard error, since the file goes to standard output.
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--location", "--max-redirs", "5"])
            .args(["--proto", "=http,https", "--connect-timeout", "20"])
            .args(["--write-out", "%{stderr}\n%{http_code}"])
            .args(flags)
            .arg("--url")
            .arg(&url);
        let output = curl.output().map_err(|e| refused(&format!("curl: {e}")))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match said.lines().last().unwrap_or_default() {
            "200" if output.status.success() => Ok(Some(output)),
            "404" | "410" => Ok(None),
            status => {
                let why = said.lines().find(|line| line.starts_with("curl:"));
                Err(refused(why.unwrap_or(&format!("the server answers with status {status}"))))
            }
        }
    }
}

impl Shelf for Http {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.ask(name, &[])?.map(|answer| answer.stdout))
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        let Some(answer) = self.ask(name, &["--head"])? else { return Ok(None) };
        // After redirections there are several headers; the last is the file's.
        let head = String::from_utf8_lossy(&answer.stdout).into_owned();
        let length = head.lines().rev().find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        length.map(Some).ok_or_else(|| {
            Error::new(Exit::Store, format!("{}/{name}: the server tells no length", self.base))
        })
    }

    fn put(&self, name: &str, _: Vec<u8>) -> Result<()> {
        Err(Error::new(Exit::Store, format!("{}/{name} is only read", self.base)))
    }

    fn is_read_only(&self) -> bool {
        true
    }
}
