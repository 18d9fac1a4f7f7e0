//! Tests that libtorch multiplies matrices itself, with the kernels of the family that workers fix. OpenBLAS,
//! which the same program links for LAPACK, must not take over its products: their bits would then depend on
//! OpenBLAS's choice of kernel.

use std::{env, process::Command};

use pipeline::{kernels::Kernels, run::worker};
use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::Tensor;

/// Prints a product of single-precision matrices, for the test below.
#[test]
#[expect(clippy::print_stdout, reason = "another process reads it")]
fn product() {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut matrix = || {
        let values: Vec<f32> = (0..300 * 300).map(|_| rng.random::<f32>() - 0.5).collect();
        Tensor::from_slice(&values).view([300, 300])
    };
    let product = matrix().matmul(&matrix());
    assert_eq!(product.size(), [300, 300]);
    let values = Vec::<f32>::try_from(product.view([-1])).expect("numbers");
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    println!("product {}", blake3::hash(&bytes));
}

/// The output of the test above in a process with these variables.
fn product_with(variables: &[(&str, String)]) -> String {
    let program = env::current_exe().expect("a test has a file");
    let mut command = Command::new(program);
    command.args(["--exact", "product", "--nocapture"]);
    command.env_remove("MKL_CBWR").envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output().expect("starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn products_do_not_follow_openblas() {
    let with = |kernels: &str| {
        let text = product_with(&[("OPENBLAS_CORETYPE", kernels.to_owned())]);
        let line = text.lines().find_map(|line| line.split_once("product ").map(|(_, hash)| hash));
        line.expect("prints its product").to_owned()
    };
    assert_eq!(with("Haswell"), with("Prescott"));
}

#[test]
fn workers_hold_libtorch_to_a_family_of_kernels() {
    if Kernels::here() == Kernels::Other {
        return;
    }
    // MKL reports each call; "CNR:OFF" is its own choice of kernel, by processor model.
    let verbose = ("MKL_VERBOSE", "1".to_owned());
    let mut variables = worker::environment(1);
    variables.push(verbose.clone());
    let (held, free) = (product_with(&variables), product_with(&[verbose]));
    let told = |text: &str| text.lines().find(|line| line.contains("GEMM(")).map(str::to_owned);
    let (held, free) = (told(&held).expect("a product"), told(&free).expect("a product"));
    assert!(free.contains("CNR:OFF"), "{free}");
    assert!(!held.contains("CNR:OFF"), "{held}");
}

/// The libraries that are loaded when a program starts, as the system's loader lists them.
fn loaded_with(program: &str) -> String {
    let output = Command::new(program).env("LD_TRACE_LOADED_OBJECTS", "1").output();
    let text = String::from_utf8(output.expect("starts").stdout).expect("UTF-8");
    assert!(text.contains("libopenblas"), "{program} has LAPACK: {text}");
    text
}

/// Loading it takes a fifth of a second, by which each command of `retune` would then be slower.
#[test]
fn only_the_worker_is_started_with_libtorch() {
    let trains = env!("CARGO_BIN_EXE_retune-torch");
    let plans = std::path::Path::new(trains).with_file_name("retune");
    assert!(plans.is_file(), "build it first: cargo build --workspace --bins");
    let [plans, trains] = [plans.to_str().expect("UTF-8"), trains].map(loaded_with);
    assert!(trains.contains("libtorch_cpu"), "{trains}");
    assert!(!plans.contains("libtorch") && !plans.contains("libc10"), "{plans}");
}

/// Stages without a network would have other last digits in it, under the same keys.
#[test]
fn the_worker_is_no_command() {
    let trains = env!("CARGO_BIN_EXE_retune-torch");
    for verb in ["run", "plan", "--version"] {
        let ended = Command::new(trains).arg(verb).output().expect("starts");
        let said = String::from_utf8(ended.stderr).expect("UTF-8");
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.contains("start `retune` instead"), "{said}");
    }
}
