#!/usr/bin/env bash
# test-artifacts.sh RETUNE [ARTIFACTS]: writes the report with the program RETUNE, and opens every artifact
# of a store with DuckDB, pandas and polars, from the Python Package Index, in .tools/artifacts (600 MB).
# They must agree, columns must say what they hold, and index.parquet must fit the store. Exits with 77 where
# Python is too old for them.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
[ $# -ge 1 ] || fail "usage: scripts/test-artifacts.sh RETUNE [ARTIFACTS]"
program=$(realpath "$1")
cd "$root"
artifacts=${2:-artifacts}
list=$root/scripts/artifacts/requirements.txt
[ -d "$artifacts/store" ] || fail "no artifact in $artifacts; make some: make reproduce PROFILE=smoke"
if ! cmp -s "$list" "$tools/artifacts/installed.txt"; then
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        printf 'error: DuckDB, pandas and polars want Python 3.11 or newer\n' >&2
        exit 77
    }
    pinned "$tools/artifacts" "$list"
fi
env -u PROFILE "$program" report --store "$artifacts" >/dev/null
"$tools/artifacts/bin/python" "$root/scripts/artifacts/open.py" "$artifacts"
