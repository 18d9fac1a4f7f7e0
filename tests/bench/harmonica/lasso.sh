#!/bin/sh
# The Lasso on all parities of degree 3 against scikit-learn's at the same duality gap, in turn;
# medians of PAIRS pairs (default 5). Then 200 variables, whose 1.3 million columns scikit-learn
# would have to hold as numbers.
set -eu
cd "$(dirname "$0")/../../.."
. tests/bench/shared/size.sh
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
sh tests/bench/shared/peers.sh numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
build --example lasso_fit
.venv/bin/python tests/bench/harmonica/lasso.py "$(sized "${PAIRS:-5}" 1)" "$(sized 60 12)" \
    "$(sized 200 20)" "$programs/lasso_fit"
