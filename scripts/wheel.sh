#!/usr/bin/env bash
# Builds the Python wheel of the tuners into target/wheels and tests it in fresh environments: with the oldest and
# the newest Python here that it supports, and with the packages that its adapters are for. PYTHONS names the
# interpreters instead. Without a newer Python it is tested with one, and says so.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
source=$root/stages/tuners/python
maturin_version=1.16.0
peers=(pytest==9.2.0 optuna==5.0.0 ConfigSpace==1.2.2 carps==1.1.0)

# Version and path of each interpreter here that the wheel supports.
interpreters() {
    local one
    for one in python3 $(compgen -c python3. | grep -xE 'python3\.[0-9]+') "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
        "$one" -c 'import sys, ensurepip
if sys.version_info >= (3, 10): print("3.%d" % sys.version_info[1], sys.executable)' 2>/dev/null || true
    done | sort -t . -k 2 -n -u -k 1,1
}

mapfile -t pythons < <(printf '%s\n' ${PYTHONS:-})
if [ -z "${PYTHONS:-}" ]; then
    mapfile -t found < <(interpreters | awk '!seen[$1]++ { print $2 }')
    [ ${#found[@]} -gt 0 ] || fail "no Python 3.10 or newer was found: name one in PYTHONS"
    pythons=("${found[0]}")
    [ ${#found[@]} -eq 1 ] || pythons+=("${found[-1]}")
fi
[ ${#pythons[@]} -gt 1 ] || say "one Python is here: the wheel is tested with that alone"

builder=$tools/wheel
[ "$("$builder/bin/maturin" --version 2>/dev/null)" = "maturin $maturin_version" ] || {
    say "installing maturin $maturin_version into .tools"
    python3 -m venv "$builder"
    "$builder/bin/python" -m pip install -q --disable-pip-version-check "maturin==$maturin_version"
}
say "building"
rm -rf target/wheels
CARGO_TARGET_DIR=$root/target/wheel "$builder/bin/maturin" build --release --locked --strip \
    --interpreter "${pythons[0]}" --manifest-path "$source/Cargo.toml" --out target/wheels
wheel=$(echo target/wheels/*.whl)

for python in "${pythons[@]}"; do
    say "testing with $("$python" --version)"
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    "$python" -m venv "$fresh"
    # It depends on nothing.
    "$fresh/bin/python" -m pip install -q --disable-pip-version-check --no-index "$wheel"
    "$fresh/bin/python" -c 'import retune_tuners; assert len(retune_tuners.methods()) >= 20'
    "$fresh/bin/python" -m pip install -q --disable-pip-version-check "${peers[@]}"
    (cd "$source/tests" && "$fresh/bin/pytest" -q -rs -p no:cacheprovider .)
    rm -rf "$fresh"
done
say "$wheel: tested"
