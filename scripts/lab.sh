#!/usr/bin/env bash
# JupyterLab on the notebooks, with the project's kernel. Installed on first use.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
"$root/scripts/setup.sh"
ready_kernel
[ -x "$venv/bin/jupyter-lab" ] || {
    say "installing JupyterLab into .venv"
    # The pins without their hashes, which pip would then ask for of JupyterLab too.
    sed -n 's/^\([A-Za-z][^ ]*\).*/\1/p' "$root/scripts/requirements.txt" >"$tools/constraints.txt"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check -c "$tools/constraints.txt" jupyterlab==4.6.6
}
root_too=()
[ "$(id -u)" -ne 0 ] || root_too=(--allow-root)
# Outputs stay out of the committed notebooks: a test refuses them; clear them before a commit.
exec "$venv/bin/jupyter-lab" --notebook-dir="$root/notebooks" "${root_too[@]}"
