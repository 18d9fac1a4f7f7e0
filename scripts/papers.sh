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
        grep -rqs retune-torch "$root/stages/src/papers/$paper" && return 0
    done
    return 1
}

# begin_kernel [SCRIPT…]: the notebook kernel takes minutes to build, once: this builds it, and then runs the
# scripts, beside what follows, where that leaves cores idle. It ends when the script does, however that ends.
begin_kernel() {
    mkdir -p "$tools"
    # A process group of its own, so that its compilers can be ended with it.
    set -m
    (for script in "$root/scripts/kernel.sh" "$@"; do nice "$script" || exit; done) >"$tools/kernel.log" 2>&1 &
    kernel=$!
    set +m
    trap 'kill -- "-$kernel" 2>/dev/null || true' EXIT
}

await_kernel() {
    kill -0 "$kernel" 2>/dev/null && say "waiting for the notebook kernel (progress: .tools/kernel.log)"
    wait "$kernel" || { tail -n 20 "$tools/kernel.log" >&2; fail "the notebook kernel, or what was to be done with it, failed"; }
    trap - EXIT
}
