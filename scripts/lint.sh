#!/usr/bin/env bash
# Everything that reads code without running it: format, clippy, documentation, dependencies that nothing
# uses, licences and sources of dependencies, shell scripts. Goes through all of it and fails at the end.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
machete_version=0.9.2
deny_version=0.20.2
failed=()
check() {
    local what=$1
    shift
    say "$what"
    "$@" || failed+=("$what")
}

# tool NAME VERSION: installs a cargo subcommand into .tools where it is not there (minutes, once).
tool() {
    [ "$("cargo-$1" --version 2>/dev/null | grep -oE '[0-9.]+$')" != "$2" ] || return 0
    say "installing cargo-$1 $2 into .tools (minutes)"
    mkdir -p "$tools"
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_TARGET_DIR="$tools/lint-build" nice cargo install "cargo-$1" --version "$2" --locked --root "$tools"
    rm -rf "$tools/lint-build"
}

check "format" cargo fmt --all --check
check "format of the templates" find stages/templates -name '*.rs' -exec rustfmt --edition 2024 --check {} +
# Without libtorch the crate that trains networks cannot be looked at.
crates=(--workspace)
[ -d "$tools/libtorch" ] || [ -n "${LIBTORCH:-}" ] || {
    say "without libtorch: stages/nets is left out (scripts/libtorch.sh installs it)"
    crates+=(--exclude nets)
}
check "clippy" cargo clippy "${crates[@]}" --all-targets --locked -- -D warnings
check "clippy of the cluster's tests" cargo clippy -p pipeline --test slurm --locked -- -D warnings
check "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc "${crates[@]}" --no-deps --locked
tool machete "$machete_version"
check "dependencies that nothing uses" cargo machete --skip-target-dir
tool deny "$deny_version"
check "licences and sources of dependencies" cargo deny --locked check licenses bans sources
# The database of advisories lies on a host of its own (see deny.toml).
advisories() { check "advisories about dependencies" cargo deny --locked --offline check advisories; }
if fetched=$(timeout 120 cargo deny --locked fetch db 2>&1); then
    advisories
elif compgen -G "$tools/advisories/advisory-db-*" >/dev/null; then
    say "the database of advisories cannot be fetched: its last copy is used"
    advisories
else
    say "advisories are not looked at: their database cannot be fetched ($(grep . <<<"$fetched" | tail -n 1))"
fi
if command -v shellcheck >/dev/null; then
    mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
    check "shell scripts" shellcheck -x -S warning "${scripts[@]}"
else
    say "shell scripts are not checked: no shellcheck here (apt-get install shellcheck)"
fi
[ ${#failed[@]} -eq 0 ] || fail "not clean: $(IFS=,; echo "${failed[*]}")"
say "clean"
