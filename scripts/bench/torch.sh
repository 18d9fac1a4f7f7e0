#!/bin/sh
# One training step of residual networks against the same in PyTorch on the CPU, with the same
# libtorch and one thread, in CPU time. Both sides run in turn; medians of PAIRS pairs (default 5).
set -eu
cd "$(dirname "$0")/../.."
pairs=${PAIRS:-5}
. scripts/torch-peer.sh
scripts/libtorch.sh
cargo build --release --quiet --features stages/torch --example residual_step

# step NAME DEPTH WIDTH SIDE BATCH STEPS
step() {
    "$venv/bin/python" scripts/bench/torch/step.py "$1" 0.95 "$pairs" \
        target/release/examples/residual_step "$2" "$3" "$4" "$5" "$6"
}
# The small network of the paper, and one of the desk's size.
step residual-step-32 8 16 32 128 5
step residual-step-16 8 8 16 128 15
