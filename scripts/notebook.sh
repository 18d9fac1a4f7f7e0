#!/usr/bin/env bash
# notebook.sh NAME…: executes notebooks/NAME.ipynb into artifacts/report/NAME.html, where that page was not
# made from the same results and the same code (`retune pages`). Fails when a cell fails in any way: error, panic, failed `?`, a dead kernel.
# NAME may also be the path of a notebook; it runs in its own folder.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
[ $# -gt 0 ] || fail "usage: scripts/notebook.sh NAME…"

report=${REPORT_DIR:-$report}
paths=()
for name in "$@"; do
    case $name in
    *.ipynb) path=$name ;;
    *) path=$root/notebooks/$name.ipynb ;;
    esac
    [ -f "$path" ] || fail "no notebook $path"
    paths+=("$path")
done
# Key, state and path of each. Not in a pipe: that would take a failure for "nothing to do".
pages=$("$(program)" pages --report "$report" --store "$artifacts" --configs "$root/configs" "${paths[@]}")
stale=$(awk -F '\t' '$2 == "stale"' <<<"$pages")
[ -n "$stale" ] || {
    say "up to date: $*"
    exit 0
}

ready_kernel
# The kernel's crate would resolve its own versions: it starts from the ones that are tested.
mkdir -p "$tools/evcxr" "$report"
# It works offline, and a build of one program does not fetch the crates of the prelude.
cargo fetch -q --locked --offline --manifest-path "$root/Cargo.toml" 2>/dev/null ||
    cargo fetch -q --locked --manifest-path "$root/Cargo.toml"
exec 9>"$tools/notebook.lock"
flock 9
cp "$root/Cargo.lock" "$tools/evcxr/Cargo.lock"
while IFS=$'\t' read -r key _ path; do
    "$venv/bin/python" "$root/scripts/notebook.py" "$path" "$report" "$key" </dev/null
done <<<"$stale"
