# Sourced where system packages are wanted: installs them, asking nothing.
# shellcheck shell=bash

# apt PACKAGE...: as root, or where sudo asks for no password; else says what to run, and fails.
apt() {
    local as=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null ||
            fail "missing system packages; run: sudo apt-get install -y --no-install-recommends $*"
        as=(sudo -n)
    fi
    say "installing system packages: $*"
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Prints the path of a Chromium, which $CHROMIUM may name, and installs one where there is none. Ubuntu has
# it as a snap only: there a browser of the user's is needed.
browser() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome chrome; do
        command -v "$name" && return 0
    done
    apt chromium >&2 && command -v chromium
}
