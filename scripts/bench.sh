#!/usr/bin/env bash
# Runs the benchmarks named on the command line, or all: tests/bench/PART.sh, one after another.
# Each ends in lines `ratio NAME VALUE goal G`, where VALUE is the peer's time over ours (`at least` behind it: the peer was
# stopped before it had ended), or exits with 77
# where this machine lacks what it compares with. Goes through all of them; fails if one failed, and exits
# with 77 if none could be measured. BENCH=tiny: only whether they work, see tests/bench/shared/size.sh.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
if [ $# -eq 0 ]; then
    for script in tests/bench/*.sh; do
        set -- "$@" "$(basename "$script" .sh)"
    done
fi
for part in "$@"; do
    if [ ! -f "tests/bench/$part.sh" ]; then
        echo "no benchmark is named $part; there are: $(cd tests/bench && echo *.sh)" >&2
        exit 2
    fi
done
said=$(mktemp)
trap 'rm -f "$said"' EXIT
failed=() absent=() measured=()
for part in "$@"; do
    set +e
    sh "tests/bench/$part.sh" | tee "$said"
    status=${PIPESTATUS[0]}
    set -e
    if [ "$status" -eq 77 ]; then
        absent+=("$part")
    elif [ "$status" -ne 0 ]; then
        failed+=("$part (exit $status)")
    elif ! tail -n 1 "$said" | grep -qE '^ratio [a-z0-9.-]+ [0-9.]+ goal [0-9.]+( at least)?$'; then
        failed+=("$part (does not end in its ratio)")
    else
        measured+=("$part")
    fi
done
[ ${#absent[@]} -eq 0 ] || say "not measured, or in part, for what is said above: ${absent[*]}"
[ ${#failed[@]} -eq 0 ] || fail "benchmarks failed: $(IFS=,; echo "${failed[*]}")"
[ ${#measured[@]} -gt 0 ] || exit 77
