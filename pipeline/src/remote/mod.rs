//! Results shared by several stores: pulled instead of computed, pushed when computed. A remote is a shelf of named
//! blobs; its content is used only after it was checked. Its layout:
//!
//! ```text
//! objects/ab/DIGEST.parquet    a table, as in a store
//! results/ab/KEY.json          what the stage with this key gave, and how that came about; signed (see `seal`)
//! stages.parquet               of a recorded run only: every output of every stage that it computed
//! ```
//!
//! Invariant: an object is put in place before the result that refers to it. Independent of runs.

mod archive;
mod folder;
mod http;
mod kept;
mod key;
mod limited;
mod memory;
#[cfg(feature = "remote-s3")]
mod s3;
mod seal;

use std::path::Path;

use serde::{Deserialize, Serialize};

use self::{archive::Archive, http::Http, kept::Kept, limited::Limited};
pub use self::{
    folder::Folder,
    key::{PublicKey, SecretKey},
    limited::Limits,
    memory::Memory,
};
use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
    graph::Node,
    stage::Output,
    store::{Produced, Store, environment::Environment, record::Record},
    table,
};

/// A place that keeps blobs by name. Names are paths of plain characters with `/`.
pub trait Shelf: Send + Sync {
    /// The blob, or `None` if there is none of this name.
    ///
    /// # Errors
    /// When the place cannot be reached.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>>;

    /// The size of the blob in bytes, or `None` if there is none of this name.
    ///
    /// # Errors
    /// When the place cannot be reached.
    fn size(&self, name: &str) -> Result<Option<u64>>;

    /// Puts a blob in place, whole or not at all; an existing one is replaced.
    ///
    /// # Errors
    /// When the place cannot be reached or refuses.
    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()>;

    /// Whether the place is read-only.
    fn is_read_only(&self) -> bool {
        false
    }
}

/// The shelf at `url`: a folder (`file:///path`, or a path), a tar archive of one, a folder on a web server
/// (`https://…`), or `s3://bucket/prefix` if the program was built with it. A folder that contains a store, such as a
/// recorded run, is read-only.
///
/// # Errors
/// When the address is of an unknown kind or its settings are wrong, or a store there cannot be read.
pub fn shelf(url: &str) -> Result<Box<dyn Shelf>> {
    if url.starts_with("s3://") {
        #[cfg(feature = "remote-s3")]
        return Ok(Box::new(s3::S3::open(url)?));
        #[cfg(not(feature = "remote-s3"))]
        return Err(Error::usage(format!("--remote {url}: this program was built without S3"))
            .help("build it with `--features pipeline/remote-s3`"));
    }
    if url.starts_with("https://") || url.starts_with("http://") {
        return Ok(Box::new(Http::new(url)));
    }
    let path = url.strip_prefix("file://").unwrap_or(url);
    if path.contains("://") {
        return Err(Error::usage(format!("--remote {url}: no such kind of remote"))
            .help("name a folder, a tar archive of one, https://…, or s3://BUCKET/PREFIX"));
    }
    if Path::new(path).is_file() {
        return Ok(Box::new(Archive::open(Path::new(path))?));
    }
    if let Some(dir) = kept::holder(Path::new(path)) {
        return Ok(Box::new(Kept::open(dir)?));
    }
    Ok(Box::new(Folder::new(path)))
}

/// A remote.
pub struct Remote {
    shelf: Limited,
    signer: Option<SecretKey>,
    /// Whose results are accepted; `None` means anybody's.
    trusted: Option<Vec<PublicKey>>,
}

/// What is known about one result.
#[derive(Serialize, Deserialize)]
struct Shared {
    record: Record,
    environment: Option<Environment>,
}

/// The outcome of pulling a result.
pub enum Pulled {
    /// The result is in the store now.
    Here(Box<Record>, Produced),
    /// The remote does not have it.
    Absent,
    /// The remote has it, but in an invalid form: the reason.
    Unsound(String),
    /// Nobody who is trusted has signed it: who has, in words that fit after "results".
    Untrusted(String),
}

impl Remote {
    /// The remote on this shelf.
    #[must_use]
    pub fn on(shelf: Box<dyn Shelf>) -> Self {
        Self::within(shelf, Limits::default())
    }

    /// The same with other limits.
    #[must_use]
    pub fn within(shelf: Box<dyn Shelf>, limits: Limits) -> Self {
        Self { shelf: Limited::new(shelf, limits), signer: None, trusted: None }
    }

    /// Signs what is pushed.
    #[must_use]
    pub fn signing(self, key: SecretKey) -> Self {
        Self { signer: Some(key), ..self }
    }

    /// Accepts only results that are signed with one of these keys.
    #[must_use]
    pub fn trusting(self, keys: Vec<PublicKey>) -> Self {
        Self { trusted: Some(keys), ..self }
    }

