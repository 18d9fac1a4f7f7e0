//! `retune` with libtorch: the worker of the stages that train networks. Everything else runs without
//! libtorch's half gigabyte.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    nets::link::link();
    pipeline::cli::run(stages::papers::registry(), stages::papers::commands())
}
