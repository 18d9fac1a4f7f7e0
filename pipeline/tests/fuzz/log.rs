//! Fuzzing of the log and its snapshot: what is sound in them is known, and the rest is ignored.

use std::{collections::BTreeMap, fs, path::Path, sync::OnceLock};

use pipeline::{
    digest::Digest,
    store::{Artifact, Fact, Stamp, Store, compact::Compacted},
};
use proptest::{collection::vec, prelude::*};
use tempfile::TempDir;

use crate::{
    fixed, scratch,
    spoilt::{NUMBERS, pieces, spoilt},
};

const PIECES: [&str; 30] = [
    "d ",
    "b ",
    "u ",
    "g ",
    "s ",
    "x ",
    " ~",
    "\n",
    "\r\n",
    " ",
    ":",
    ",",
    "%20",
    "%0A",
    "%",
    "main:",
    "main:0000000000000000000000000000000000000000000000000000000000000001:1:2:3:4",
    "0000000000000000000000000000000000000000000000000000000000000001 ",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff ",
    "a/b ",
    "é ",
    "\0",
    "~",
    "-1",
    "18446744073709551616",
    "9223372036854775808",
    "00000000",
    "+0000000",
    "/etc/passwd",
    "tmp/../x ",
];

fn folder(log: &[u8], index: Option<&[u8]>) -> TempDir {
    let dir = scratch();
    let root = dir.path().join("store/v1");
    fs::create_dir_all(&root).expect("can be made");
    fs::write(root.join("log"), log).expect("can be written");
    if let Some(index) = index {
        fs::write(root.join("log.index"), index).expect("can be written");
    }
    dir
}

fn key(n: u64) -> Digest {
    Digest::of(&n.to_le_bytes())
}

fn artifact(n: u64) -> Artifact {
    let stamp = Stamp { size: n, mtime: n.cast_signed(), ctime: -1, inode: u64::MAX - n, boot: 7 };
    Artifact { output: "main".into(), digest: key(n + 1), stamp }
}

/// A log of `lines` finished stages, and its snapshot.
fn sound(lines: u64) -> (Vec<u8>, Vec<u8>) {
    let dir = scratch();
    let store = Store::open(dir.path()).expect("opens");
    for n in 0..lines {
        let name = format!("paper/a stage/split={n}");
        store.append(&[Fact::Done(key(n), &name, &[artifact(n)])]).expect("can be written");
    }
    let why = "no such\nfile: 100 %";
    store.append(&[Fact::Unavailable(key(lines), "paper/none", why)]).expect("can be written");
    let path = Path::new("data/a b.txt");
    store.append(&[Fact::Source(path, artifact(0).stamp, key(9))]).expect("can be written");
    store.snapshot().expect("can be written");
    let root = store.root();
    (fs::read(root.join("log")).unwrap(), fs::read(root.join("log.index")).unwrap_or_default())
}

/// What a store knows, as text that can be compared.
fn known(dir: &TempDir) -> BTreeMap<String, String> {
    let store = Store::open(dir.path()).expect("a garbled log is no error");
    let log = store.facts();
    let facts = log.known();
    let done = facts.keys().map(|(key, produced)| (key.to_string(), format!("{produced:?}")));
    let names = facts.names().into_iter().map(|(name, key)| (name.to_owned(), key.to_string()));
    done.chain(names).collect()
}

/// A line that passes for a valid one: it is terminated by its own checksum.
fn closed(body: &str) -> String {
    format!("{body} ~{}\n", &Digest::of(body.as_bytes()).to_string()[..8])
}

/// The snapshot with digests that agree with `body` and `log`.
fn sealed(index: &[u8], log: &[u8], body: &[u8]) -> Vec<u8> {
    let length = (log.len() as u64).to_le_bytes();
    let (log, own) = (Digest::of(log), Digest::of(body));
    [&index[..16], &length, log.bytes(), own.bytes(), body].concat()
}

/// 200 lines, enough for a snapshot.
fn long() -> &'static (Vec<u8>, Vec<u8>) {
    static LONG: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    LONG.get_or_init(|| sound(200))
}

const HEAD: usize = 16 + 8 + 32 + 32;