    /// Whether the remote is read-only.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.shelf.is_read_only()
    }

    /// The list of everything that a recorded run computed (see `recorded`), if the remote has one. It is not signed.
    ///
    /// # Errors
    /// When the remote cannot be reached.
    pub fn list(&self) -> Result<Option<Vec<u8>>> {
        self.shelf.get(LIST)
    }

    /// Whether the remote has what [`Remote::push`] would put there: a result with the same outputs, signed with the
    /// same key if results are signed, and objects of the same sizes.
    ///
    /// # Errors
    /// When the remote cannot be reached, or one of our objects cannot be looked at.
    pub fn has(&self, store: &Store, record: &Record) -> Result<bool> {
        let Some(blob) = self.shelf.get(&result(record.key))? else { return Ok(false) };
        let (text, seal) = seal::parts(&blob);
        let same = serde_json::from_slice::<Shared>(text).is_ok_and(|there| {
            there.record.key == record.key && there.record.outputs == record.outputs
        });
        let signed = self.signer.as_ref().is_none_or(|signer| {
            seal::check(&[signer.public()], record.key, &record.outputs, text, seal).is_ok()
        });
        if !(same && signed) {
            return Ok(false);
        }
        for (_, digest) in &record.outputs {
            let path = store.object(*digest);
            let stamp = store.disk().stamp(&path).map_err(|e| Error::io("inspect", &path, &e))?;
            if self.shelf.size(&object(*digest))? != Some(stamp.size) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether only signed results are accepted.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.trusted.is_some()
    }

    /// Whether a stage's result may come from the remote. What is made from downloads is checked against their pins
    /// where it is computed, so only somebody who is trusted may have done that for us.
    #[must_use]
    pub fn may_give(&self, node: &Node) -> bool {
        let pinned = node.downloads || !node.pinned.is_empty();
        self.is_trusted() || !pinned
    }

    /// Ends everything that waits for the remote, including later requests; or allows them again.
    pub fn cancel(&self, cancelled: bool) {
        self.shelf.cancel(cancelled);
    }

    /// Gets the result of `key` with these outputs into the store, by way of a new folder `dir`, under the name
    /// `name`.
    ///
    /// # Errors
    /// When the remote cannot be reached, or the store refuses.
    pub fn pull(
        &self,
        store: &Store,
        key: Digest,
        name: &str,
        outputs: &[Output],
        dir: &Path,
    ) -> Result<Pulled> {
        let Some(blob) = self.shelf.get(&result(key))? else { return Ok(Pulled::Absent) };
        let (text, seal) = seal::parts(&blob);
        let Ok(Shared { record, environment }) = serde_json::from_slice::<Shared>(text) else {
            return Ok(Pulled::Unsound(format!("the result of {name} cannot be read")));
        };
        if let Some(trusted) = &self.trusted
            && let Err(whose) = seal::check(trusted, key, &record.outputs, text, seal)
        {
            return Ok(Pulled::Untrusted(whose));
        }
        let wanted = outputs.iter().map(|output| output.name);
        if record.key != key || !wanted.eq(record.outputs.iter().map(|(name, _)| name.as_str())) {
            return Ok(Pulled::Unsound(format!("the result of {name} is of another stage")));
        }
        store.disk().make_folders(dir).map_err(|e| Error::io("create", dir, &e))?;
        for (output, digest) in &record.outputs {
            let bytes = self.shelf.get(&object(*digest))?;
            let Some(bytes) = bytes.filter(|bytes| Digest::of(bytes) == *digest) else {
                let why = format!("output {output} of {name} is missing or corrupt");
                return Ok(Pulled::Unsound(why));
            };
            let path = table::file_name(dir, output);
            store.disk().write(&path, &bytes).map_err(|e| Error::io("write", &path, &e))?;
        }
        let names: Vec<_> = record.outputs.iter().map(|(output, _)| output.clone()).collect();
        let produced = store.publish(key, name, dir, &names)?;
        if let Some(environment) = environment {
            store.keep_environment(&environment)?;
        }
        let record = Record { name: name.to_owned(), ..record };
        Ok(Pulled::Here(Box::new(record), produced.into()))
    }

    /// Puts a result of the store on the remote, unless the remote is read-only. With `replace`, also what seems to
    /// be there already. A result that is not signed does not replace one that is.
    ///
    /// # Errors
    /// When the remote cannot be reached or refuses, or an object cannot be read.
    pub fn push(&self, store: &Store, record: &Record, replace: bool) -> Result<()> {
        if self.shelf.is_read_only() {
            return Ok(());
        }
        let at = result(record.key);
        if self.signer.is_none()
            && self.shelf.get(&at)?.is_some_and(|blob| seal::parts(&blob).1.is_some())
        {
            return Ok(());
        }
        for (_, digest) in &record.outputs {
            let (path, name) = (store.object(*digest), object(*digest));
            let disk = store.disk();
            let size = disk.stamp(&path).map_err(|e| Error::io("inspect", &path, &e))?.size;
            if !replace && self.shelf.size(&name)? == Some(size) {
                continue;
            }
            let bytes = disk.read(&path).map_err(|e| Error::io("read", &path, &e))?;
            // Corrupt content must not be spread.
            if Digest::of(&bytes) != *digest {
                return Err(Error::new(Exit::Store, format!("{} is corrupt", path.display())));
            }
            self.shelf.put(&name, bytes)?;
        }
        let environment = record.environment.and_then(|digest| store.environment(digest));
        let shared = Shared { record: record.clone(), environment };
        let text = serde_json::to_vec(&shared)
            .map_err(|e| Error::usage(format!("a result cannot be written: {e}")).because(e))?;
        let blob = match &self.signer {
            Some(signer) => seal::sealed(text, record.key, &record.outputs, signer),
            None => text,
        };
        self.shelf.put(&at, blob)
    }
}

/// The list of everything that a recorded run computed, beside its objects and results.
const LIST: &str = "stages.parquet";

fn object(digest: Digest) -> String {
    let text = digest.to_string();
    format!("objects/{}/{text}.parquet", &text[..2])
}

fn result(key: Digest) -> String {
    let text = key.to_string();
    format!("results/{}/{text}.json", &text[..2])
}
