# Sourced by benchmarks, from the root of the checkout: how much is measured, and with which build.
# BENCH=tiny asks only whether a benchmark still works: its smallest size, once, with the debug build that
# the tests have too. Its numbers mean nothing.
# shellcheck shell=sh
case ${BENCH:-} in
'' | tiny) ;;
*)
    echo "BENCH=$BENCH: choose tiny, or leave it out" >&2
    exit 2
    ;;
esac

tiny() { [ "${BENCH:-}" = tiny ]; }

# sized USUAL TINY
sized() { if tiny; then echo "$2"; else echo "$1"; fi; }

# build ARGUMENT...: what cargo is to build; sets `programs` to where the examples lie.
build() {
    # The whole workspace, as the tests do it: for a part of it dependencies would be compiled again.
    # shellcheck disable=SC2046
    cargo build --quiet --locked $(sized --release --workspace) "$@"
    # shellcheck disable=SC2034
    programs=$PWD/target/$(sized release debug)/examples
}

# absent WHAT: ends a benchmark that lacks something here.
absent() {
    echo "not measured here: $*" >&2
    exit 77
}

# loads PROGRAM ARGUMENT...: runs what reads a data set, with the folder `work` to write in. False where
# the data set is not available here; anything else that goes wrong ends the benchmark.
loads() {
    "$@" 2> "$work/said" && return
    cat "$work/said" >&2
    grep -q Unavailable "$work/said" || exit 1
    return 1
}
