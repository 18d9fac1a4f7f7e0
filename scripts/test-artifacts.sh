#!/usr/bin/env bash
# test-artifacts.sh [ARTIFACTS]: opens every artifact of a store with DuckDB, pandas and polars, from the
# Python Package Index, in .tools/artifacts (600 MB). They must agree, columns must say what they hold,
# and index.parquet must fit the store.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
artifacts=${1:-artifacts}
list=$root/scripts/artifacts/requirements.txt
[ -d "$artifacts/store" ] || fail "no artifact in $artifacts; make some: make reproduce PROFILE=smoke"
if ! cmp -s "$list" "$tools/artifacts/installed.txt"; then
    say "installing DuckDB, pandas and polars into .tools/artifacts"
    python3 -m venv "$tools/artifacts"
    "$tools/artifacts/bin/python" -m pip install -q --disable-pip-version-check -r "$list"
    cp "$list" "$tools/artifacts/installed.txt"
fi
cargo build --locked --bin retune
"$root/target/debug/retune" report --profile smoke --store "$artifacts" >/dev/null
"$tools/artifacts/bin/python" "$root/scripts/artifacts/open.py" "$artifacts"
