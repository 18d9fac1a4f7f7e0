//! The notebooks as functions, as the build script makes them.

type Page = crate::page::Page<std::io::Stdout>;

include!(concat!(env!("OUT_DIR"), "/notebooks.rs"));
