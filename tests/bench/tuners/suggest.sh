#!/bin/sh
# What a suggestion of the Python wheel costs against Optuna, rustuna, egobox, SMAC3 and HEBO, after 100 to 10 000 trials
# in 5 to 40 dimensions; and what one of every tuner costs after 100, 1000 and 10 000 trials in 5. CPU time, one thread
# each. Needs the wheel, which `make wheel` builds; the peers get environments of their own: SMAC3, HEBO and Optuna's
# Gaussian process (which needs torch) those of `make optimisers`.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/shared/size.sh
export VENV=.venv/suggestions
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
peers="optuna==5.0.0 numpy==2.4.6 rustuna==0.2.0 egobox==1.0.0"
if [ ! -x "$VENV/bin/python" ] && tiny; then absent "the wheel's peers would have to be installed first"; fi
# shellcheck disable=SC2086
KEEP=$(sized "" 1) sh tests/bench/shared/peers.sh $peers
wheel=$(find target/wheels -name 'retune_tuners-*.whl' 2> /dev/null | head -n 1)
if [ -z "$wheel" ]; then
    if tiny; then absent "the wheel was not built (make wheel)"; fi
    scripts/wheel.sh
    wheel=$(find target/wheels -name 'retune_tuners-*.whl' | head -n 1)
fi
"$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-index --force-reinstall "$wheel"
tiny || OPTIMISERS="optuna smac hebo" scripts/optimisers.sh
echo "CPU milliseconds per suggestion of each tuner, after so many trials in 5 dimensions"
build --example tuner_growth
# shellcheck disable=SC2046
"$programs/tuner_growth" 5 $(sized "100 1000 10000" 30)
"$VENV/bin/python" tests/bench/tuners/suggest.py "$(sized full tiny)" "$programs/tuner_growth"
