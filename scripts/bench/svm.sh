#!/bin/sh
# The kernel machine against scikit-learn's SVC (libsvm) on the first 10 000 rows of letter, to the
# same tolerance, one thread each in CPU time, then two threads of ours in wall time; last the
# prediction of 2000 rows. Both sides run in turn; medians of PAIRS pairs (default 5).
set -eu
cd "$(dirname "$0")/../.."
pairs=${PAIRS:-5}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
sh scripts/peers.sh numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
cargo build --release --quiet --example svm_fit --example classified_file
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target/release/examples/classified_file letter 10000 artifacts/data "$work/letter.bin"

# compare NAME C GAMMA
compare() {
    .venv/bin/python scripts/bench/svm/fit.py "$1" "$work/letter.bin" "$2" "$3" 1e-3 "$pairs" \
        target/release/examples/svm_fit
}
compare svm-letter-c1 1 0.0625
compare svm-letter-c100 100 0.03
