//! Ways to spoil a file, and to hide that it was spoilt.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use pipeline::digest::Digest;
use rand::Rng;
use rand_chacha::ChaCha12Rng;

use crate::world::World;

const LOG: &str = "artifacts/store/v1/log";

/// A number below `n`, which must be positive.
pub fn below(rng: &mut ChaCha12Rng, n: usize) -> usize {
    usize::try_from(rng.next_u64() % n as u64).expect("is below a usize")
}

/// One to `most` random bytes.
pub fn noise(rng: &mut ChaCha12Rng, most: usize) -> Vec<u8> {
    (0..=below(rng, most)).map(|_| rng.next_u64().to_le_bytes()[0]).collect()
}

/// Bytes that differ from the given ones: a bit flipped, a range zeroed, the end cut off, or more added. The first
/// two keep the size.
pub fn spoil(rng: &mut ChaCha12Rng, sound: &[u8]) -> Vec<u8> {
    loop {
        let mut bytes = sound.to_vec();
        let at = below(rng, bytes.len());
        match below(rng, 4) {
            0 => bytes[at] ^= 1 << below(rng, 8),
            1 => {
                let end = (at + 1 + below(rng, 600)).min(bytes.len());
                bytes[at..end].fill(0);
            }
            2 => bytes.truncate(at),
            _ => bytes.extend(noise(rng, 600)),
        }
        if bytes != sound {
            return bytes;
        }
    }
}

/// Makes a file writable that its store protects.
pub fn writable(path: &Path) {
    let mut rights = fs::metadata(path).expect("is there").permissions();
    rights.set_mode(rights.mode() | 0o200);
    fs::set_permissions(path, rights).expect("can be set");
}

/// Writes `bytes` into the file at `path` and restores its modification time.
pub fn overwrite(path: &Path, bytes: &[u8]) {
    let modified = fs::metadata(path).and_then(|meta| meta.modified()).expect("is there");
    writable(path);
    fs::write(path, bytes).expect("can be written");
    let file = fs::File::options().write(true).open(path).expect("can be opened");
    file.set_modified(modified).expect("can be set");
}

/// Flips one bit in the middle of a file and restores its modification time.
pub fn flip_bit(path: &Path) {
    let mut bytes = fs::read(path).expect("can be read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    overwrite(path, &bytes);
}

/// Makes the log record the current stamp of the object at `path`, as if a disk had lost a bit by itself.
pub fn forge_stamp(world: &World, path: &Path) {
    let digest = path.file_stem().and_then(|s| s.to_str()).expect("a digest").to_owned();
    let log = fs::read_to_string(world.path(LOG)).expect("is there");
    let line = log.lines().rfind(|l| l.starts_with("d ") && l.contains(&digest)).expect("is known");
    let (body, _) = line.rsplit_once(" ~").expect("a checksum");
    let (head, tail) = body.split_once(&format!("main:{digest}:")).expect("output `main`");
    let rest = tail.split_once(',').map_or(String::new(), |(_, rest)| format!(",{rest}"));
    let meta = fs::metadata(path).expect("is there");
    let nanos = |s: i64, ns: i64| s * 1_000_000_000 + ns;
    let (m, c) = (nanos(meta.mtime(), meta.mtime_nsec()), nanos(meta.ctime(), meta.ctime_nsec()));
    let body = format!("{head}main:{digest}:{}:{m}:{c}:{}{rest}", meta.size(), meta.ino());
    let sum = Digest::of(body.as_bytes()).to_string();
    fs::write(world.path(LOG), format!("{log}{body} ~{}\n", &sum[..8])).expect("can be written");
}
