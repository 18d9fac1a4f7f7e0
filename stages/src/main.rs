//! The `retune` program.

fn main() -> std::process::ExitCode {
    pipeline::cli::run(stages::papers::registry())
}
