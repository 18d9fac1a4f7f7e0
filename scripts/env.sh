# Sourced by the other scripts: where this project keeps its tools. Everything lies in the checkout
# (.tools, .venv, target, artifacts); nothing of the user's settings is read or written.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/.tools
venv=$root/.venv
export PATH="$tools/bin:$PATH:$HOME/.cargo/bin"

# The kernel specification and all state of Jupyter.
export JUPYTER_PATH=$tools/jupyter JUPYTER_DATA_DIR=$tools/jupyter
export JUPYTER_CONFIG_DIR=$tools/jupyter/config JUPYTER_RUNTIME_DIR=$tools/jupyter/runtime
export IPYTHONDIR=$tools/jupyter/ipython EVCXR_CONFIG_DIR=$tools/jupyter/evcxr

evcxr_version=0.22.0

# Where results lie: `retune` and the notebooks' prelude read the variable too.
artifacts=${RETUNE_ARTIFACTS:-$root/artifacts}
report=$artifacts/report

# replicate RETUNE PROFILE PAPER...: experiments, and what the report shows besides tables. One run of all papers: where
# the last stages of one leave a core idle, another's go on. Data that are not available make their stages unavailable; the
# run says so and goes on. $EXECUTOR and $LIMIT, if set, are the run's.
replicate() {
    local retune=$1 profile=$2 paper status=0 how=()
    shift 2
    [ -z "${EXECUTOR:-}" ] || how+=(--executor "$EXECUTOR")
    [ -z "${LIMIT:-}" ] || how+=(--limit "$LIMIT")
    "$retune" run "$@" --profile "$profile" "${how[@]}" || status=$?
    mkdir -p "$report"
    for paper in "$@"; do
        "$retune" graph "$paper" --profile "$profile" --format svg >"$report/$paper-dag.svg"
    done
    return "$status"
}

# Makes the notebooks' kernel ready for what is started after it. Rust's own library is named: compiled cells look for
# it below a folder that they have been moved out of, which fails where checkout and toolchain have a folder in common,
# such as a home. The kernel's allocator does without huge pages, most of which would be cleared for nothing: a sixth of
# the kernel's CPU time at its start.
ready_kernel() {
    "$root/scripts/kernel.sh"
    LD_LIBRARY_PATH=$(rustc --print target-libdir)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH MIMALLOC_ALLOW_THP=0
}

# The path of the program: $RETUNE, or the one that was built last; where there is none, it is built.
program() {
    local built=${RETUNE:-} profile
    if [ -z "$built" ]; then
        for profile in release debug; do
            local one=${CARGO_TARGET_DIR:-$root/target}/$profile/retune
            [ ! -x "$one" ] || [ "$built" -nt "$one" ] || built=$one
        done
    fi
    if [ -z "$built" ]; then
        cargo build -q --locked --manifest-path "$root/Cargo.toml" --bin retune >&2
        built=${CARGO_TARGET_DIR:-$root/target}/debug/retune
    fi
    echo "$built"
}

# pinned FOLDER LIST: a Python environment in FOLDER with the packages of LIST, each of which must have the hash
# that LIST states. A copy of LIST tells whether it is up to date.
pinned() {
    cmp -s "$2" "$1/installed.txt" && return 0
    say "installing Python packages into ${1#"$root/"}"
    [ -x "$1/bin/python" ] || python3 -m venv "$1"
    "$1/bin/python" -m pip install -q --disable-pip-version-check --require-hashes -r "$2" &&
        cp "$2" "$1/installed.txt"
}

say() { printf '== %s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
