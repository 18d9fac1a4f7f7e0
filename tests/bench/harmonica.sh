#!/bin/sh
# Harmonica: the Lasso on all parities against scikit-learn.
set -eu
cd "$(dirname "$0")"
sh harmonica/lasso.sh
