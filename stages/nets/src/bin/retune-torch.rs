//! `retune` with libtorch: the worker of the stages that train networks. Everything else runs without
//! libtorch's half gigabyte.

use std::io::Write;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const REFUSED: &str = "error: retune-torch trains networks for retune and has no commands of its own\n\
    help: start `retune` instead, which lies in the same folder\n";

/// What `retune` starts this program with: one stage, or one after another.
const WORK: [&str; 2] = ["exec-stage", "serve-stages"];

/// Works for `retune`, and for nobody else: linear algebra is libtorch's here, whose last digits are others, so that stages
/// without a network would have other results under the same keys.
fn main() -> std::process::ExitCode {
    if !std::env::args().nth(1).is_some_and(|verb| WORK.contains(&verb.as_str())) {
        drop(std::io::stderr().write_all(REFUSED.as_bytes())); // the status says it, too
        return std::process::ExitCode::from(2);
    }
    nets::link::link();
    pipeline::cli::run(stages::papers::registry(), stages::papers::commands())
}
