//! What every shelf of a remote must do: one suite for a folder, memory, and (feature `remote-s3`, `cargo xtask s3`)
//! a server that speaks S3.

use std::{sync::Arc, thread};

use pipeline::remote::{Folder, Memory, Shelf};

fn contract(shelf: &Arc<dyn Shelf>) {
    let name = "objects/ab/abcdef.parquet";
    assert_eq!(shelf.get(name).expect("can be reached"), None, "nothing is there yet");
    assert_eq!(shelf.size(name).expect("can be reached"), None);
    // All bytes come back, also if there are none or many.
    let many: Vec<u8> =
        (0..3_000_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for (name, bytes) in
        [(name, vec![0, 255, 10, 13]), ("empty", Vec::new()), ("results/x/many", many)]
    {
        shelf.put(name, bytes.clone()).expect("can be written");
        assert_eq!(shelf.size(name).expect("can be reached"), Some(bytes.len() as u64), "{name}");
        assert!(shelf.get(name).expect("can be reached") == Some(bytes), "{name}");
    }
    // The last one wins, and is complete.
    shelf.put(name, b"other".to_vec()).expect("can be written");
    assert_eq!(shelf.get(name).expect("can be reached").as_deref(), Some(&b"other"[..]));
    // A prefix of a name is another name.
    assert_eq!(shelf.get("objects/ab").ok().flatten(), None);
    let writers: Vec<_> = (0u8..8)
        .map(|i| {
            let shelf = Arc::clone(shelf);
            thread::spawn(move || shelf.put("contended", vec![i; 100_000]).expect("can be written"))
        })
        .collect();
    for writer in writers {
        writer.join().expect("ends");
    }
    let left = shelf.get("contended").expect("can be reached").expect("is there");
    assert!(
        left.len() == 100_000 && left.iter().all(|byte| *byte == left[0]),
        "one of them, whole"
    );
}

#[test]
fn a_folder_is_a_shelf() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    contract(&(Arc::new(Folder::new(dir.path())) as Arc<dyn Shelf>));
}

#[test]
fn memory_is_a_shelf() {
    let memory = Memory::default();
    contract(&(Arc::new(memory.clone()) as Arc<dyn Shelf>));
    assert_eq!(memory.blobs().len(), 4);
}

#[test]
fn a_folder_that_is_not_there_is_unreachable() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let gone = Folder::new(dir.path().join("not mounted"));
    assert!(gone.get("x").is_err() && gone.size("x").is_err());
    assert!(gone.put("x", Vec::new()).is_err(), "nor is it made");
    assert!(!dir.path().join("not mounted").exists());
}

#[cfg(feature = "remote-s3")]
#[test]
fn a_bucket_is_a_shelf() {
    let url = std::env::var("S3_TEST_URL").expect("set by cargo xtask s3, which starts a server");
    contract(&Arc::from(
        pipeline::remote::shelf(&format!("{url}/contract")).expect("is configured"),
    ));
    let other = format!("{}-no-such-bucket", url);
    let other = pipeline::remote::shelf(&other).expect("is configured");
    assert!(other.put("x", Vec::new()).is_err());
}
