#!/usr/bin/env bash
# From a fresh machine to verdicts: see `make help`. The report and the claims come as soon as they are
# computed; the notebooks' kernel is built after that, and their pages are linked when they are there.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
profile=${PROFILE:-desk}
case $profile in smoke | desk | recorded | paper | gpu | gpu-short) ;; *) fail "PROFILE=$profile: choose smoke, desk, recorded, paper, gpu or gpu-short" ;; esac
# Before anything is built: a misspelt name should not cost minutes.
for paper in ${PAPER:-}; do
    [ -f "configs/$paper.toml" ] || fail "PAPER=$paper: there is no configs/$paper.toml"
done

# Whether one of the papers asked for trains networks: the crate that does is built on it.
trains_networks() {
    cargo metadata --no-deps --format-version 1 --locked | "$venv/bin/python" -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
on = {d["name"] for p in packages if p["name"] == "nets" for d in p["dependencies"]}
papers = {p["name"] for p in packages if "/stages/papers/" in p["manifest_path"]}
sys.exit(not on & papers & (set(sys.argv[1:]) or papers))' ${PAPER:-}
}

"$root/scripts/setup.sh"
# Both programs are made of one library, which is compiled once.
programs=(-p stages)
if trains_networks; then
    if "$root/scripts/libtorch.sh"; then
        programs+=(-p nets)
    else
        say "without libtorch, what trains networks will be marked unavailable"
    fi
fi
say "building in release (minutes, once)"
cargo build --release --locked "${programs[@]}" --bins
retune=$root/target/release/retune
# shellcheck disable=SC2086 # several names
wanted=$("$retune" papers --ids ${PAPER:-})
mapfile -t wanted <<<"$wanted"
say "fetching data"
"$retune" data fetch || say "some data are not available: what needs them will be marked unavailable"

if [ "$profile" = paper ]; then
    say "what the papers' own scale costs"
    "$retune" plan "${wanted[@]}" --profile paper
fi
say "${wanted[*]}, profile $profile"
failed=0
replicate "$retune" "$profile" "${wanted[@]}" || failed=$?
# Ctrl-C reaches this shell too, which goes on where the program it waits for ends by itself.
[ "$failed" -ne 130 ] || exit 130

# With LIMIT, or after a failure, a paper may have no claims yet, on which its notebook rests.
judged=()
for paper in "${wanted[@]}"; do
    if "$retune" show "$paper/claims" --path --profile "$profile" >/dev/null 2>&1; then
        judged+=("$paper")
    else
        say "$paper: its claims are not computed yet, so its notebook waits"
    fi
done
"$retune" report --profile "$profile"
[ ${#judged[@]} -eq 0 ] || "$retune" claims "${judged[@]}" --profile "$profile"
say "report: $report/index.html"
if [ ${#judged[@]} -gt 0 ]; then
    mapfile -t books < <("$retune" papers --notebooks "${judged[@]}")
    say "the notebooks: their kernel is built first (minutes, once); the report has the verdicts already"
    RETUNE=$retune "$root/scripts/notebook.sh" "${books[@]}"
    # Now with links to their pages.
    "$retune" report --profile "$profile"
fi
say "next: retune is target/release/retune; try its commands status, show, why, claims"
[ "$failed" -eq 0 ] || fail "some stages failed or were not reached: target/release/retune status"
