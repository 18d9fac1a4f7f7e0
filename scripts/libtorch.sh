#!/usr/bin/env bash
# Installs libtorch into .tools/libtorch if it is not there: out of the Python package torch, since
# that comes through a package registry. Where there is an NVIDIA driver the whole package with its
# CUDA libraries (2.7 GB), else what the CPU needs (0.5 GB). LIBTORCH_DEVICE=cpu|cuda overrides;
# a LIBTORCH of the environment is used as it is.
# The bindings (tch 0.24) are for libtorch 2.11 alone.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

version=2.11.0
[ -z "${LIBTORCH:-}" ] || exit 0
device=${LIBTORCH_DEVICE:-}
if [ -z "$device" ]; then
    device=cpu
    [ -e /proc/driver/nvidia/version ] && device=cuda
fi
case $device in cpu | cuda) ;; *) fail "LIBTORCH_DEVICE=$device: choose cpu or cuda" ;; esac
at=$tools/libtorch
[ "$(cat "$at/device" 2>/dev/null)" = "$version $device" ] && exit 0

[ "$(uname -sm)" = "Linux x86_64" ] ||
    fail "no libtorch is known for $(uname -sm); install libtorch $version and set LIBTORCH to its folder"
mkdir -p "$tools"
exec 9>"$tools/libtorch.lock"
flock 9
work=$(mktemp -d "$tools/libtorch.XXXXXX")
trap 'rm -rf "$work"' EXIT
pip=("$venv/bin/python" -m pip -q --disable-pip-version-check)

cpu() {
    local wheels=$work/wheels
    # Any Python's wheel holds the same libraries; this one is pinned by its hash.
    "${pip[@]}" download --no-deps --only-binary=:all: --implementation cp --python-version 3.11 \
        --abi cp311 --platform manylinux_2_28_x86_64 -d "$wheels" "torch==$version"
    "${pip[@]}" download -d "$wheels" "cuda-toolkit[cudart,cupti]==13.0.2"
    "$venv/bin/python" "$root/scripts/libtorch.py" "$wheels" "$work/tree"
    # The package's own libtorch.so needs the CUDA half; ours stands for it.
    echo 'void libtorch_without_cuda(void) {}' |
        gcc -x c -shared -fPIC -o "$work/tree/lib/libtorch.so" - -Wl,-soname,libtorch.so \
            -Wl,--no-as-needed "-L$work/tree/lib" -ltorch_cpu -lc10 \
            -Wl,-rpath,'$ORIGIN' -Wl,--allow-shlib-undefined
}

cuda() {
    "${pip[@]}" install --require-hashes --no-deps --target "$work/packages" -r "$root/scripts/libtorch-cuda.txt"
    mkdir "$work/tree"
    mv "$work/packages" "$work/tree/packages"
    ln -s packages/torch/lib packages/torch/include "$work/tree/"
}

say "installing libtorch $version for $device into .tools (the package has 0.5 GB)"
"$device" || fail "libtorch could not be installed; install libtorch $version and set LIBTORCH to its folder"
echo "$version" >"$work/tree/build-version"
echo "$version $device" >"$work/tree/device"
rm -rf "$at"
mv "$work/tree" "$at"
