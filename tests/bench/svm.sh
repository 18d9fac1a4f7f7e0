#!/bin/sh
# The kernel machine against scikit-learn's SVC (libsvm) on the first 10 000 rows of letter, to the
# same tolerance, one thread each in CPU time, then two threads of ours in wall time; last the
# prediction of 2000 rows. Both sides run in turn; medians of PAIRS pairs (default 5).
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/shared/size.sh
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
sh tests/bench/shared/peers.sh numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
build --example svm_fit --example classified_file
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data_set=$(sized letter iris)
loads "$programs/classified_file" "$data_set" 10000 artifacts/data "$work/rows.bin" ||
    absent "$data_set is not available (see: retune data fetch $data_set)"

# compare NAME C GAMMA
compare() {
    .venv/bin/python tests/bench/svm/fit.py "svm-$data_set-$1" "$work/rows.bin" "$2" "$3" 1e-3 \
        "$(sized "${PAIRS:-5}" 1)" "$programs/svm_fit"
}
compare c1 1 0.0625
tiny || compare c100 100 0.03
