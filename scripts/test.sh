#!/usr/bin/env bash
# All tests, then a smoke replication with its notebooks, which is given no mirror and no publisher's URL:
# what a new user's machine has. Everything is built once, in the dev profile (dependencies optimised there
# too), with libtorch; the kernel builds beside the first, single-threaded stretches of it.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
# The tests choose their own.
unset PROFILE JOBS PAPER EXECUTOR LIMIT RETUNE_ARTIFACTS RETUNE_OFFLINE
started=$SECONDS

# As `say`, with the minutes since the start.
step() { say "$* ($(((SECONDS - started) / 60)) min)"; }

# Runs a test that exits with 77 where this machine lacks what it needs.
where_possible() {
    "$@" || {
        [ $? -eq 77 ] || fail "$* did not pass"
        say "not tested: $*, for what is said above"
    }
}

# begin NAME COMMAND…: runs a command beside what follows, where that leaves cores idle. It ends when the script
# does, however that ends; what it says is in .tools/NAME.log.
declare -A beside=()
begin() {
    local name=$1
    shift
    mkdir -p "$tools"
    # A process group of its own, so that all it starts can be ended with it.
    set -m
    nice "$@" >"$tools/$name.log" 2>&1 &
    beside[$name]=$!
    set +m
    trap 'for group in "${beside[@]}"; do kill -- "-$group" 2>/dev/null || true; done' EXIT
}

# await NAME: what was begun has to end well; the exit status 77 is the caller's.
await() {
    local name=$1 status=0
    kill -0 "${beside[$name]}" 2>/dev/null && say "waiting for the $name (progress: .tools/$name.log)"
    wait "${beside[$name]}" || status=$?
    unset "beside[$name]"
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || {
        tail -n 20 "$tools/$name.log" >&2
        fail "the $name, or what was to be done with it, failed"
    }
    return "$status"
}

"$root/scripts/setup.sh"
# It takes minutes to build, once.
begin kernel "$root/scripts/kernel.sh"
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
    begin cluster cargo xtask slurm
else
    say "not tested: the engine on a Slurm cluster, which needs root (sudo make test-slurm)"
fi
step "unit tests"
cargo test --workspace --locked --lib

# Its validators use one core, and so does most of what the notebooks' kernel compiles.
begin exports cargo xtask provenance
step "failing notebooks fail"
await kernel
cargo xtask notebooks
step "what is exported, checked by others' tools"
await exports
if [ -n "${beside[cluster]:-}" ]; then
    step "the engine on a Slurm cluster"
    await cluster
    grep '^test ' "$tools/cluster.log"
fi

retune=$root/target/debug/retune
if compgen -G "$root/artifacts/recorded/*/recorded.json" >/dev/null; then
    # Three minutes of the recorded times, which are of programs optimised throughout: this build takes five.
    step "stages of the recorded runs, computed again for five minutes"
    RETUNE_OFFLINE=urls "$retune" audit --minutes 3 --store "$root/artifacts"
fi

# From here on a store of its own, whatever this machine and this checkout have.
unset RETUNE_DATA_MIRROR
export RETUNE_OFFLINE=urls RETUNE_ARTIFACTS=$root/target/smoke
artifacts=$RETUNE_ARTIFACTS report=$RETUNE_ARTIFACTS/report
mkdir -p "$artifacts"
mapfile -t wanted < <("$retune" papers --ids)
step "smoke replication: ${wanted[*]}"
"$venv/bin/python" "$root/tests/checks/schemas.py" "$retune"
cargo xtask resume
replicate "$retune" smoke "${wanted[@]}"
"$retune" report --profile smoke
# Both leave a core idle: a notebook is compiled cell by cell, what the guides add crate by crate.
begin guide cargo xtask newcomer
mapfile -t books < <("$retune" papers --notebooks)
RETUNE=$retune "$root/scripts/notebook.sh" "${books[@]}"
# Now with what the notebooks show.
"$retune" report --profile smoke
step "the report, and every artifact in DuckDB, pandas and polars"
where_possible cargo xtask artifacts "$artifacts"
step "the report's pages in a browser"
where_possible cargo xtask site "$artifacts"
step "notebooks and pages where data are absent"
"$root/target/debug/cells" check --retune "$retune" --store "$artifacts" --profile smoke
step "the benchmarks still work"
BENCH=tiny where_possible "$root/scripts/bench.sh"
step "a change, a new tuner and a new paper, as the guides say"
await guide
cat "$tools/guide.log"
step "all tests passed"
