//! libtorch multiplies matrices itself: OpenBLAS, which the same program links for LAPACK, must not
//! take its products over. Their bits would then follow OpenBLAS's choice of kernel.

use std::{env, process::Command};

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

fn product_with(kernels: &str) -> String {
    let program = env::current_exe().expect("a test has a file");
    let mut command = Command::new(program);
    command.args(["--exact", "product", "--nocapture"]).env("OPENBLAS_CORETYPE", kernels);
    let output = command.output().expect("starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let line = text.lines().find_map(|line| line.split_once("product ").map(|(_, hash)| hash));
    line.expect("prints its product").to_owned()
}

#[test]
fn products_do_not_follow_openblas() {
    assert_eq!(product_with("Haswell"), product_with("Prescott"));
}
