//! Reads 20 Newsgroups, "by date" version: an archive with one file per post, in folders
//! `20news-bydate-{train,test}/GROUP/`. The term weights are computed in [`tfidf`].
//!
//! Posts are used whole, headers included, decoded as Latin-1, in the order of their paths (so
//! the publisher's test part comes first). The vocabulary and the idf are those of all posts.
//!
//! Two archives are pinned: a repacked one and the publisher's. The repacked one was joined from two copies
//! of the posts; all published numbers about the original that could be checked agree with it (posts and
//! characters of either part, vocabulary of the training part, non-zeros per row of a subset of four groups,
//! and a classifier's F score on that subset to the last digit). The publisher's archive itself has not been
//! compared post by post: [`Corpus::sha256`] distinguishes the two if they differ; [`REPACKED_SHA256`] is its
//! value for the repacked one.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use xz2::read::XzDecoder;

use super::super::digest::sha256_of_sequence;
use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::tfidf;

/// [`Corpus::sha256`] of the posts in the repacked archive.
pub const REPACKED_SHA256: &str =
    "761c165bf94f47cc1de85d373d1234405ff1460f883de48aad5d39a53fe4b87c";

/// One post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Path in the archive: part, group, number.
    pub path: String,
    /// Index into [`Corpus::groups`].
    pub group: u32,
    /// Whether it belongs to the publisher's training part (the earlier posts).
    pub train: bool,
    /// The text, in Latin-1.
    pub text: Vec<u8>,
}

/// All posts in the order of their paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    /// The posts.
    pub posts: Vec<Post>,
    /// Names of the newsgroups, sorted.
    pub groups: Vec<String>,
}

impl Corpus {
    /// SHA-256 over paths and texts: the content independent of the packing.
    #[must_use]
    pub fn sha256(&self) -> String {
        sha256_of_sequence(self.posts.iter().map(|post| (post.path.as_str(), &post.text[..])))
    }
}

/// 18 846 × 173 762 tf-idf weights, 20 classes.
///
/// # Errors
/// If the archive is malformed.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    let Corpus { posts, groups } = corpus(files)?;
    let counted = tfidf::count_latin1(posts.iter().map(|post| post.text.as_slice()));
    let mut weights = counted.counts;
    tfidf::weigh(&mut weights);
    Ok(Loaded {
        x: Features::Sparse(weights),
        y: Target::Classes { labels: posts.iter().map(|post| post.group).collect(), names: groups },
        feature_names: counted.terms,
    })
}

/// Reads the posts themselves.
///
/// # Errors
/// If the archive is malformed.
pub fn corpus(files: &Files) -> Result<Corpus, LoadError> {
    let (file, bytes) = files.read("20news-bydate")?;
    if bytes.starts_with(&[0xfd, b'7', b'z', b'X', b'Z']) {
        unpack(file, XzDecoder::new(bytes.as_slice()))
    } else {
        unpack(file, MultiGzDecoder::new(bytes.as_slice()))
    }
}

/// Reads the posts of a tar stream.
fn unpack(file: &Path, stream: impl Read) -> Result<Corpus, LoadError> {
    let fault = |error: std::io::Error| LoadError::whole(file, format!("bad archive: {error}"));
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    let mut archive = tar::Archive::new(stream);
    for entry in archive.entries().map_err(fault)? {
        let mut entry = entry.map_err(fault)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().map_err(fault)?.to_string_lossy().into_owned();
        let mut text = Vec::new();
        entry.read_to_end(&mut text).map_err(fault)?;
        found.push((path.strip_prefix("./").unwrap_or(&path).to_owned(), text));
    }
    found.sort_unstable();
    let mut split = Vec::with_capacity(found.len());
    for (path, _) in &found {
        let train = path.starts_with("20news-bydate-train/");
        match path.split('/').collect::<Vec<_>>()[..] {
            ["20news-bydate-train" | "20news-bydate-test", group, _] => split.push((train, group)),
            _ => return Err(LoadError::whole(file, format!("member `{path}` is not a post"))),
        }
    }
    let mut groups: Vec<String> = split.iter().map(|&(_, group)| group.to_owned()).collect();
    groups.sort_unstable();
    groups.dedup();
    let numbered: Vec<(bool, u32)> = split
        .iter()
        .map(|&(train, group)| (train, groups.partition_point(|name| name.as_str() < group) as u32))
        .collect();
    let posts = found
        .into_iter()
        .zip(numbered)
        .map(|((path, text), (train, group))| Post { path, group, train, text })
        .collect();
    Ok(Corpus { posts, groups })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(members: &[(&str, &str)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (path, text) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap()
    }

    #[test]
    fn posts_come_in_the_order_of_their_paths() {
        let tar = archive(&[
            ("20news-bydate-train/sci.med/2", "c"),
            ("20news-bydate-train/alt.x/10", "b"),
            ("20news-bydate-test/sci.med/1", "a"),
        ]);
        let corpus = unpack(Path::new("x.tar"), tar.as_slice()).unwrap();
        assert_eq!(corpus.groups, ["alt.x", "sci.med"]);
        let seen: Vec<_> =
            corpus.posts.iter().map(|p| (p.train, p.group, p.text.as_slice())).collect();
        assert_eq!(seen, [(false, 1, &b"a"[..]), (true, 0, b"b"), (true, 1, b"c")]);
    }

    #[test]
    fn another_archive_is_refused() {
        let tar = archive(&[("something/else", "c")]);
        let error = unpack(Path::new("x.tar"), tar.as_slice()).unwrap_err().to_string();
        assert_eq!(error, "x.tar: member `something/else` is not a post");
        assert!(unpack(Path::new("x.tar"), &b"not an archive, but long enough"[..]).is_err());
    }
}
