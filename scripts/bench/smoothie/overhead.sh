#!/bin/sh
# What a suggestion costs: our DEHB against dehb, our BOHB against hpbandster, on counting ones
# (8 categories, 8 numbers), one thread each, in CPU time. Both sides run in turn; medians of PAIRS
# pairs (default 5). The peers need an older numpy than other benchmarks: they have an environment
# of their own below .venv.
set -eu
cd "$(dirname "$0")/../../.."
venv=.venv/tuner-peers
pairs=${PAIRS:-5}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
peers="dehb==0.1.2 hpbandster==0.7.4 ConfigSpace==1.2.0 numpy==1.26.4 scipy==1.17.1
 statsmodels==0.15.0"

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/python" -c "
from importlib.metadata import version
import sys
sys.exit(any(version(n) != v for n, v in (p.split('==') for p in sys.argv[1:])))
" $peers 2>/dev/null; then
    echo "installing" $peers "into $venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check $peers || {
        echo "the peers could not be installed:" $peers >&2
        exit 2
    }
fi
cargo build --release --quiet --example tuner_overhead

# overhead NAME GOAL SUGGESTIONS
overhead() {
    "$venv/bin/python" scripts/bench/smoothie/overhead.py "$1" "$2" "$3" "$pairs" \
        target/release/examples/tuner_overhead
}
overhead dehb 50 2000
overhead bohb 50 500
