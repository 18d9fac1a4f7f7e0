# Sourced: which papers are replicated, and the steps that reproduce.sh and test.sh share.
# shellcheck shell=bash
# shellcheck source=scripts/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# The papers asked for: $PAPER, or every paper that has a config.
papers() {
    if [ -n "${PAPER:-}" ]; then
        local paper
        for paper in $PAPER; do
            [ -f "$root/configs/$paper.toml" ] || fail "PAPER=$paper: there is no configs/$paper.toml"
            echo "$paper"
        done
        return
    fi
    local config
    for config in "$root"/configs/*.toml; do
        case $config in *.claims.toml) continue ;; esac
        [ -f "$config" ] && basename "$config" .toml
    done
    return 0
}

# replicate RETUNE PROFILE PAPER...: data, experiments, and what the report shows besides tables. One run
# of all papers: where the last stages of one leave a core idle, another's go on.
# Data that cannot be had make their stages unavailable; the run says so and goes on. $EXECUTOR and
# $LIMIT, if set, are the run's.
replicate() {
    local retune=$1 profile=$2 paper status=0 how=()
    shift 2
    [ -z "${EXECUTOR:-}" ] || how+=(--executor "$EXECUTOR")
    [ -z "${LIMIT:-}" ] || how+=(--limit "$LIMIT")
    "$retune" run "$@" --profile "$profile" "${how[@]}" || status=$?
    mkdir -p "$report"
    python3 "$root/scripts/differs.py" "$report" "$@"
    for paper in "$@"; do
        "$retune" graph "$paper" --profile "$profile" --format svg >"$report/$paper-dag.svg"
    done
    return "$status"
}

# The notebooks of the papers named, those that have one, and the one that opens any artifact.
notebooks() {
    local paper
    for paper in "$@"; do
        [ -f "$root/notebooks/$paper.ipynb" ] && echo "$paper"
    done
    echo explore
}

# Whether one of the papers named trains networks: then its sources name the worker that does.
trains_networks() {
    local paper
    for paper in "$@"; do
        grep -rqs retune-torch "$root/stages/papers/$paper" && return 0
    done
    return 1
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

# begin_kernel [SCRIPT…]: the notebook kernel takes minutes to build, once: this builds it, and then runs the
# scripts.
begin_kernel() {
    # shellcheck disable=SC2016 # the inner shell expands it
    begin kernel bash -c 'for script; do "$script" || exit; done' begin "$root/scripts/kernel.sh" "$@"
}

await_kernel() { await kernel; }
