#!/usr/bin/env bash
# JupyterLab on the notebooks, with the project's kernel. Installed on first use.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
"$root/scripts/setup.sh"
"$root/scripts/kernel.sh"
[ -x "$venv/bin/jupyter-lab" ] || {
    say "installing JupyterLab into .venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check \
        -c "$root/scripts/requirements.txt" jupyterlab==4.6.6
}
root_too=()
[ "$(id -u)" -ne 0 ] || root_too=(--allow-root)
# Outputs stay out of the committed notebooks: a test refuses them; clear them before a commit.
exec "$venv/bin/jupyter-lab" --notebook-dir="$root/notebooks" "${root_too[@]}"
