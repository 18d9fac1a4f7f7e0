#!/bin/sh
# SMOOTHIE: one run against the same in PyTorch.
set -eu
exec sh "$(dirname "$0")/smoothie/run.sh"