#[test]
fn the_sound_snapshot_is_one() {
    let (log, index) = long();
    assert_eq!(sealed(index, log, &index[HEAD..]), *index);
    assert_eq!(known(&folder(log, Some(index))), known(&folder(log, None)));
    assert_eq!(known(&folder(log, None)).len(), 401);
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn any_line_is_known_or_dropped_and_those_around_it_stay(
        lines in vec((pieces(&PIECES), any::<bool>()), 0..6),
    ) {
        let (log, _) = sound(3);
        let middle: String = lines.iter().map(|(line, close)| if *close {
            closed(&line.replace('\n', " "))
        } else {
            format!("{line}\n")
        }).collect();
        // The same sound lines before and after: nothing between them can change a later fact.
        let dir = folder(&[&log, middle.as_bytes(), &log].concat(), None);
        let whole = known(&dir);
        for (name, value) in known(&folder(&log, None)) {
            prop_assert_eq!(whole.get(&name), Some(&value), "{}", name);
        }
        // It can be written to and read again.
        let store = Store::open(dir.path()).unwrap();
        store.append(&[Fact::Bound(key(77), "paper/new")]).unwrap();
        prop_assert_eq!(Store::open(dir.path()).unwrap().facts().known().key_of("paper/new"), Some(key(77)));
    }

    #[test]
    fn a_log_that_is_compacted_says_the_same(
        lines in vec((pieces(&PIECES), any::<bool>()), 0..6),
        dead in 0u64..40,
    ) {
        let (log, _) = sound(3);
        let odd = lines.iter().map(|(line, close)| if *close {
            closed(&line.replace('\n', " "))
        } else {
            format!("{line}\n")
        });
        let overruled = (0..dead).map(|n| closed(&format!("b {} paper/other", key(n))));
        let text: String = odd.chain(overruled).collect();
        let dir = folder(&[&log, text.as_bytes(), &log].concat(), None);
        let before = known(&dir);
        let store = Store::open(dir.path()).unwrap();
        let size = || fs::metadata(store.root().join("log")).unwrap().len();
        let whole = size();
        let compacted = store.compact(&store.alone().unwrap(), 0, false).unwrap();
        prop_assert!(dead < 30 || compacted.is_some(), "most of it was overruled");
        if let Some(Compacted { before, after }) = compacted {
            prop_assert_eq!((before, after), (whole, size()));
        }
        // For a process that reads it now, for the one that wrote it, and for one that appends to it.
        prop_assert_eq!(&known(&dir), &before);
        store.append(&[Fact::Bound(key(77), "paper/new")]).unwrap();
        prop_assert_eq!(store.facts().known().key_of("paper/new"), Some(key(77)));
        prop_assert_eq!(known(&dir).len(), before.len() + 1);
        prop_assert_eq!(Store::open(dir.path()).unwrap().facts().known().dropped(),
            if compacted.is_some() { 0 } else { store.facts().known().dropped() });
    }

    #[test]
    fn a_spoilt_log_keeps_the_lines_that_were_left_alone(bytes in spoilt(sound(6).0, &PIECES)) {
        let (log, _) = sound(6);
        let whole = |bytes: &[u8]| -> Vec<Vec<u8>> {
            bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
        };
        let left = whole(&bytes);
        let dir = folder(&bytes, None);
        let store = Store::open(dir.path()).unwrap();
        for (n, line) in whole(&log).iter().enumerate().take(6) {
            if left.contains(line) {
                let done = store.facts().known().done(key(n as u64)).cloned();
                prop_assert_eq!(done.as_deref(), Some(&[artifact(n as u64)][..]));
            }
        }
    }

    #[test]
    fn a_spoilt_snapshot_is_as_if_it_were_not_there(index in spoilt(long().1.clone(), &NUMBERS)) {
        let (log, sound) = long();
        prop_assume!(index != *sound);
        prop_assert_eq!(known(&folder(log, Some(&index))), known(&folder(log, None)));
    }

    /// As an attacker would write it.
    #[test]
    fn a_spoilt_snapshot_with_the_right_digests_takes_no_more_than_it_holds(
        body in spoilt(long().1[HEAD..].to_vec(), &NUMBERS),
        counts in vec((0.0..1.0f64, prop_oneof![Just(u32::MAX), Just(1 << 28), any::<u32>()]), 0..3),
    ) {
        let (log, index) = long();
        let mut body = body;
        for (share, count) in counts {
            let at = (share * body.len() as f64) as usize;
            let end = (at + 4).min(body.len());
            body.splice(at..end, count.to_le_bytes());
        }
        drop(known(&folder(log, Some(&sealed(index, log, &body)))));
    }
}

#[test]
fn a_count_of_four_thousand_million_takes_no_memory() {
    let (log, index) = long();
    let output = &index[HEAD..HEAD + 12]; // one name: `main`
    for lists in 0..4 {
        let before =
            [0u32; 3].iter().take(lists).flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let body = [output, &before, &u32::MAX.to_le_bytes()].concat();
        let dir = folder(log, Some(&sealed(index, log, &body)));
        assert_eq!(known(&dir).len(), 401, "list {lists}");
    }
}
