#!/bin/sh
# One SMOOTHIE run with tiny networks (30 probes of one epoch, 5 trainings of 100) against the same
# in PyTorch on the CPU, in turn; median of PAIRS pairs (default 3).
set -eu
cd "$(dirname "$0")/../../.."
pairs=${PAIRS:-3}
. scripts/torch-peer.sh
cargo build --release --quiet --example smoothie_run
"$venv/bin/python" scripts/bench/smoothie/run.py 20 "$pairs" target/release/examples/smoothie_run
