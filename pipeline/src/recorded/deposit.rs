//! The recorded runs as a folder that is ready to be deposited, for example at Zenodo. Each run becomes one archive
//! that `run --remote` reads; beside the archives are checksums, the metadata of the deposit and the licence:
//!
//! ```text
//! EXPERIMENT.tar     objects/ and results/ as in a remote, and the run's recorded.json, stages.parquet and crate
//! SHA256SUMS         for `sha256sum --check`
//! metadata.json      for Zenodo's interface of deposits
//! LICENCE            under which the results are given away
//! ```
//!
//! The same recorded runs give the same bytes.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Recorded;
use crate::{
    error::{Error, Exit, Result},
    machine::iso,
    provenance::new_folder,
    remote::{Folder, Remote},
    store::Store,
};

/// What the engine cannot know about a deposit.
pub struct About {
    /// The program's name.
    pub program: String,
    /// What it is for.
    pub purpose: String,
    /// The licence under which the results are published: a URL, or Zenodo's name for it.
    pub licence: String,
    /// Who is responsible, as `Family, Given`.
    pub author: String,
}

const SUMS: &str = "SHA256SUMS";
const METADATA: &str = "metadata.json";
const LICENCE: &str = "LICENCE";

/// Writes these recorded runs, each with its folder, into `dir`, which must not exist or be empty.
///
/// # Errors
/// When the folder is not empty or cannot be written, or a recorded run is incomplete.
pub fn write(runs: &[(PathBuf, Recorded)], about: &About, dir: &Path) -> Result<()> {
    let io = |doing: &'static str| move |e: std::io::Error| Error::io(doing, dir, &e);
    new_folder(dir, "name a new folder for the deposit")?;
    let mut files = Vec::new();
    for (from, recorded) in runs {
        let name = format!("{}.tar", recorded.experiment);
        pack(from, recorded, dir, &name)?;
        files.push(name);
    }
    let text = serde_json::to_string_pretty(&metadata(runs, about))
        .map_err(|e| Error::usage(format!("{METADATA} cannot be written: {e}")).because(e))?;
    for (name, text) in [(METADATA, text + "\n"), (LICENCE, licence(about))] {
        fs::write(dir.join(name), text).map_err(io("write to"))?;
        files.push(name.to_owned());
    }
    let mut sums = String::new();
    for name in files {
        let path = dir.join(&name);
        let bytes = fs::read(&path).map_err(|e| Error::io("read", &path, &e))?;
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        sums += &format!("{sum}  {name}\n");
    }
    fs::write(dir.join(SUMS), sums).map_err(io("write to"))
}

/// Writes one run as an archive `name` in `dir`.
fn pack(from: &Path, recorded: &Recorded, dir: &Path, name: &str) -> Result<()> {
    let io = |e: std::io::Error| Error::io("write", &dir.join(name), &e);
    let folder = dir.join(format!("{name}.new"));
    fs::create_dir_all(&folder).map_err(io)?;
    let (store, remote) = (Store::open_existing(from)?, Remote::on(Box::new(Folder::new(&folder))));
    let records = store.records()?;
    for (stage, key) in recorded.artifacts(from)?.keys() {
        let record = records.get(key).ok_or_else(|| {
            Error::new(Exit::Store, format!("{}: there is no record of {stage}", from.display()))
                .help("`git checkout` brings it back, `retune record` writes it anew")
        })?;
        remote.push(&store, record, true)?;
    }
    for entry in fs::read_dir(from).map_err(|e| Error::io("read", from, &e))? {
        let path = entry.map_err(|e| Error::io("read", from, &e))?.path();
        if let Some(name) = path.file_name().filter(|_| path.is_file()) {
            fs::copy(&path, folder.join(name)).map_err(|e| Error::io("copy", &path, &e))?;
        }
    }
    let mut tar = tar::Builder::new(fs::File::create(dir.join(name)).map_err(io)?);
    for path in sorted(&folder).map_err(io)? {
        let bytes = fs::read(&path).map_err(io)?;
        // Neither times nor owners, so that the same results give the same archive.
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        let inner = path.strip_prefix(&folder).unwrap_or(&path);
        tar.append_data(&mut header, inner, &*bytes).map_err(io)?;
    }
    tar.into_inner().and_then(|mut file| file.flush()).map_err(io)?;
    fs::remove_dir_all(&folder).map_err(io)
}

/// All files below a folder, by name.
fn sorted(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(sorted(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

/// Zenodo's names of licences that have a URL.
const NAMES: [(&str, &str); 4] = [
    ("creativecommons.org/licenses/by/4.0", "cc-by-4.0"),
    ("creativecommons.org/licenses/by-sa/4.0", "cc-by-sa-4.0"),
    ("creativecommons.org/publicdomain/zero/1.0", "cc-zero"),
    ("opensource.org/licenses/MIT", "mit"),
];

fn metadata(runs: &[(PathBuf, Recorded)], about: &About) -> Value {
    let told = |(_, run): &(PathBuf, Recorded)| {
        let Recorded { experiment, profile, stages, cpu_s, finished, .. } = run;
        let hours = cpu_s / 3600.0;
        format!(
            "<li>{experiment}: profile {profile}, {stages} stages, {hours:.1} CPU hours, {}</li>",
            iso(*finished)
        )
    };
    let runs: String = runs.iter().map(told).collect();
    let licence = NAMES.iter().find(|(url, _)| about.licence.contains(url));
    json!({"metadata": {
        "title": format!("Recorded runs of {}", about.program),
        "upload_type": "dataset",
        "access_right": "open",
        "description": format!(
            "<p>{}.</p><ul>{runs}</ul><p>Each archive has the tables that verdicts and figures rest on, the digests \
             of everything else that was computed, and a Workflow Run RO-Crate.</p>",
            about.purpose
        ),
        "creators": [{"name": about.author}],
        "license": licence.map_or(about.licence.as_str(), |(_, name)| name),
        "keywords": ["replication", "provenance"],
        "version": env!("CARGO_PKG_VERSION"),
    }})
}

fn licence(about: &About) -> String {
    let About { program, licence, author, .. } = about;
    format!(
        "The recorded runs of {program} are given away by {author} under\n{licence}\n\nNo data set is part of them.\n"
    )
}
