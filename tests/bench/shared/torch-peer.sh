# Sourced by benchmarks, from the root of the checkout: PyTorch as a peer, in .venv. Sets venv. Ends the
# benchmark where PyTorch is not available, or with BENCH=tiny is not there already.
# shellcheck shell=sh
venv=.venv
# The wheel is built for CUDA. On the CPU it needs of that only the runtime and the profiler; empty
# libraries stand in for the others, which saves 2 GB.
peers="torch==2.11.0 numpy==2.4.6 filelock typing_extensions sympy mpmath networkx jinja2 MarkupSafe fsspec"
runtime="nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85"
hollow="libcublas.so.13 libcublasLt.so.13 libcuda.so.1 libcudnn.so.9 libcufft.so.12 libcufile.so.0
    libcurand.so.10 libcusolver.so.12 libcusparse.so.12 libcusparseLt.so.0 libnccl.so.2
    libnvrtc.so.13 libnvshmem_host.so.3"

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
stand_ins=$site/torch-stand-ins
export LD_LIBRARY_PATH="$stand_ins:$site/nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export TORCH_USE_RTLD_GLOBAL=1 # binds symbols when they are called
if ! "$venv/bin/python" -c 'import torch; assert torch.__version__.startswith("2.11.0")' 2>/dev/null; then
    [ "${BENCH:-}" != tiny ] || absent "PyTorch would have to be installed first (550 MB)"
    echo "installing torch 2.11.0 into .venv (550 MB)"
    # shellcheck disable=SC2086
    "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps $peers $runtime ||
        absent "PyTorch could not be installed: $peers $runtime"
    mkdir -p "$stand_ins"
    for name in $hollow; do
        echo 'void torch_stand_in(void) {}' |
            cc -x c -shared -fPIC -o "$stand_ins/$name" - -Wl,-soname,"$name"
    done
fi
