//! Where data files are looked for and which sources are allowed.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Environment variable that names the mirror folder.
pub const MIRROR_VARIABLE: &str = "RETUNE_DATA_MIRROR";
/// Environment variable that forbids the network: `urls` forbids the publishers' URLs; anything else but `0`
/// or the empty string forbids the packages of registries too.
pub const OFFLINE_VARIABLE: &str = "RETUNE_OFFLINE";

/// Receives one line of text for each event worth reporting.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// The places that [`fetch`](super::fetch()) looks into.
#[derive(Clone)]
pub struct Places {
    /// The cache: data set `id` is in `cache/id/`.
    pub cache: PathBuf,
    /// A folder of data files kept by hand, laid out as the registry's mirror paths.
    pub mirror: Option<PathBuf>,
    /// If set, no package is downloaded and no URL requested.
    pub offline: bool,
    /// If set, no publisher's URL is requested.
    pub no_urls: bool,
    /// Where to look for `pip`, `npm`, `apt-get`, `curl`; `None` is the process's own `PATH`.
    pub search_path: Option<OsString>,
    /// Receives reports of downloads and refused files.
    pub progress: Option<Progress>,
}

impl Places {
    /// Cache only: no mirror, no network.
    #[must_use]
    pub fn cache_only(cache: impl Into<PathBuf>) -> Self {
        let cache = cache.into();
        Self {
            cache,
            mirror: None,
            offline: true,
            no_urls: true,
            search_path: None,
            progress: None,
        }
    }

    /// The given cache, with the rest from [`MIRROR_VARIABLE`] and [`OFFLINE_VARIABLE`]. An empty variable
    /// counts as not set.
    #[must_use]
    pub fn from_env(cache: impl Into<PathBuf>) -> Self {
        Self::from_variables(cache, |name| env::var_os(name))
    }

    /// [`Self::from_env`] with another environment.
    fn from_variables(
        cache: impl Into<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let wanted = set(OFFLINE_VARIABLE).filter(|value| value != "0");
        Self {
            mirror: set(MIRROR_VARIABLE).map(PathBuf::from),
            offline: wanted.as_ref().is_some_and(|value| value != "urls"),
            no_urls: wanted.is_some(),
            ..Self::cache_only(cache)
        }
    }

    /// The folder of data set `id` in the cache.
    #[must_use]
    pub fn folder(&self, id: &str) -> PathBuf {
        self.cache.join(id)
    }

    /// Passes `line` to the progress callback, if there is one.
    pub fn tell(&self, line: &str) {
        if let Some(progress) = &self.progress {
            progress(line);
        }
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places")
            .field("cache", &self.cache)
            .field("mirror", &self.mirror)
            .field("offline", &self.offline)
            .field("no_urls", &self.no_urls)
            .field("search_path", &self.search_path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_set_to_nothing_are_not_set() {
        let places = |mirror: &str, offline: &str| {
            Places::from_variables("cache", |name| match name {
                MIRROR_VARIABLE => Some(mirror.into()),
                OFFLINE_VARIABLE => Some(offline.into()),
                _ => None,
            })
        };
        let (none, some) = (places("", ""), places("mirror", "1"));
        assert_eq!((none.mirror, none.offline), (None, false));
        assert_eq!((some.mirror, some.offline), (Some("mirror".into()), true));
        assert!(!places("", "0").offline && !places("", "0").no_urls);
        let urls = places("", "urls");
        assert_eq!((urls.offline, urls.no_urls), (false, true));
    }
}
