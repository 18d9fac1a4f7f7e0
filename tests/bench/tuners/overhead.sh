#!/bin/sh
# What a suggestion costs: our DEHB against dehb, our BOHB against hpbandster, on counting ones
# (8 categories, 8 numbers), one thread each, in CPU time. Both sides run in turn; medians of PAIRS
# pairs (default 5). The peers need an older numpy than other benchmarks: they have an environment
# of their own below .venv.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/shared/size.sh
export VENV=.venv/tuner-peers
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
build --example tuner_overhead
if tiny; then "$programs/tuner_overhead" dehb 8 8 20 1 > /dev/null; fi
peers="dehb==0.1.2 hpbandster==0.7.4 ConfigSpace==1.2.0 numpy==1.26.4 scipy==1.17.1
 statsmodels==0.15.0"

# They take minutes to install.
# shellcheck disable=SC2086
KEEP=$(sized "" 1) sh tests/bench/shared/peers.sh $peers

# overhead NAME GOAL SUGGESTIONS
overhead() {
    "$VENV/bin/python" tests/bench/tuners/overhead.py "$1" "$2" "$3" "$(sized "${PAIRS:-5}" 1)" \
        "$programs/tuner_overhead"
}
overhead dehb 50 "$(sized 2000 40)"
overhead bohb 50 "$(sized 500 200)"
