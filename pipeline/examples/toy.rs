//! The toy registry of the tests as a program: `cargo run --example toy -- plan`.

#[path = "../tests/toy/mod.rs"]
mod toy;

fn main() -> std::process::ExitCode {
    pipeline::cli::run(toy::registry())
}
