#!/bin/sh
# One SMOOTHIE run with tiny networks (30 probes of one epoch, 5 trainings of 100) against the same
# in PyTorch on the CPU, in turn; median of PAIRS pairs (default 3).
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/shared/size.sh
build --example smoothie_run
. tests/bench/shared/torch-peer.sh
"$venv/bin/python" tests/bench/smoothie/run.py 20 "$(sized "${PAIRS:-3}" 1)" "$(sized 30 1)" \
    "$programs/smoothie_run"
