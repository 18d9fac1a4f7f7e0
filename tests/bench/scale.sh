#!/bin/sh
# How the engine grows from a thousand to a million stages: each size in a process of its own, so that
# its memory is its own. The last lines compare a million stages with a hundred thousand: ten times
# as many should take little more than ten times as long, and as much memory.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/shared/size.sh
# shellcheck disable=SC2046
build $(sized "-p pipeline" "") --example scale
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for stages in $(sized "1000 10000 100000 1000000" "1000 10000"); do
    "$programs/scale" "$stages" > "$out.one"
    cat "$out.one"
    cat "$out.one" >> "$out"
done
rm "$out.one"
awk '{ gsub(/[^0-9. ]/, ""); stages[NR] = $1; time[NR] = $2 + $3 + $4; memory[NR] = $5 }
    END {
        printf "ratio scale-time %.2f goal 0.7\n", 10 * time[NR-1] / time[NR]
        printf "ratio scale-memory %.2f goal 0.7\n", 10 * memory[NR-1] / memory[NR]
    }' "$out"
