//! A file system in memory that fails on request and loses at a power cut what was not flushed: bytes that were
//! written since, or all of their content while size and times are kept; names that were given or removed, each
//! independently or all from a moment on. Paths elsewhere are those of the machine.

use std::{
    collections::BTreeMap,
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use nix::errno::Errno;
use pipeline::disk::{Disk, File, FileSystem, Kind, Open, Stamp};
use rand_chacha::ChaCha12Rng;

use crate::{
    content::{Content, below},
    opened::Opened,
};

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// EIO.
    Broken,
    /// ENOSPC, if the call needs space; the first write has space for a half.
    Full,
    /// EINTR, every third time.
    Interrupted,
    /// Half of what was to be read or written.
    Short,
    /// There is no power: like EIO, and then [`Memory::cut`].
    Off,
}

/// The file system; clones share it.
#[derive(Clone)]
pub struct Memory(Arc<Mutex<State>>);

pub type Node = usize;

pub struct State {
    root: PathBuf,
    names: BTreeMap<PathBuf, Node>,
    /// The names on the disk, and the changes of names since.
    flushed: BTreeMap<PathBuf, Node>,
    since: Vec<Vec<(PathBuf, Option<Node>)>>,
    /// `None` is a folder.
    nodes: Vec<Option<Content>>,
    pub now: i64,
    boot: u32,
    calls: usize,
    trouble: Option<(Range<usize>, Trouble)>,
    filled: bool,
}

pub fn error<T>(errno: Errno) -> io::Result<T> {
    Err(errno.into())
}

impl State {
    /// Counts a call. It fails, is cut short (returns true), or is carried out.
    pub fn call(&mut self, takes_room: bool) -> io::Result<bool> {
        let call = self.calls;
        self.calls += 1;
        self.now += 1;
        let Some((when, trouble)) = self.trouble.as_ref().filter(|(when, _)| when.contains(&call))
        else {
            return Ok(false);
        };
        match trouble {
            Trouble::Broken | Trouble::Off => error(Errno::EIO),
            Trouble::Full if takes_room && self.filled => error(Errno::ENOSPC),
            Trouble::Full if takes_room => {
                self.filled = true;
                Ok(true)
            }
            Trouble::Interrupted if (call - when.start).is_multiple_of(3) => error(Errno::EINTR),
            Trouble::Short => Ok(true),
            _ => Ok(false),
        }
    }

    pub fn find(&self, path: &Path) -> io::Result<Node> {
        self.names.get(path).map_or_else(|| error(Errno::ENOENT), |node| Ok(*node))
    }

    fn below(&self, folder: &Path) -> Vec<(PathBuf, Node)> {
        let all = self.names.iter().filter(|(path, _)| path.starts_with(folder) && *path != folder);
        all.map(|(path, node)| (path.clone(), *node)).collect()
    }

    fn make(&mut self, path: &Path, node: Option<Content>) -> io::Result<Node> {
        if self.names.contains_key(path) {
            return error(Errno::EEXIST);
        }
        if self.nodes[self.find(path.parent().expect("is no root"))?].is_some() {
            return error(Errno::ENOTDIR);
        }
        self.nodes.push(node);
        let node = self.nodes.len() - 1;
        self.name(vec![(path.to_owned(), Some(node))]);
        Ok(node)
    }

    fn name(&mut self, change: Vec<(PathBuf, Option<Node>)>) {
        apply(&change, &mut self.names);
        self.since.push(change);
    }

    pub fn content(&mut self, node: Node) -> io::Result<&mut Content> {
        self.nodes[node].as_mut().map_or_else(|| error(Errno::EISDIR), Ok)
    }

    fn kind(&self, node: Node) -> Kind {
        if self.nodes[node].is_some() { Kind::File } else { Kind::Folder }
    }

    pub fn stamp(&self, node: Node) -> Stamp {
        let (size, changed) = self.nodes[node]
            .as_ref()
            .map_or((0, 0), |content| (content.bytes.len(), content.changed));
        Stamp {
            size: size as u64,
            mtime: changed,
            ctime: changed,
            inode: node as u64,
            boot: self.boot,
        }
    }

    /// The name of a file or folder.
    pub fn path(&self, node: Node) -> Option<&Path> {
        self.names.iter().find(|(_, found)| **found == node).map(|(path, _)| path.as_path())
    }

    pub fn flush(&mut self, node: Node) {
        if let Some(content) = &mut self.nodes[node] {
            return content.flush();
        }
        let folder = self.path(node).map(Path::to_owned);
        let within = |path: &Path| path.parent() == folder.as_deref();
        for change in &mut self.since {
            let done: Vec<_> = change.extract_if(.., |(path, _)| within(path)).collect();
            apply(&done, &mut self.flushed);
        }
    }
}

