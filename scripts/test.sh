#!/usr/bin/env bash
# All tests, then a smoke replication with its notebooks, which is given no mirror and no publisher's URL:
# what a new user's machine has. Everything is built once, in the dev profile (dependencies optimised there
# too), with libtorch; the kernel builds beside the first, single-threaded stretches of it.
# shellcheck source=scripts/papers.sh
source "$(dirname "$0")/papers.sh"
cd "$root"
# The tests choose their own.
unset PROFILE JOBS PAPER EXECUTOR LIMIT RETUNE_ARTIFACTS RETUNE_OFFLINE
started=$SECONDS

# As `say`, with the minutes since the start.
step() { say "$* ($(((SECONDS - started) / 60)) min)"; }

# Runs a test that exits with 77 where this machine lacks what it needs.
where_possible() {
    "$@" || {
        [ $? -eq 77 ] || fail "$1 did not pass"
        say "not tested: $1, for what is said above"
    }
}

"$root/scripts/setup.sh"
begin_kernel "$root/scripts/test-notebooks.sh"
"$root/scripts/libtorch.sh"

step "integration and doc tests"
[ -n "${RETUNE_DATA_MIRROR:-}" ] ||
    say "RETUNE_DATA_MIRROR is not set: tests of data that no registry has say that they are skipped"
# By name: a pattern would also ask for what needs a cluster.
mapfile -t suites < <(cargo metadata --no-deps --format-version 1 --locked | "$venv/bin/python" -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    for target in package["targets"]:
        if target["kind"] == ["test"] and target["test"] and not target.get("required-features"):
            print("--test=" + target["name"])')
[ ${#suites[@]} -gt 0 ] || fail "no integration test was found"
# The examples first: tests run some of them.
cargo build --workspace --locked --bins --examples
cargo test --workspace --locked "${suites[@]}"
cargo test --workspace --locked --doc
# It waits for its cluster most of the time.
if [ "$(id -u)" -eq 0 ]; then
    begin cluster "$root/scripts/test-slurm.sh"
else
    say "not tested: the engine on a Slurm cluster, which needs root (sudo make test-slurm)"
fi
step "unit tests"
cargo test --workspace --locked --lib

step "what is exported, checked by others' tools"
"$root/scripts/test-provenance.sh"
if [ -n "${beside[cluster]:-}" ]; then
    step "the engine on a Slurm cluster"
    await cluster
    grep '^test ' "$tools/cluster.log"
fi

step "failing notebooks fail"
await_kernel
grep '^== notebook test' "$tools/kernel.log"

# From here on a store of its own, whatever this machine and this checkout have.
unset RETUNE_DATA_MIRROR
export RETUNE_OFFLINE=urls RETUNE_ARTIFACTS=$root/target/smoke
artifacts=$RETUNE_ARTIFACTS report=$RETUNE_ARTIFACTS/report
retune=$root/target/debug/retune
mkdir -p "$artifacts"
mapfile -t wanted < <(papers)
step "smoke replication: ${wanted[*]}"
"$venv/bin/python" "$root/scripts/test-schemas.py" "$retune"
"$root/scripts/test-resume.sh" "$retune"
replicate "$retune" smoke "${wanted[@]}"
"$retune" report --profile smoke
# Both leave a core idle: a notebook is compiled cell by cell, the guide's paper crate by crate.
begin guide "$root/scripts/test-newcomer.sh" "$retune"
mapfile -t books < <(notebooks "${wanted[@]}")
"$root/scripts/notebook.sh" "${books[@]}"
step "the report, and every artifact in DuckDB, pandas and polars"
where_possible "$root/scripts/test-artifacts.sh" "$retune" "$artifacts"
step "the report's pages in a browser"
where_possible "$root/scripts/test-site.sh" "$retune" "$artifacts"
step "notebooks and pages where data are absent"
"$root/target/debug/cells" check --retune "$retune" --store "$artifacts" --profile smoke
step "the benchmarks still work"
BENCH=tiny where_possible "$root/scripts/bench.sh"
step "a new paper, as the guide says"
await guide
cat "$tools/guide.log"
step "all tests passed"
