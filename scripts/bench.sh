#!/bin/sh
# Runs the benchmarks named on the command line, or all: scripts/bench/PART.sh, one after another.
# Each ends in lines `ratio NAME VALUE goal G`, where VALUE is the peer's time over ours.
set -eu
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
    for script in scripts/bench/*.sh; do
        set -- "$@" "$(basename "$script" .sh)"
    done
fi
for part in "$@"; do
    if [ ! -f "scripts/bench/$part.sh" ]; then
        echo "no benchmark is named $part; there are: $(cd scripts/bench && echo *.sh)" >&2
        exit 2
    fi
    sh "scripts/bench/$part.sh"
done
