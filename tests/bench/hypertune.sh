#!/bin/sh
# What a suggestion of GP-EI costs at 60 observations: ours against the package bayesian-optimization,
# one thread each, in CPU time, in turn; medians of PAIRS pairs (default 5). With signs too, alone.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/shared/size.sh
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
sh tests/bench/shared/peers.sh numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 bayesian-optimization==3.4.0
build --example gp_suggestion

# compare DIMENSIONS GOAL
compare() {
    .venv/bin/python tests/bench/hypertune/suggestion.py "$1" "$(sized 60 6)" "$2" \
        "$(sized "${PAIRS:-5}" 1)" "$programs/gp_suggestion"
}
compare 2 20
tiny || compare 6 20
