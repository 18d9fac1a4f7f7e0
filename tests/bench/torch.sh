#!/bin/sh
# Training steps of residual networks and of networks that tune themselves, against the same in PyTorch
# on the CPU, with the same libtorch and one thread, in CPU time. Both sides run in turn; medians of
# PAIRS pairs (default 5).
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/shared/size.sh
scripts/libtorch.sh
# shellcheck disable=SC2046
build $(sized "-p nets" "") --example residual_step --example hyper_step
if tiny; then
    "$programs/residual_step" lanes 8 4 16 8 1 > /dev/null
    "$programs/residual_step" libtorch 8 4 16 8 1 > /dev/null
    "$programs/hyper_step" lstm tuned 8 20 4 5 1 > /dev/null
fi
. tests/bench/shared/torch-peer.sh
pairs=$(sized "${PAIRS:-5}" 1)

# step NAME GOAL DEPTH WIDTH SIDE BATCH STEPS
step() {
    "$venv/bin/python" tests/bench/torch/step.py "$1" "$2" "$pairs" \
        "$programs/residual_step" "$3" "$4" "$5" "$6" "$7"
}
# tuned NAME KIND SIZES: a cycle of two training batches and one validation batch.
tuned() {
    name=$1
    shift
    "$venv/bin/python" tests/bench/torch/tuned.py "$name" 0.95 "$pairs" \
        "$programs/hyper_step" "$@"
}
if tiny; then
    step residual-step-tiny 1 8 4 16 8 1
    tuned st-lstm-tiny lstm 8 20 4 5 1
    tuned st-cnn-tiny cnn 16 16 4 1
    exit
fi
# The small network of the paper, and the desk's, with large and with small batches.
step residual-step-32 0.95 8 16 32 128 5
step residual-step-16 10 8 4 16 128 15
step residual-step-16-batch-32 10 8 4 16 32 60
# The paper's language model on a smaller vocabulary, and one of the desk's size.
tuned st-lstm-650 lstm 650 2000 40 70 2
tuned st-lstm-100 lstm 100 1000 20 35 10
# The paper's network on images, and one of the desk's size.
tuned st-cnn-32 cnn 32 1 128 2
tuned st-cnn-16 cnn 16 4 32 20
