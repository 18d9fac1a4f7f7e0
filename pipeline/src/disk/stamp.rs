//! A file's stamp: the metadata that must agree for its content to be taken as unchanged. The change time (ctime)
//! cannot be set by a program, so writing to a file and resetting its modification time is noticed. A power cut may
//! preserve all of the metadata but not the content, so a stamp also says since which boot of the machine it is known
//! to hold.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    sync::OnceLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::digest::Digest;

/// Size, times and inode of a file, as observed during one boot of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Modification time, nanoseconds since the epoch.
    pub mtime: i64,
    /// Change time, nanoseconds since the epoch.
    pub ctime: i64,
    /// Inode number.
    pub inode: u64,
    /// The boot; 0 if the content is known to have survived one.
    pub boot: u32,
}

/// File times advance in steps of at most 10 ms (the kernel's tick).
const TICK: Duration = Duration::from_millis(20);

impl Stamp {
    /// Whether a later write is certain to change the stamp. A file written within the same tick of the file system's
    /// clock could change again without changing its stamp.
    #[must_use]
    pub fn settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(self.ctime).is_ok_and(|at| Duration::from_nanos(at) + TICK < now)
    }

    /// Whether this recorded stamp vouches for the content of the file whose stamp is now `now`.
    #[must_use]
    pub fn vouches(self, now: Self) -> bool {
        self == now || self == Self { boot: 0, ..now }
    }

    /// The stamp to record for a file that was hashed and has the content that was recorded with the stamp `before`.
    #[must_use]
    pub fn confirmed(self, before: Self) -> Self {
        let outlived = before.boot != self.boot && self == Self { boot: self.boot, ..before };
        Self { boot: if outlived { 0 } else { self.boot }, ..self }
    }

    /// The current stamp of the file called `name` below `folder`.
    pub(super) fn below(folder: &fs::File, name: &[u8]) -> io::Result<Self> {
        let meta = nix::sys::stat::fstatat(folder, name, nix::fcntl::AtFlags::empty())?;
        Ok(Self {
            size: u64::try_from(meta.st_size).unwrap_or_default(),
            mtime: meta.st_mtime * 1_000_000_000 + meta.st_mtime_nsec,
            ctime: meta.st_ctime * 1_000_000_000 + meta.st_ctime_nsec,
            inode: meta.st_ino,
            boot: boot(),
        })
    }

    /// The stamp in this metadata.
    pub(super) fn of(meta: &fs::Metadata) -> Self {
        Self {
            size: meta.size(),
            mtime: meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
            ctime: meta.ctime() * 1_000_000_000 + meta.ctime_nsec(),
            inode: meta.ino(),
            boot: boot(),
        }
    }
}

/// The number of this boot, which is not 0. If the kernel does not report one, all boots have the same number.
fn boot() -> u32 {
    static BOOT: OnceLock<u32> = OnceLock::new();
    *BOOT.get_or_init(|| {
        let id = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let [a, b, c, d, ..] = *Digest::of(&id).bytes();
        u32::from_le_bytes([a, b, c, d]).max(1)
    })
}
