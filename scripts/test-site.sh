#!/usr/bin/env bash
# test-site.sh RETUNE [ARTIFACTS]: makes the report's pages with the program RETUNE and has headless Chromium
# look at every one, at two widths, light and dark: links, console, toggles, accessibility (axe-core).
# Screenshots are left in ARTIFACTS/site-test. Installs Chromium, node and npm where they are missing; what npm
# installs (10 MB) lies in .tools/browser. Exits with 77 where these cannot be had.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
# shellcheck source=scripts/apt.sh
source "$root/scripts/apt.sh"
[ $# -ge 1 ] || fail "usage: scripts/test-site.sh RETUNE [ARTIFACTS]"
retune=$(realpath "$1")
cd "$root"
artifacts=${2:-artifacts}
lacking() {
    printf 'error: %s\n' "$*" >&2
    exit 77
}
packages=(puppeteer-core@25.16.0 axe-core@4.14.1)
chromium=$(browser) || lacking "no Chromium to look with; install one, or name it: CHROMIUM=/path/to/it"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    (apt nodejs npm) || lacking "missing: node and npm (apt-get install nodejs npm)"
fi
mkdir -p "$tools/browser"
if [ "$(cat "$tools/browser/installed" 2>/dev/null)" != "${packages[*]}" ]; then
    say "installing ${packages[*]} into .tools/browser"
    # Not with --prefix: then npm would look there for its settings too, and miss the machine's.
    echo '{ "private": true }' >"$tools/browser/package.json"
    (cd "$tools/browser" && npm install --loglevel=error --no-audit --no-fund "${packages[@]}") ||
        lacking "npm cannot install ${packages[*]}: see its messages above"
    echo "${packages[*]}" >"$tools/browser/installed"
fi
env -u PROFILE "$retune" report --store "$artifacts"
rm -rf "$artifacts/site-test"
mkdir -p "$artifacts/site-test"
NODE_PATH="$tools/browser/node_modules" node "$root/scripts/site/browse.cjs" \
    "$artifacts/report" "$artifacts/site-test" "$chromium"
