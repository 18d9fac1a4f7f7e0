#!/bin/sh
# SMOOTHIE: one run against the same in PyTorch, and what a suggestion of DEHB and BOHB costs against
# their public implementations.
set -eu
cd "$(dirname "$0")"
sh smoothie/run.sh
sh smoothie/overhead.sh
