//! The toy registry of the tests as a program: `cargo run --example toy -- plan`.

#[path = "../tests/toy/mod.rs"]
mod toy;

/// As in `retune`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    pipeline::cli::run(toy::registry(), Vec::new())
}
