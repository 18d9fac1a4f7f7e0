#!/bin/sh
# Installs the Python packages named as NAME==VERSION into .venv, where they are missing: peers that
# benchmarks compare with. `make reproduce` needs none of them. VENV names another environment, and
# with KEEP=1 nothing is installed. Exits with 77 where they are not there then.
set -eu
cd "$(dirname "$0")/../../.."
venv=${VENV:-.venv}
[ -x "$venv/bin/python" ] && "$venv/bin/python" -c "
from importlib.metadata import version
import sys
sys.exit(any(version(n) != v for n, v in (p.split('==') for p in sys.argv[1:])))
" "$@" 2>/dev/null && exit
if [ -n "${KEEP:-}" ]; then
    echo "not measured here: $* would have to be installed first, which takes minutes" >&2
    exit 77
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
echo "installing $* into $venv"
# What is imported is compiled then; all of it would take longer.
"$venv/bin/python" -m pip install -q --disable-pip-version-check --no-compile "$@" || {
    echo "not measured here: the peers could not be installed: $*" >&2
    exit 77
}
