//! An open file of the file system in memory, or the bytes of one of the machine's.

use std::io::{self, Read, Seek, SeekFrom, Write};

use nix::errno::Errno;
use pipeline::disk::{File, Stamp};

use crate::{
    content::Change,
    memory::{Memory, Node, State, error},
};

/// An open file: here, or the bytes of one elsewhere.
pub struct Opened {
    pub memory: Memory,
    pub node: Result<Node, Vec<u8>>,
    pub at: usize,
}

impl Opened {
    /// Counts a call and does something with the file.
    fn with<T>(
        &mut self,
        takes_room: bool,
        act: impl FnOnce(&mut State, Node, bool) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.memory.state();
        let short = state.call(takes_room)?;
        match self.node {
            Ok(node) => act(&mut state, node, short),
            Err(_) => error(Errno::EBADF),
        }
    }
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.memory.state();
        let short = state.call(false)?;
        let bytes = match &self.node {
            Ok(node) => &state.content(*node)?.bytes,
            Err(bytes) => bytes,
        };
        let rest = bytes.get(self.at..).unwrap_or_default();
        let most = rest.len().min(buffer.len());
        let taken = if short { most.div_ceil(2) } else { most };
        buffer[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken;
        Ok(taken)
    }
}

impl Write for Opened {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(true, |state, node, short| {
            let now = state.now;
            let content = state.content(node)?;
            if content.protected {
                return error(Errno::EACCES);
            }
            let taken = if short { bytes.len().div_ceil(2) } else { bytes.len() };
            content.change(Change::Added(bytes[..taken].to_vec()), now);
            Ok(taken)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let size = self.stamp()?.size;
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => size.checked_add_signed(by),
            SeekFrom::Current(by) => (self.at as u64).checked_add_signed(by),
        };
        let at = at.map_or_else(|| error(Errno::EINVAL), Ok)?;
        self.at = usize::try_from(at).expect("is small");
        Ok(at)
    }
}

impl File for Opened {
    fn stamp(&self) -> io::Result<Stamp> {
        let mut state = self.memory.state();
        state.call(false)?;
        Ok(match &self.node {
            Ok(node) => state.stamp(*node),
            Err(bytes) => Stamp { size: bytes.len() as u64, ..state.stamp(0) },
        })
    }

    fn cut(&self, size: u64) -> io::Result<()> {
        let mut state = self.memory.state();
        state.call(false)?;
        let (now, Ok(node)) = (state.now, &self.node) else { return error(Errno::EBADF) };
        let size = usize::try_from(size).expect("is small");
        state.content(*node)?.change(Change::Cut(size), now);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.memory.state();
        state.call(false)?;
        self.node.iter().for_each(|node| state.flush(*node));
        Ok(())
    }

    fn stamp_below(&self, name: &[u8]) -> io::Result<Stamp> {
        let mut state = self.memory.state();
        state.call(false)?;
        let Ok(folder) = self.node else { return error(Errno::EBADF) };
        let name = std::str::from_utf8(name).expect("a name of the store's");
        let path = state.path(folder).map_or_else(|| error(Errno::ENOENT), Ok)?.join(name);
        state.find(&path).map(|node| state.stamp(node))
    }
}
