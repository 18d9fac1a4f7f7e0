#!/usr/bin/env bash
# Installs the optimisers of others that `compare` runs beside ours, each with its own packages into
# .tools/optimisers/NAME; OPTIMISERS="optuna smac" names some. One that cannot be installed stays unavailable.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

lists=$root/stages/external/adapters/requirements
known=()
for list in "$lists"/*.txt; do
    known+=("$(basename "$list" .txt)")
done
read -ra wanted <<<"${OPTIMISERS:-${known[*]}}"
for name in "${wanted[@]}"; do
    [ -f "$lists/$name.txt" ] || fail "OPTIMISERS=$name: there are ${known[*]}"
done
missing=()
mkdir -p "$tools/optimisers"
for name in "${wanted[@]}"; do
    pinned "$tools/optimisers/$name" "$lists/$name.txt" || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] ||
    say "not installed with $(python3 --version): ${missing[*]}; their stages are unavailable, all others run"