fn apply(change: &[(PathBuf, Option<Node>)], names: &mut BTreeMap<PathBuf, Node>) {
    for (path, node) in change {
        match node {
            Some(node) => drop(names.insert(path.clone(), *node)),
            None => drop(names.remove(path)),
        }
    }
}

impl Memory {
    /// A copy of what is at `root` and below it.
    pub fn new(root: &Path) -> Self {
        let names = BTreeMap::from([(root.to_owned(), 0)]);
        Self(Arc::new(Mutex::new(State {
            root: root.to_owned(),
            flushed: names.clone(),
            names,
            since: Vec::new(),
            nodes: vec![None],
            now: 0,
            boot: 1,
            calls: 0,
            trouble: None,
            filled: false,
        })))
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no call panics")
    }

    /// The calls with these numbers fail in the way `trouble`; the next call has number 0.
    pub fn trouble(&self, when: Range<usize>, trouble: Trouble) {
        let mut state = self.state();
        (state.calls, state.filled, state.trouble) = (0, false, Some((when, trouble)));
    }

    /// Ends all failures. Returns how many calls there were.
    pub fn mend(&self) -> usize {
        let mut state = self.state();
        state.trouble = None;
        std::mem::take(&mut state.calls)
    }

    /// The power failed, and the machine was restarted.
    pub fn cut(&self, rng: &mut ChaCha12Rng) {
        let state = &mut *self.state();
        let mut names = std::mem::take(&mut state.flushed);
        let (mode, until) = (below(rng, 3), below(rng, state.since.len() + 1));
        for (i, change) in state.since.drain(..).enumerate() {
            let kept = match mode {
                0 => i < until,
                1 => below(rng, 2) == 0,
                _ => true,
            };
            if kept {
                apply(&change, &mut names);
            }
        }
        // The content of a lost folder is lost.
        let mut found: BTreeMap<PathBuf, Node> = BTreeMap::new();
        for (path, node) in names {
            let folder = path.parent().and_then(|folder| found.get(folder));
            if node == 0 || folder.is_some_and(|node| state.nodes[*node].is_none()) {
                found.insert(path, node);
            }
        }
        state.flushed.clone_from(&found);
        state.names = found;
        state.nodes.iter_mut().flatten().for_each(|content| content.lose(rng));
        state.boot += 1;
        state.trouble = None;
    }

    /// The machine was restarted without a power failure.
    pub fn start(&self) {
        self.state().boot += 1;
    }

    /// Whether a path is one of the machine.
    fn elsewhere(&self, path: &Path) -> bool {
        !path.starts_with(&self.state().root)
    }
}

impl FileSystem for Memory {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        if self.elsewhere(path) {
            self.state().call(false)?;
            let bytes = if path.is_dir() { Vec::new() } else { Disk::default().read(path)? };
            return Ok(Box::new(Opened { memory: self.clone(), node: Err(bytes), at: 0 }));
        }
        let mut state = self.state();
        let found = state.names.get(path).copied();
        state.call(how != Open::Read && found.is_none())?;
        let node = match (how, found) {
            (Open::New, _) | (Open::Append, None) => state.make(path, Some(Content::default()))?,
            _ => state.find(path)?,
        };
        let at = 0;
        drop(state);
        Ok(Box::new(Opened { memory: self.clone(), node: Ok(node), at }))
    }

    fn look(&self, path: &Path) -> io::Result<(Kind, Stamp)> {
        let elsewhere = self.elsewhere(path);
        let mut state = self.state();
        state.call(false)?;
        if elsewhere {
            return Disk::default().look(path);
        }
        let node = state.find(path)?;
        Ok((state.kind(node), state.stamp(node)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Kind)>> {
        let mut state = self.state();
        state.call(false)?;
        state.find(folder)?;
        let mut found = state.below(folder);
        found.retain(|(path, _)| path.parent() == Some(folder));
        Ok(found.into_iter().map(|(path, node)| (path, state.kind(node))).collect())
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call(true)?;
        state.make(path, None).map(drop)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call(false)?;
        let node = state.find(from)?;
        state.find(to.parent().expect("is no root"))?;
        let mut change = vec![(from.to_owned(), None), (to.to_owned(), Some(node))];
        for (path, node) in state.below(from) {
            let moved = to.join(path.strip_prefix(from).expect("lies below"));
            change.extend([(path, None), (moved, Some(node))]);
        }
        state.name(change);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call(false)?;
        let node = state.find(path)?;
        state.content(node)?;
        state.name(vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let disk = Disk::new(self.clone());
        for (below, kind) in disk.list(path)? {
            match kind {
                Kind::Folder => disk.remove_folder(&below)?,
                _ => disk.remove(&below)?,
            }
        }
        let mut state = self.state();
        state.call(false)?;
        state.name(vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn protect(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call(false)?;
        let (node, now) = (state.find(path)?, state.now);
        let content = state.content(node)?;
        (content.protected, content.changed) = (true, now);
        Ok(())
    }
}
