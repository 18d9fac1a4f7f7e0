#!/bin/sh
# The inner logistic solve with one hypergradient against scipy's L-BFGS and CG, on the training
# thirds of real data sets, to the same norms, one thread each, in CPU time. Both sides run in
# turn; medians of PAIRS pairs (default 7).
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/shared/size.sh
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
sh tests/bench/shared/peers.sh numpy==2.4.6 scipy==1.17.1
build --example inner_solve --example design_file
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compare NAME GOAL DATA_SET SCALING REPEATS
compare() {
    if ! loads "$programs/design_file" "$3" "$4" artifacts/data "$work/$3.bin"; then
        echo "$1: skipped, $3 is not available here (see: retune data fetch $3)"
        return 0
    fi
    # log of the penalty's curvature 0 and relative tolerance 1e-6: the middle of the paper's box,
    # and the accuracy its exact variants ask for.
    .venv/bin/python tests/bench/hoag.py "$1" "$2" "$work/$3.bin" 0 1e-6 "$(sized "$5" 1)" \
        "$(sized "${PAIRS:-7}" 1)" "$programs/inner_solve"
    compared=$((compared + 1))
}
compared=0
compare inner-solve-dense-breast-cancer 3 breast_cancer standard 20
if ! tiny; then
    compare inner-solve-dense-digits 3 digits largest 10
    compare inner-solve-dense-mnist 3 mnist largest 1
    compare inner-solve-sparse-news20 1.5 news20 none 2
fi
[ $compared -gt 0 ] || absent "none of the data sets is available"
