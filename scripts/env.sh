# Sourced by the other scripts: where this project keeps its tools. Everything lies in the checkout
# (.tools, .venv, target, artifacts); nothing of the user's settings is read or written.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/.tools
venv=$root/.venv
export PATH="$tools/bin:$PATH:$HOME/.cargo/bin"

# The kernel specification and all state of Jupyter.
export JUPYTER_PATH=$tools/jupyter JUPYTER_DATA_DIR=$tools/jupyter
export JUPYTER_CONFIG_DIR=$tools/jupyter/config JUPYTER_RUNTIME_DIR=$tools/jupyter/runtime
export IPYTHONDIR=$tools/jupyter/ipython EVCXR_CONFIG_DIR=$tools/jupyter/evcxr

evcxr_version=0.22.0

# Where results lie: `retune` and the notebooks' prelude read the variable too.
artifacts=${RETUNE_ARTIFACTS:-$root/artifacts}
report=$artifacts/report

# pinned FOLDER LIST: a Python environment in FOLDER with the packages of LIST, each of which must have the hash
# that LIST states. A copy of LIST tells whether it is up to date.
pinned() {
    cmp -s "$2" "$1/installed.txt" && return 0
    say "installing Python packages into ${1#"$root/"}"
    [ -x "$1/bin/python" ] || python3 -m venv "$1"
    "$1/bin/python" -m pip install -q --disable-pip-version-check --require-hashes -r "$2"
    cp "$2" "$1/installed.txt"
}

say() { printf '== %s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
