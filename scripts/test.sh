#!/usr/bin/env bash
# All tests, then a smoke replication with its notebooks. Everything is built once, in the dev
# profile (dependencies optimised there too); the kernel builds beside the first, single-threaded
# stretches of it.
# shellcheck source=scripts/papers.sh
source "$(dirname "$0")/papers.sh"
cd "$root"
# The tests choose their own.
unset PROFILE JOBS PAPER EXECUTOR LIMIT

# Runs a test that exits with 77 where this machine lacks what it needs.
where_possible() {
    "$@" || {
        [ $? -eq 77 ] || fail "$1 did not pass"
        say "not tested: $1, for what is said above"
    }
}

"$root/scripts/setup.sh"
begin_kernel
"$root/scripts/libtorch.sh"

say "integration and doc tests"
# By name: a pattern would also ask for what needs libtorch or a cluster.
mapfile -t suites < <(cargo metadata --no-deps --format-version 1 --locked | "$venv/bin/python" -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    for target in package["targets"]:
        if target["kind"] == ["test"] and target["test"] and not target.get("required-features"):
            print("--test=" + target["name"])')
[ ${#suites[@]} -gt 0 ] || fail "no integration test was found"
# The examples first: tests run some of them.
programs=(cargo build --workspace --locked --bins --examples)
"${programs[@]}"
cargo test --workspace --locked "${suites[@]}"
cargo test --workspace --locked --doc
say "unit tests, with those of what trains networks"
# The library is compiled for its own tests once, and quickly: they are small.
cargo test --workspace --locked --features stages/torch --lib --config 'profile.dev.package.stages.opt-level=0'
cargo test --workspace --locked --features stages/torch --test torch

say "what is exported, checked by others' tools"
"$root/scripts/test-provenance.sh"
if [ "$(id -u)" -eq 0 ]; then
    say "the engine on a Slurm cluster"
    "$root/scripts/test-slurm.sh"
else
    say "not tested: the engine on a Slurm cluster, which needs root (sudo make test-slurm)"
fi

await_kernel
say "failing notebooks fail"
"$root/scripts/test-notebooks.sh"

mapfile -t wanted < <(papers)
say "smoke replication: ${wanted[*]}"
# As above, features and all, so that nothing is compiled again; `retune-torch` was built for its tests,
# and a `retune` with libtorch in it beside.
"${programs[@]}"
"$venv/bin/python" "$root/scripts/test-schemas.py" "$root/target/debug/retune"
"$root/scripts/test-resume.sh" "$root/target/debug/retune"
replicate "$root/target/debug/retune" smoke "${wanted[@]}"
mapfile -t books < <(notebooks "${wanted[@]}")
"$root/scripts/notebook.sh" "${books[@]}"
say "the report, and every artifact in DuckDB, pandas and polars"
where_possible "$root/scripts/test-artifacts.sh" "$root/target/debug/retune"
say "the report's pages in a browser"
where_possible "$root/scripts/test-site.sh" "$root/target/debug/retune"
say "a new paper, as the guide says"
"$root/scripts/test-newcomer.sh" "$root/target/debug/retune"
say "all tests passed"
