#!/usr/bin/env bash
# From a fresh machine to verdicts: see `make help`. The report and the claims come as soon as they are
# computed; the notebooks' kernel is built after that, and their pages are linked when they are there.
# shellcheck source=scripts/papers.sh
source "$(dirname "$0")/papers.sh"
cd "$root"
profile=${PROFILE:-desk}
case $profile in smoke | desk | paper) ;; *) fail "PROFILE=$profile: choose smoke, desk or paper" ;; esac
wanted=$(papers)
[ -n "$wanted" ] || fail "no paper: configs/ is empty"
# One name a line, none with spaces: files of configs/.
mapfile -t wanted <<<"$wanted"

"$root/scripts/setup.sh"
# Both programs are made of one library, which is compiled once.
programs=(-p stages)
if trains_networks "${wanted[@]}"; then
    if "$root/scripts/libtorch.sh"; then
        programs+=(-p nets)
    else
        say "without libtorch, what trains networks will be marked unavailable"
    fi
fi
say "building in release (minutes, once)"
cargo build --release --locked "${programs[@]}" --bins
retune=$root/target/release/retune
say "fetching data"
"$retune" data fetch || say "some data cannot be had: what needs them will be marked unavailable"

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
    mapfile -t books < <(notebooks "${judged[@]}")
    say "the notebooks: their kernel is built first (minutes, once); the report has the verdicts already"
    "$root/scripts/notebook.sh" "${books[@]}"
    # Now with links to their pages.
    "$retune" report --profile "$profile"
fi
say "next: retune is target/release/retune; try its commands status, show, why, claims"
[ "$failed" -eq 0 ] || fail "some stages failed or were not reached: target/release/retune status"
