#!/bin/sh
# Installs the Python packages named as NAME==VERSION into .venv, where they are missing: peers that
# benchmarks compare with. `make test` and `make reproduce` need none of them.
set -eu
cd "$(dirname "$0")/.."
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -c "
from importlib.metadata import version
import sys
sys.exit(any(version(n) != v for n, v in (p.split('==') for p in sys.argv[1:])))
" "$@" 2>/dev/null && exit
echo "installing $* into .venv"
.venv/bin/python -m pip install -q --disable-pip-version-check "$@" || {
    echo "the peers could not be installed: $*" >&2
    exit 2
}
