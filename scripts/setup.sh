#!/usr/bin/env bash
# Installs what is missing: system packages, Rust, the notebooks' Python. Asks nothing, changes
# nothing when all is there. The notebook kernel is installed by kernel.sh.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
# shellcheck source=scripts/apt.sh
source "$root/scripts/apt.sh"

# What is installed where there is no Rust that will do, and with what the golden values were computed. A newer
# one that is there already serves as well: `rust-toolchain.toml` would have rustup replace it.
rust_wanted=1.95.0

system_packages() {
    local wanted=(ca-certificates curl g++ gcc git libopenblas-dev make pkg-config python3 python3-venv util-linux)
    local missing=() package
    command -v dpkg-query >/dev/null || return 0
    for package in "${wanted[@]}"; do
        case $package in
        # A Python or compiler that is not the distribution's serves as well.
        python3 | python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null && continue ;;
        gcc | g++ | git | make | curl | pkg-config) command -v "$package" >/dev/null && continue ;;
        util-linux) command -v flock >/dev/null && continue ;;
        esac
        [ -e "/var/lib/dpkg/info/$package.list" ] ||
            compgen -G "/var/lib/dpkg/info/$package:*.list" >/dev/null || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    apt "${missing[@]}"
}

# True when version $1 is at least version $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# The version of the rustc in use; nothing where rustup's stand-in for it has no toolchain to run.
rust_version() { rustc --version 2>/dev/null | cut -d' ' -f2; }

new_enough() {
    local have
    have=$(rust_version) && [ -n "$have" ] && at_least "$have" "$rust_wanted"
}

rust() {
    local have
    new_enough && return 0
    have=$(rust_version) || have="of no toolchain"
    if command -v rustup >/dev/null; then
        say "rustc $have will not do: rustup toolchain install $rust_wanted"
        # Rustup itself stays what it is.
        rustup -q toolchain install "$rust_wanted" --profile minimal --no-self-update ||
            fail "rustup could not install Rust $rust_wanted or newer; run: rustup default stable"
        # A default of the user's stays: where it is too old, this checkout alone uses the new one.
        rustup default >/dev/null 2>&1 || rustup -q default "$rust_wanted"
        if ! new_enough; then
            say "the default toolchain stays; here $rust_wanted is used (rustup override unset undoes that)"
            rustup -q override set "$rust_wanted" --path "$root"
        fi
        new_enough || fail "$(command -v rustc) is still older than $rust_wanted; see: rustup show"
    elif command -v cargo >/dev/null; then
        fail "rustc $have is too old; run: apt-get install rustup && rustup default stable (at least $rust_wanted)"
    else
        say "installing Rust $rust_wanted (rustup, minimal profile)"
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
            sh -s -- -y -q --profile minimal --default-toolchain "$rust_wanted" --no-modify-path ||
            fail "Rust could not be installed; install Rust $rust_wanted or newer, e.g.: apt-get install rustup && rustup default stable"
        new_enough || fail "no Rust $rust_wanted or newer was installed; run: rustup default stable"
    fi
}

# The notebooks' Python.
python() { pinned "$venv" "$root/scripts/requirements.txt"; }

# Parts can be named, for their tests.
[ $# -gt 0 ] || set -- system_packages rust python
for part in "$@"; do
    "$part"
done
