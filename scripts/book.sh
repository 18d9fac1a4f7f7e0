#!/usr/bin/env bash
# The book in artifacts/report/book: pages that ask nothing of the network. Installs mdbook into .tools
# where it is not there (minutes, once).
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
"$root/scripts/setup.sh"
mdbook_version=0.5.4
mkdir -p "$tools" "$root/artifacts/report"
if [ "$(mdbook --version 2>/dev/null)" != "mdbook v$mdbook_version" ]; then
    say "installing mdbook $mdbook_version into .tools (minutes)"
    # It is used, not developed: light optimisation builds it in a third of the time.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_TARGET_DIR="$tools/mdbook-build" nice cargo install mdbook --version "$mdbook_version" \
        --locked --force --no-default-features --features search --root "$tools"
    rm -rf "$tools/mdbook-build"
fi
rm -rf "$root/artifacts/report/book"
# What differs from the papers, as the program has it.
differs=$tools/book-differs
mkdir -p "$differs"
retune=$(program)
for paper in $("$retune" papers --ids --configs "$root/configs"); do
    at=(--store "$differs/store" --configs "$root/configs" --profile smoke)
    "$retune" run "$paper/differs" "${at[@]}" >/dev/null
    "$retune" show "$paper/differs" --json "${at[@]}" >"$differs/$paper.json"
done
RETUNE_DIFFERS=$differs mdbook build "$root/docs/book"
if grep -rlE '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' "$root/artifacts/report/book" --include='*.html'; then
    fail "the pages named above load something from the network"
fi
say "book: artifacts/report/book/index.html"
