#!/usr/bin/env bash
# Installs the notebooks' Rust kernel if it is not there, and registers it in .tools.
# Lightly optimised, and each unit of code by itself: the build takes a fifth less than with optimisation across units, and
# a notebook a tenth longer. (Without any optimisation a notebook takes a minute or two of CPU longer, since the kernel
# analyses cells with rust-analyzer.)
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

mkdir -p "$tools"
# One at a time: `make test` starts this in the background, a notebook may ask for it meanwhile.
exec 9>"$tools/kernel.lock"
flock 9

version_of() {
    # The program has no --version; its panic messages carry the path of the crate's sources.
    grep -aq "evcxr_jupyter-$evcxr_version" "$1"
}

kernel=$(command -v evcxr_jupyter || true)
if [ -z "$kernel" ] || ! version_of "$kernel"; then
    say "installing evcxr_jupyter $evcxr_version into .tools (minutes)"
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_TARGET_DIR="$tools/kernel-build" \
        nice cargo install evcxr_jupyter --version "$evcxr_version" --locked --force --root "$tools"
    rm -rf "$tools/kernel-build"
    kernel=$tools/bin/evcxr_jupyter
fi

# The kernel writes its own specification, into JUPYTER_PATH.
mkdir -p "$JUPYTER_RUNTIME_DIR" "$EVCXR_CONFIG_DIR"
grep -qsF "\"$kernel\"" "$tools/jupyter/kernels/rust/kernel.json" || "$kernel" --install >/dev/null
