#!/usr/bin/env bash
# test-newcomer.sh RETUNE: the guide to a new paper (docs/book/src/paper.md), carried out in a copy of the
# checkout. RETUNE is the program built from it. What was compiled of dependencies is shared, what the
# copy builds itself is not optimised, and lies in target/newcomer.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
[ $# -eq 1 ] || fail "usage: scripts/test-newcomer.sh RETUNE"
program=$(realpath "$1")
cd "$root"
# Whoever has followed the guide here has nothing left to find out.
if [ -e stages/papers/random_search ]; then
    say "not tested: the guide to a new paper, which has been followed in this checkout"
    exit 0
fi
built=$(realpath "${CARGO_TARGET_DIR:-target}")
copy=$root/target/newcomer
rm -rf "$copy/checkout"
mkdir -p "$copy/checkout" "$artifacts/data" "$tools"
# With their times, so that what is unchanged since the last test is not built again.
git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
    xargs -0 cp -p --parents -t "$copy/checkout"
cd "$copy/checkout"
ln -s "$tools" .tools
ln -s "$venv" .venv
mkdir -p artifacts target/debug
ln -s "$artifacts/data" artifacts/data
# Results are the copy's own.
unset RETUNE_ARTIFACTS
# Until the guide builds its own.
ln -s "$program" target/debug/retune
cat >>.cargo/config.toml <<'TOML'

[profile.dev]
opt-level = 0
debug = false
TOML
for crate in data harmonica hoag hypertune kit models numerics reference smoothie stats stn tuners; do
    printf '\n[profile.dev.package.%s]\nopt-level = 0\n' "$crate" >>.cargo/config.toml
done
export CARGO_TARGET_DIR=$copy/checkout/target CARGO_BUILD_BUILD_DIR=$built
python3 "$root/scripts/guide.py" "$root/docs/book/src/paper.md"
say "the guide to a new paper does what it says"
