#!/usr/bin/env bash
# Prints each paper's report, artifacts/report/ID.html, or where its notebook was not executed its page
# paper-ID.html, to artifacts/report/ID.pdf, in headless Chromium. $PAPER names some; $CHROMIUM another
# browser.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
# shellcheck source=scripts/apt.sh
source "$root/scripts/apt.sh"
cd "$root"

chromium=$(browser) ||
    fail "no Chromium to print with; install one (apt-get install chromium), or name it: make pdf CHROMIUM=/path/to/it"

# Its profile, and what it says while it prints.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(--headless --disable-gpu --user-data-dir="$work/profile" --no-pdf-header-footer)
# Its sandbox refuses to run as root.
[ "$(id -u)" -ne 0 ] || flags+=(--no-sandbox)

# shellcheck disable=SC2086 # several names
wanted=$("$(program)" papers --ids ${PAPER:-})
printed=0
for paper in $wanted; do
    page=$report/$paper.html
    [ -f "$page" ] || page=$report/paper-$paper.html
    if [ ! -f "$page" ]; then
        say "$paper has no report yet: make reproduce PAPER=$paper"
        continue
    fi
    rm -f "$work/page.pdf"
    timeout 300 "$chromium" "${flags[@]}" --print-to-pdf="$work/page.pdf" "file://$page" >"$work/log" 2>&1 || true
    [ -s "$work/page.pdf" ] || {
        cat "$work/log" >&2
        fail "$chromium printed no PDF of ${page#"$root/"}: see its messages above"
    }
    mv "$work/page.pdf" "$report/$paper.pdf"
    say "$report/$paper.pdf"
    printed=$((printed + 1))
done
[ "$printed" -gt 0 ] || fail "no report to print; make one: make reproduce"
